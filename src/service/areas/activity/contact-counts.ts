import { type RawBuilder, sql } from 'kysely';
import type { ContactCounts } from './table.ts';

/** What a message is counted under. An empty text means none. */
export interface Place {
  readonly campaign_id: string;
  readonly agent_id: string;
  readonly channel: string;
  readonly own_identity: string;
}

/** The text of a place: its parts, each on a line. One text is read, compared and grouped faster than four. */
export function placeOf(campaignId: string, agentId: string, channel: string, ownIdentity: string): string {
  return `${campaignId}\n${agentId}\n${channel}\n${ownIdentity}`;
}

/** The same in a statement. @param columns those with the parts; a part without a column is empty */
export function placeIn({
  campaign,
  agent,
  channel,
  own,
}: Partial<Record<'campaign' | 'agent' | 'channel' | 'own', string>>): RawBuilder<string> {
  const parts = [campaign, agent, channel, own].map((column) => (column === undefined ? sql`''` : sql`coalesce(${sql.ref(column)}, '')`));
  return sql<string>`${sql.join(parts, sql` || '\n' || `)}`;
}

/** The place of a text. */
export function readPlace(text: string): Place {
  const [campaign_id = '', agent_id = '', channel = '', ...own] = text.split('\n');
  return { campaign_id, agent_id, channel, own_identity: own.join('\n') };
}

/** A message that is counted. */
export interface CountedMessage {
  readonly contact_id: string;
  readonly campaign_id: string | null;
  readonly agent_id: string | null;
  readonly channel: string;
  readonly own_identity: string;
  readonly created_at: number;
}

/** The counters of a contact that add up. */
type ContactCounter = Exclude<keyof ContactCounts, 'contact_id' | 'hour' | 'place' | 'last_message_at'>;

/** The counters of messages. */
export type MessageCounter = Exclude<ContactCounter, 'credits_spent'>;

/** Counters of an hour in which nothing happened. */
export const noMessages: Readonly<Record<ContactCounter, number>> = {
  ai_sent: 0,
  human_sent: 0,
  automated_sent: 0,
  received: 0,
  delivered: 0,
  read: 0,
  replied: 0,
  credits_spent: 0,
};
