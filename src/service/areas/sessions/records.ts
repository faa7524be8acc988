import { iso } from '../../../contract/instants.ts';
import { notFound } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
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
    outcome: row.outcome,
    created_at: iso(row.started_at),
    updated_at: iso(row.concluded_at ?? row.last_message_at),
  };
}

/** Reads a conversation; undefined when the account has no such conversation. */
export async function findSession(db: Db, accountId: string, id: string): Promise<ChatSession | undefined> {
  const row = await db.selectFrom('chat_sessions').selectAll().where('account_id', '=', accountId).where('id', '=', id).executeTakeFirst();
  return row && chatSessions.decode(row);
}

/** @throws ApiError 404 when the account has no such conversation */
export async function requireSession(db: Db, accountId: string, id: string): Promise<ChatSession> {
  const session = await findSession(db, accountId, id);
  if (!session) throw notFound('Chat session');
  return session;
}
