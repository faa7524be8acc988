import { iso } from '../../../contract/time/instants.ts';
import { ApiError } from '../../errors.ts';
import type { Finish } from '../../jobs/job.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Parts } from '../../parts.ts';
import type { Db } from '../../store/database.ts';
import { findNewest } from '../../store/newest.ts';
import { mergeEqual, withMerged } from '../faqs/dedupe.ts';
import { cancelSourceJobs, sourceJob } from './queueing.ts';
import { changeSources, readyPages } from './records.ts';
import { type Refresh, refreshes, sources } from './table.ts';

/**
 * Starts a refresh of all ready pages of a host.
 * @returns the number of pages; if it is 0, no refresh is started
 * @throws ApiError 409 while a refresh of the host is running
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
  await enqueue(db, ...pages.map((page) => sourceJob({ ...page, is_refresh: true }, now)));
  return pages.length;
}

/** Finds the latest refresh of a host. */
export async function findLastRefresh(db: Db, accountId: string, host: string): Promise<Refresh | undefined> {
  return await findNewest(db, refreshes, { account_id: accountId, host });
}

/** The result of a page in a website refresh. */
export type PageResult = 'succeeded' | 'failed' | 'skipped_duplicate';

/** Counts finished pages of a refresh. After the last one, equal FAQs of the website are merged. */
export async function countPages(
  db: Db,
  accountId: string,
  refreshId: string,
  result: PageResult,
  count: number,
  now: number,
): Promise<void> {
  const refresh = await refreshes.find(db, accountId, refreshId);
  if (refresh?.status !== 'refreshing') return;
  const pending = refresh.pending - count;
  const counts = { pending, [result]: refresh[result] + count };
  const isLast = pending === 0;
  await refreshes.change(db, accountId, refreshId, { ...counts, ...(isLast && { status: 'deduplicating' }) }, now);
  if (isLast) await enqueue(db, { kind: 'kb_refresh', accountId, payload: { refresh: refreshId }, dueAt: now });
}

/**
 * Merges the FAQs of a website that are equal, after a refresh. @returns the step that ends the refresh; undefined when it has already
 * ended
 */
export async function mergeDuplicates(parts: Parts, accountId: string, refreshId: string): Promise<Finish | undefined> {
  const refresh = await parts.store.read((db) => refreshes.find(db, accountId, refreshId));
  if (refresh?.status !== 'deduplicating') return undefined;
  const pages = await parts.store.read((db) => readyPages(db, accountId, refresh.host));
  const ids = pages.map(({ id }) => id);
  await mergeEqual(parts, accountId, ids, async (db, merged) => {
    const { merged: before, updated_at: updatedAt } = await refreshes.require(db, accountId, refreshId);
    await refreshes.change(db, accountId, refreshId, { merged: withMerged(before, merged) }, updatedAt);
  });
  // A refresh fails if no page could be read.
  return endWebsite(accountId, refreshId, refresh.failed === refresh.total ? 'failed' : 'completed');
}

/** Ends the refresh of a website whose pages have all been read. */
export function endWebsite(accountId: string, refreshId: string, status: 'completed' | 'failed'): Finish {
  return async (db, now) => {
    const refresh = await refreshes.find(db, accountId, refreshId);
    if (refresh?.status === 'deduplicating') await refreshes.change(db, accountId, refreshId, { status }, now);
  };
}

/** A refresh as the status endpoint shows it. */
export function refreshRecord(refresh: Refresh) {
  return {
    domainBatchId: refresh.id,
    host: refresh.host,
    total: refresh.total,
    pending: refresh.pending,
    succeeded: refresh.succeeded,
    failed: refresh.failed,
    skippedDuplicate: refresh.skipped_duplicate,
    merged: refresh.merged,
    status: refresh.status,
    startedAtIso: iso(refresh.created_at),
  };
}

/**
 * Cancels a refresh. Its queued and unfinished pages become ready again, and still count as pending. A refresh that has ended is
 * not changed.
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
  await cancelSourceJobs(db, accountId, unfinished);
  const counts = { sources_reset: begun.length, sources_cancelled: waiting.length };
  return cancelledRecord(await refreshes.change(db, accountId, id, { status: 'cancelled', ...counts }, now));
}

function cancelledRecord({ status, sources_reset: reset, sources_cancelled: cancelled }: Refresh) {
  return { status, cancelled_units: reset + cancelled, sources_reset: reset, sources_cancelled: cancelled };
}
