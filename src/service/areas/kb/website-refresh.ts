import { iso } from '../../../contract/instants.ts';
import { ApiError } from '../../errors.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { isAmong } from '../../store/is-among.ts';
import { newest } from '../../store/newest.ts';
import { sourceJob } from './queueing.ts';
import { changeSources, readyPages } from './records.ts';
import { type Refresh, refreshes, sources } from './table.ts';

/**
 * Begins to read all ready pages of a host again.
 * @returns their number; without any, nothing is begun
 * @throws ApiError 409 while they are being read again
 */
export async function beginWebsiteRefresh(db: Db, accountId: string, host: string, now: number): Promise<number> {
  const last = await findLastRefresh(db, accountId, host);
  if (last?.status === 'refreshing' || last?.status === 'deduplicating')
    throw new ApiError(409, `A refresh of ${host} is running: wait until it ends, or cancel it`);
  const pages = await readyPages(db, accountId, host);
  if (pages.length === 0) return 0;
  const refresh = await refreshes.create(db, accountId, { host, status: 'refreshing', total: pages.length, pending: pages.length }, now);
  const ids = pages.map(({ id }) => id);
  await changeSources(db, accountId, ids, { status: 'queued', is_refresh: true, refresh_id: refresh.id }, now);
  await enqueue(db, ...pages.map((page) => sourceJob('kb_refresh', page, now)));
  return pages.length;
}

/** Finds the last refresh of a host. */
export async function findLastRefresh(db: Db, accountId: string, host: string): Promise<Refresh | undefined> {
  const [last] = await newest(db, refreshes, { account_id: accountId, host }, undefined, 1);
  return last;
}

/** A refresh as its status shows it. */
export function refreshRecord(refresh: Refresh) {
  return {
    domainBatchId: refresh.id,
    host: refresh.host,
    total: refresh.total,
    pending: refresh.pending,
    succeeded: refresh.succeeded,
    failed: refresh.failed,
    skippedDuplicate: refresh.skipped_duplicate,
    status: refresh.status,
    startedAtIso: iso(refresh.created_at),
  };
}

/**
 * Cancels a refresh: pages that wait, or are being read, are ready as before. One that ended is left as it is.
 * @throws ApiError 404 for an unknown refresh
 */
export async function cancelWebsiteRefresh(db: Db, accountId: string, id: string, now: number) {
  const refresh = await refreshes.require(db, accountId, id);
  if (refresh.status === 'deduplicating') return { success: false, ...cancelledRecord(refresh), reason: 'already_finalizing' };
  if (refresh.status !== 'refreshing') return cancelledRecord(refresh);
  const rows = await db.selectFrom('kb_sources').selectAll().where('refresh_id', '=', id).where('account_id', '=', accountId).execute();
  const pages = rows.map(sources.decode);
  const begun = pages.filter(({ status }) => status === 'processing');
  const waiting = pages.filter(({ status }) => status === 'queued');
  const unfinished = [...begun, ...waiting].map((page) => page.id);
  await changeSources(db, accountId, unfinished, { status: 'ready', is_refresh: false, refresh_id: null }, now);
  if (unfinished.length > 0)
    await db
      .deleteFrom('jobs')
      .where('account_id', '=', accountId)
      .where('kind', '=', 'kb_refresh')
      .where(isAmong(db, 'key', JSON.stringify(unfinished)))
      .execute();
  const counts = { sources_reset: begun.length, sources_cancelled: waiting.length };
  return cancelledRecord(await refreshes.change(db, accountId, id, { status: 'cancelled', pending: 0, ...counts }, now));
}

function cancelledRecord({ status, sources_reset: reset, sources_cancelled: cancelled }: Refresh) {
  return { status, cancelled_units: reset + cancelled, sources_reset: reset, sources_cancelled: cancelled };
}
