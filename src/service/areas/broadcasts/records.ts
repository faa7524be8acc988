import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Body } from '../../../contract/endpoint.ts';
import type { updateBroadcast } from '../../../contract/areas/broadcasts/endpoints.ts';
import { limits } from '../../../contract/limits.ts';
import { invalidField } from '../../errors.ts';
import type { Service } from '../../http/handler.ts';
import { hasValue } from '../../store/index-order.ts';
import { prepared } from '../../store/prepared.ts';
import type { StoredRow } from '../../store/table.ts';
import { type Broadcast, broadcasts } from './table.ts';

/** A broadcast as answers show it, without the contacts that it names if they are many. */
export function broadcastRecord(broadcast: Broadcast) {
  const { total, sent, delivered, read, replied, failed } = broadcast;
  const { contact_ids: ids, contact_count: count, list_ids: listIds, scheduled_at, status, ...shown } = broadcasts.show(broadcast);
  const { created_at, updated_at, ...described } = shown;
  const audience = { contact_ids: isLarge(count) ? null : [...ids], contact_count: count, list_ids: [...listIds] };
  const counts = { total, sent, delivered, read, replied, failed };
  return { ...described, ...audience, scheduled_at, status, counts, created_at, updated_at };
}

function isLarge(contactCount: number | null): boolean {
  return contactCount !== null && contactCount > limits.shownContactIds;
}

/** The number of broadcasts that are read in one step: each can have a thousand ids. */
const rowsOfStep = 20;

type StoredBroadcast = StoredRow<typeof broadcasts>;

/** The newest broadcasts of an account below a `seq`. The contacts of large ones are not read. */
const newestBroadcasts = prepared<{ account: string; before: number; limit: number }, StoredBroadcast>((db, $) => {
  const { contact_ids: _, repeated_ids: __, ...columns } = broadcasts.columns;
  return db
    .selectFrom('broadcasts')
    .select(Object.keys(columns) as (keyof typeof columns)[])
    .select(sql<string>`case when contact_count > ${sql.lit(limits.shownContactIds)} then '[]' else contact_ids end`.as('contact_ids'))
    .select(sql<string>`'[]'`.as('repeated_ids'))
    .where(hasValue(db, 'account_id', $.account))
    .where('seq', '<', $.before)
    .orderBy('account_id', 'desc')
    .orderBy('seq', 'desc')
    .limit($.limit);
});

/** Lists broadcasts by descending `seq`, below `before`. Works in steps, so that other requests are served in between. */
export async function listInSteps(
  { store, scheduler }: Service,
  accountId: string,
  before: number | undefined,
  limit: number,
): Promise<Broadcast[]> {
  const rows: Broadcast[] = [];
  for (;;) {
    const wanted = Math.min(rowsOfStep, limit - rows.length);
    const below = rows.at(-1)?.seq ?? before;
    const page = { account: accountId, before: below ?? Number.MAX_SAFE_INTEGER, limit: wanted };
    const some = await scheduler.run(() => store.read((db) => newestBroadcasts(db, page)));
    rows.push(...some.map((row) => broadcasts.decode(row)));
    if (some.length < rowsOfStep || rows.length === limit) return rows;
  }
}

/** The columns for the fields of a request. Repeated ids are stored once. */
export function readFields({ contact_ids: contactIds, list_ids: listIds, ...fields }: Body<typeof updateBroadcast>) {
  return {
    ...broadcasts.read(fields),
    ...(contactIds && namedContacts(contactIds)),
    ...(listIds && { list_ids: [...new Set(listIds)] }),
  };
}

/** More than the number of contacts that a broadcast can name. */
const placesMax = limits.listContacts + 1;

/**
 * Lists the contacts that a broadcast names.
 * @param after the `seq` of the last contact before them: its place, from 1, and above it a checksum of all contacts
 * @throws ApiError 400 when the contacts have changed since
 */
export function placesOf(ids: readonly string[], after: number | undefined, limit: number): { seq: number; id: string }[] {
  const list = createHash('sha256').update(ids.join('\n')).digest().readUInt32BE() * placesMax;
  const place = after === undefined ? 0 : after - list;
  if (place < 0 || place >= placesMax)
    throw invalidField('cursor', 'the contacts of the broadcast have changed; omit it for the first page');
  return ids.slice(place, place + limit).map((id, index) => ({ seq: list + place + index + 1, id }));
}

function namedContacts(given: readonly string[]) {
  const ids = new Set<string>();
  const repeated = new Set<string>();
  for (const id of given) (ids.has(id) ? repeated : ids).add(id);
  return { contact_ids: [...ids], contact_count: ids.size === 0 ? null : ids.size, repeated_ids: [...repeated] };
}
