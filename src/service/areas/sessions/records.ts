import { sql } from 'kysely';
import type { Query } from '../../../contract/endpoint.ts';
import type { listSessions as listSessionsEndpoint, SessionOutcome } from '../../../contract/areas/sessions/endpoints.ts';
import { iso } from '../../../contract/time/instants.ts';
import { notFound } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { fillPart, haveValues, isWithin, type Part, readPart } from '../../store/parts.ts';
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

/** The filters of a list. */
export interface SessionFilters extends Omit<Query<typeof listSessionsEndpoint>, 'from' | 'to' | 'limit' | 'cursor'> {
  /** The first and the last instant at which a conversation started, in epoch milliseconds. */
  readonly first?: number | undefined;
  readonly last?: number | undefined;
}

/**
 * Lists conversations by descending `seq`, below `before`. They are read in the order of an index, and then those of deleted contacts
 * are left out: for a join, PostgreSQL may read all conversations of the account.
 */
export async function listSessions(
  db: Db,
  accountId: string,
  { contact_id: contactId, state, outcome, alerted, first, last, ...values }: SessionFilters,
  before: number | undefined,
  limit: number,
): Promise<Part<Row<typeof chatSessions>>> {
  const list = contactId === undefined ? { column: 'account_id', value: accountId } : { column: 'contact_id', value: contactId };
  const conditions = [
    ...haveValues(values),
    ...isWithin('started_at', { first, last }),
    ...(state === undefined ? [] : [sql`concluded_at is ${state === 'open' ? sql`null` : sql`not null`}`]),
    ...(alerted === undefined ? [] : [alerted ? wasAlerted : sql`not ${wasAlerted}`]),
    // Set as soon as people are alerted (rule sessions.10).
    ...(outcome === undefined ? [] : [outcome === 'handed_off' ? sql`(outcome = ${outcome} or ${wasAlerted})` : hasOutcome(outcome)]),
  ];
  const read = (below: number, rest: number) => readPart(db, chatSessions, { ...list, below }, conditions, rest);
  return await fillPart(before, limit, read, async (rows) => {
    const ids = rows.map((row) => row.contact_id);
    const present = await contacts.existing(db, accountId, ids);
    return rows.filter((row) => present.has(row.contact_id));
  });
}

const wasAlerted = sql`alerts <> '[]'`;

function hasOutcome(outcome: SessionOutcome) {
  return sql`outcome = ${outcome} and not ${wasAlerted}`;
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
