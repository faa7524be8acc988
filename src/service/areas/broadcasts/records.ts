import type { Body } from '../../../contract/endpoint.ts';
import type { updateBroadcast } from '../../../contract/areas/broadcasts/endpoints.ts';
import type { Service } from '../../http/handler.ts';
import { type Broadcast, broadcasts } from './table.ts';

/** A broadcast as answers show it. */
export function broadcastRecord(broadcast: Broadcast) {
  const { total, sent, delivered, read, replied, failed } = broadcast;
  const { contact_ids: contactIds, list_ids: listIds, scheduled_at, status, created_at, updated_at, ...shown } = broadcasts.show(broadcast);
  const audience = { contact_ids: [...contactIds], list_ids: [...listIds] };
  const counts = { total, sent, delivered, read, replied, failed };
  return { ...shown, ...audience, scheduled_at, status, counts, created_at, updated_at };
}

/** The number of broadcasts that are read in one step: each can have 10,000 ids. */
const rowsOfStep = 5;

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
    const some = await scheduler.run(() => store.read((db) => broadcasts.list(db, accountId, below, wanted)));
    rows.push(...some);
    if (some.length < rowsOfStep || rows.length === limit) return rows;
  }
}

/** The columns for the fields of a request. Repeated ids are stored once. */
export function readFields({ contact_ids: contactIds, list_ids: listIds, ...fields }: Body<typeof updateBroadcast>) {
  return {
    ...broadcasts.read(fields),
    ...(contactIds && { contact_ids: [...new Set(contactIds)] }),
    ...(listIds && { list_ids: [...new Set(listIds)] }),
  };
}
