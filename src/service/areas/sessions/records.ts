import { iso } from '../../../contract/time/instants.ts';
import { notFound } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { fillPage } from '../../store/fill-page.ts';
import { newest } from '../../store/newest.ts';
import type { Row } from '../../store/table.ts';
import { contacts } from '../contacts/table.ts';
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

/**
 * Lists conversations by descending `seq`, below `before`. They are read in the order of an index, and then those of deleted contacts
 * are left out: for a join, PostgreSQL may read all conversations of the account.
 * @param contactId lists only conversations with this contact
 */
export async function listSessions(
  db: Db,
  accountId: string,
  contactId: string | undefined,
  before: number | undefined,
  limit: number,
): Promise<Row<typeof chatSessions>[]> {
  const where = contactId === undefined ? { account_id: accountId } : { contact_id: contactId };
  const read = (next: number | undefined) => newest(db, chatSessions, where, next, limit);
  return await fillPage(before, limit, read, async (rows) => {
    const ids = rows.map((row) => row.contact_id);
    const present = await contacts.existing(db, accountId, ids);
    return rows.filter((row) => present.has(row.contact_id));
  });
}

/** Reads a conversation; undefined when the account has no such conversation. */
export async function findSession(db: Db, accountId: string, id: string): Promise<ChatSession | undefined> {
  const row = await sessionsOf(db, accountId).where('chat_sessions.id', '=', id).executeTakeFirst();
  return row && chatSessions.decode(row);
}

/** @throws ApiError 404 when the account has no such conversation */
export async function requireSession(db: Db, accountId: string, id: string): Promise<ChatSession> {
  const session = await findSession(db, accountId, id);
  if (!session) throw notFound('chat_session');
  return session;
}
