import type { Selectable } from 'kysely';
import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import type { directions, messageTypes, MessageStatus, Sender } from '../../../contract/areas/messages/endpoints.ts';
import type { Dimensions } from '../activity/counts.ts';
import { iso } from '../../clock/clock.ts';
import { notFound } from '../../errors.ts';
import type { MessagesTable } from '../../store/schema.ts';
import { type Db, prepared } from '../../store/store.ts';

/** A message as it is kept. */
export type Message = Omit<Selectable<MessagesTable>, 'seq'>;

/** A message as answers show it (5/B, Contacts). */
export function messageRecord(row: Message) {
  return {
    id: row.id,
    contact_id: row.contact_id,
    session_id: row.session_id,
    channel: row.channel as ChannelName,
    direction: row.direction,
    type: row.type as (typeof messageTypes)[number],
    body: row.body,
    status: row.status as MessageStatus,
    sender: row.sender as Sender,
    agent_id: row.agent_id,
    campaign_id: row.campaign_id,
    template_id: row.template_id,
    created_at: iso(row.created_at),
  };
}

/** By what a message counts. */
export function dimensionsOf({ campaign_id: campaignId, agent_id: agentId, channel, own_identity: ownIdentity }: Message): Dimensions {
  return { campaignId, agentId, channel, ownIdentity };
}

/** By what messages are narrowed. */
export interface MessageFilters {
  readonly filter?: (typeof messageTypes)[number] | undefined;
  readonly direction?: (typeof directions)[number] | undefined;
}

/** Reads the messages with a contact by descending `seq`, below `before`. */
export async function listMessages(
  db: Db,
  contactId: string,
  { filter, direction }: MessageFilters,
  before: number | undefined,
  take: number,
) {
  let query = db.selectFrom('messages').selectAll().where('contact_id', '=', contactId).orderBy('seq', 'desc').limit(take);
  if (filter !== undefined) query = query.where('type', '=', filter);
  if (direction !== undefined) query = query.where('direction', '=', direction);
  return await (before === undefined ? query : query.where('seq', '<', before)).execute();
}

const oneMessage = prepared<Message>((db) => db.selectFrom('messages').selectAll().where('account_id', '=', '').where('id', '=', ''));

/** @throws ApiError 404 when the account has no such message */
export async function requireMessage(db: Db, accountId: string, id: string): Promise<Message> {
  const [message] = await oneMessage(db, [accountId, id]);
  if (!message) throw notFound('Message');
  return message;
}
