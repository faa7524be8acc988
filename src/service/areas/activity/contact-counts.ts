import { type RawBuilder, sql } from 'kysely';
import type { ContactCounts } from './table.ts';

/** The dimensions under which a message is counted. An empty text means that the dimension is missing. */
interface CounterPlace {
  readonly campaign_id: string;
  readonly agent_id: string;
  readonly channel: string;
  readonly own_identity: string;
}

/** Encodes a place as text, one part per line. One column is faster to read, compare and group than four. */
export function placeOf(campaignId: string, agentId: string, channel: string, ownIdentity: string): string {
  return `${campaignId}\n${agentId}\n${channel}\n${ownIdentity}`;
}

/** The SQL equivalent of `placeOf`. @param columns the columns of the parts; a part without a column is empty */
export function placeIn({
  campaign,
  agent,
  channel,
  own,
}: Partial<Record<'campaign' | 'agent' | 'channel' | 'own', string>>): RawBuilder<string> {
  const parts = [campaign, agent, channel, own].map((column) => (column === undefined ? sql`''` : sql`coalesce(${sql.ref(column)}, '')`));
  return sql<string>`${sql.join(parts, sql` || '\n' || `)}`;
}

/** Decodes the text of a place. */
export function readPlace(text: string): CounterPlace {
  const [campaign_id = '', agent_id = '', channel = '', ...own] = text.split('\n');
  return { campaign_id, agent_id, channel, own_identity: own.join('\n') };
}

/** The fields of a message that counting needs. */
export interface CountedMessage {
  readonly contact_id: string;
  readonly campaign_id: string | null;
  readonly agent_id: string | null;
  readonly channel: string;
  readonly own_identity: string;
  readonly created_at: number;
}

/** The counters of a contact that are summed up. */
type ContactCounter = Exclude<keyof ContactCounts, 'contact_id' | 'hour' | 'place' | 'last_message_at'>;

/** The counters of messages. */
export type MessageCounter = Exclude<ContactCounter, 'credits_spent'>;

/** Counters of an hour without activity. */
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
