import { iso } from '../../../contract/instants.ts';
import { notFound } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import type { Row } from '../../store/table.ts';
import { isAlerted } from './rules.ts';
import { type ChatSession, chatSessions } from './table.ts';

/** A conversation as answers show it. */
export function chatSessionRecord(row: ChatSession) {
  return {
    id: row.id,
    contact_id: row.contact_id,
    channel: row.channel,
    agent_id: row.agent_id,
    started_at: iso(row.started_at),
    concluded_at: iso(row.concluded_at),
    // Set as soon as people are alerted (rule sessions.10).
    outcome: row.outcome ?? (isAlerted(row) ? 'handed_off' : null),
    alerted: isAlerted(row),
    created_at: iso(row.started_at),
    updated_at: iso(row.concluded_at ?? row.last_message_at),
  };
}

/** The conversations of an account. Conversations of a deleted contact may still be stored, and are left out. */
function sessionsOf(db: Db, accountId: string) {
  return db
    .selectFrom('chat_sessions')
    .innerJoin('contacts', 'contacts.id', 'chat_sessions.contact_id')
    .selectAll('chat_sessions')
    .where('chat_sessions.account_id', '=', accountId)
    .where('contacts.account_id', '=', accountId);
}

/** Lists conversations by descending `seq`, below `before`. @param contactId lists only conversations with this contact */
export async function listSessions(
  db: Db,
  accountId: string,
  contactId: string | undefined,
  before: number | undefined,
  limit: number,
): Promise<Row<typeof chatSessions>[]> {
  let query = sessionsOf(db, accountId).orderBy('chat_sessions.seq', 'desc').limit(limit);
  if (contactId !== undefined) query = query.where('chat_sessions.contact_id', '=', contactId);
  if (before !== undefined) query = query.where('chat_sessions.seq', '<', before);
  return (await query.execute()).map(chatSessions.decode);
}

/** Reads a conversation; undefined when the account has no such conversation. */
export async function findSession(db: Db, accountId: string, id: string): Promise<ChatSession | undefined> {
  const row = await sessionsOf(db, accountId).where('chat_sessions.id', '=', id).executeTakeFirst();
  return row && chatSessions.decode(row);
}

/** @throws ApiError 404 when the account has no such conversation */
export async function requireSession(db: Db, accountId: string, id: string): Promise<ChatSession> {
  const session = await findSession(db, accountId, id);
  if (!session) throw notFound('Chat session');
  return session;
}
