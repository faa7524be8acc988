import type { Query } from '../../../contract/endpoint.ts';
import type { listErrors as listErrorsEndpoint } from '../../../contract/areas/errors/endpoints.ts';
import { textOfCode } from '../../../contract/areas/errors/codes.ts';
import { iso } from '../../../contract/time/instants.ts';
import { notFound } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { hasValue } from '../../store/index-order.ts';
import { newestFirst, type PageOf } from '../../store/newest-first.ts';
import { agents } from '../agents/table.ts';
import { broadcasts } from '../broadcasts/table.ts';
import { chatExports } from '../exports/table.ts';
import { sources } from '../kb/table.ts';
import { customFunctions } from '../functions/table.ts';
import { findMessage } from '../messages/records.ts';
import { repeatTime } from '../notices/log-failures.ts';
import { type ErrorRecord, errorRecords } from '../notices/table.ts';
import { schedules } from '../schedules/table.ts';
import { toolServers } from '../tool-servers/table.ts';
import { positionsIn, shownEntityId } from '../webhooks/entities.ts';
import { positionsOf } from '../webhooks/subscriptions.ts';

/** Error records as answers show them. */
export async function errorRecordsShown(db: Db, accountId: string, rows: readonly ErrorRecord[]) {
  const positions = await positionsIn(db, accountId, rows);
  return rows.map((row) => ({
    id: row.id,
    source: row.source,
    code: row.code,
    text: textOfCode[row.code],
    entity: { type: row.entity_type, id: shownEntityId(row, positions) },
    contact_id: row.contact_id,
    count: row.count,
    first_at: iso(row.first_at),
    last_at: iso(row.last_at),
  }));
}

/** The filters of a list, with the stored id of a record. */
interface Filters extends Pick<Query<typeof listErrorsEndpoint>, 'source' | 'code' | 'contact_id'> {
  readonly entity: string | undefined;
  readonly first: number | undefined;
  readonly last: number | undefined;
}

/** Lists error records, the newest first. */
export async function listErrorRecords(db: Db, accountId: string, filters: Filters, page: PageOf): Promise<ErrorRecord[]> {
  const { source, code, contact_id: contact, first, last } = filters;
  let query = newestFirst(db, 'error_records', { account_id: accountId, ...leadingValues(filters) }, page);
  if (source !== undefined) query = query.where('source', '=', source);
  if (code !== undefined) query = query.where('code', '=', code);
  if (contact !== undefined) query = query.where('contact_id', '=', contact);
  // The records of an account are numbered by `first_at`, so that its index tells between which ones the wanted ones are.
  if (first !== undefined)
    query = query.where('last_at', '>=', first).where('seq', '>=', outermost(db, accountId, '>=', first - repeatTime, 'asc'));
  if (last !== undefined) query = query.where('last_at', '<=', last).where('seq', '<=', outermost(db, accountId, '<=', last, 'desc'));
  return (await query.execute()).map((row) => errorRecords.decode(row));
}

/** The values of an index with the wanted records. An entity or a contact has few, among which the other filters search. */
function leadingValues({ entity, contact_id: contact, source, code }: Filters): Record<string, string | undefined> {
  if (entity !== undefined) return { entity_id: entity };
  return contact === undefined ? { source, code } : { contact_id: contact };
}

/** The `seq` of the first or the last record whose `first_at` is on one side of an instant. */
function outermost(db: Db, accountId: string, side: '>=' | '<=', instant: number, order: 'asc' | 'desc') {
  return db
    .selectFrom('error_records')
    .select('seq')
    .where(hasValue(db, 'account_id', accountId))
    .where('first_at', side, instant)
    .orderBy('account_id', order)
    .orderBy('first_at', order)
    .orderBy('seq', order)
    .limit(1);
}

/** The records that errors are about, beside messages and subscriptions. */
const named = [broadcasts, sources, agents, customFunctions, toolServers, schedules, chatExports];

/**
 * Finds the record that a filter names. One that is gone is found while error records are about it.
 * @returns its id as it is stored
 * @throws ApiError 404 when the account has no such record
 */
export async function requireEntity(db: Db, accountId: string, id: string): Promise<string> {
  if (/^\d+$/.test(id)) {
    const stored = [...(await positionsOf(db, [accountId]))].find(([, position]) => position === id)?.[0];
    if (stored === undefined) throw notFound('webhook');
    return stored;
  }
  if ((await findMessage(db, accountId, id)) ?? (await isKnown(db, accountId, id))) return id;
  for (const table of named) if (await table.find(db, accountId, id)) return id;
  throw notFound('record');
}

/** Whether error records are about a record, other than a subscription, whose stored id is not shown. */
async function isKnown(db: Db, accountId: string, id: string): Promise<object | undefined> {
  return await db
    .selectFrom('error_records')
    .select('id')
    .where('account_id', '=', accountId)
    .where('entity_id', '=', id)
    .where('entity_type', '!=', 'webhook')
    .limit(1)
    .executeTakeFirst();
}
