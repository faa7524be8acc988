import { sql } from 'kysely';
import type { listSummaries as listSummariesEndpoint } from '../../../contract/areas/summaries/endpoints.ts';
import type { Query } from '../../../contract/endpoint.ts';
import { dayLength } from '../../../contract/time/days.ts';
import { iso } from '../../../contract/time/instants.ts';
import { notFound } from '../../errors.ts';
import { readPeriod } from '../../http/period.ts';
import type { Db } from '../../store/database.ts';
import { haveValues, type Part, readPart } from '../../store/parts.ts';
import { dayOf } from '../activity/counts.ts';
import { summaries, type Summary } from './table.ts';

/** A summary as answers show it. */
export function summaryRecord({ id, kind, day, chat_session_id, contact_id, text, created_at }: Omit<Summary, 'seq'>) {
  return { id, kind, date: iso(day * dayLength).slice(0, 10), chat_session_id, contact_id, text, created_at: iso(created_at) };
}

/** The filters of a list, with a contact and a session of the account, if any. */
type Filters = Omit<Query<typeof listSummariesEndpoint>, 'limit' | 'cursor'>;

/** Lists summaries by descending `seq`, below `before`. */
export async function listSummaries(
  db: Db,
  accountId: string,
  { contact_id: contact, kind, chat_session_id, from, to }: Filters,
  before: number | undefined,
  limit: number,
): Promise<Part<Summary>> {
  const { first, last } = readPeriod({ from, to });
  const list = contact === undefined ? { column: 'account_id', value: accountId } : { column: 'contact_id', value: contact };
  const conditions = [
    ...haveValues({ kind, chat_session_id }),
    ...(first === undefined ? [] : [sql`day >= ${dayOf(first)}`]),
    ...(last === undefined ? [] : [sql`day <= ${dayOf(last)}`]),
  ];
  return await readPart(db, summaries, { ...list, below: before ?? Number.MAX_SAFE_INTEGER }, conditions, limit);
}

/** @throws ApiError 404 when the account has no such summary */
export async function requireSummary(db: Db, accountId: string, id: string): Promise<Summary> {
  const row = await db.selectFrom('summaries').selectAll().where('account_id', '=', accountId).where('id', '=', id).executeTakeFirst();
  if (!row) throw notFound('summary');
  return summaries.decode(row);
}
