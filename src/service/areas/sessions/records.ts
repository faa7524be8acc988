import type { Selectable } from 'kysely';
import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import type { SessionOutcome } from '../../../contract/areas/sessions/endpoints.ts';
import { iso } from '../../clock/clock.ts';
import type { ChatSessionsTable } from '../../store/schema.ts';
import type { Db } from '../../store/store.ts';

/** A conversation as it is kept. */
export type ChatSession = Omit<Selectable<ChatSessionsTable>, 'seq'>;

/** A conversation as answers show it (5/B, Chat sessions). */
export function chatSessionRecord(row: ChatSession) {
  return {
    id: row.id,
    contact_id: row.contact_id,
    channel: row.channel as ChannelName,
    agent_id: row.agent_id,
    started_at: iso(row.started_at),
    concluded_at: iso(row.concluded_at),
    outcome: row.outcome as SessionOutcome | null,
    created_at: iso(row.started_at),
    updated_at: iso(row.concluded_at ?? row.last_message_at),
  };
}

/** Reads an account's conversations by descending `seq`, below `before`; of one contact where it is named. */
export async function listSessions(db: Db, accountId: string, contactId: string | undefined, before: number | undefined, take: number) {
  let query = db.selectFrom('chat_sessions').selectAll().where('account_id', '=', accountId).orderBy('seq', 'desc').limit(take);
  if (contactId !== undefined) query = query.where('contact_id', '=', contactId);
  return await (before === undefined ? query : query.where('seq', '<', before)).execute();
}

/** Reads one conversation; undefined when the account has none of that id. */
export async function findChatSession(db: Db, accountId: string, id: string): Promise<ChatSession | undefined> {
  return await db.selectFrom('chat_sessions').selectAll().where('account_id', '=', accountId).where('id', '=', id).executeTakeFirst();
}
