import type { directions, messageTypes } from '../../../contract/areas/messages/endpoints.ts';
import { notFound } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { prepared } from '../../store/prepared.ts';
import type { Row, StoredRow } from '../../store/table.ts';
import type { Dimensions } from '../activity/counts.ts';
import { type Message, messages } from './table.ts';

/** What a message is counted under. */
export function dimensionsOf({ campaign_id: campaignId, agent_id: agentId, channel, own_identity: ownIdentity }: Message): Dimensions {
  return { campaignId, agentId, channel, ownIdentity };
}

/** What narrows a list of messages. */
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
  limit: number,
): Promise<Row<typeof messages>[]> {
  let query = db.selectFrom('messages').selectAll().where('contact_id', '=', contactId).orderBy('seq', 'desc').limit(limit);
  if (filter !== undefined) query = query.where('type', '=', filter);
  if (direction !== undefined) query = query.where('direction', '=', direction);
  if (before !== undefined) query = query.where('seq', '<', before);
  return (await query.execute()).map(messages.decode);
}

const oneMessage = prepared<{ account: string; id: string }, StoredRow<typeof messages>>((db, $) =>
  db.selectFrom('messages').selectAll().where('account_id', '=', $.account).where('id', '=', $.id),
);

/** @throws ApiError 404 when the account has no message of that id */
export async function requireMessage(db: Db, accountId: string, id: string): Promise<Message> {
  const [message] = await oneMessage(db, { account: accountId, id });
  if (!message) throw notFound('Message');
  return messages.decode(message);
}
