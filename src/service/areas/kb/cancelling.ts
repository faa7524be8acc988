import type { Db } from '../../store/database.ts';
import { enqueue } from '../../jobs/queue.ts';
import { cancelSourceJobs, sourceJob } from './queueing.ts';
import { changeSources } from './records.ts';
import { type Source, sources, type SourceStatus } from './table.ts';

/**
 * Cancels the queued imports. A source that was queued to be read again becomes ready again. The refresh of a whole website is
 * canceled separately. Imports in progress are finished and charged.
 * @param host cancels only sources of this host
 */
export async function cancelImports(
  db: Db,
  accountId: string,
  host: string | undefined,
  now: number,
): Promise<{ cancelled: number; in_flight: number }> {
  const waiting = (await inState(db, accountId, 'queued', host)).filter((source) => source.refresh_id === null);
  const begun = await inState(db, accountId, 'processing', host);
  const idsOf = (isRefresh: boolean) => waiting.filter((source) => source.is_refresh === isRefresh).map(({ id }) => id);
  const ids = waiting.map(({ id }) => id);
  await changeSources(db, accountId, idsOf(false), { status: 'cancelled' }, now);
  await changeSources(db, accountId, idsOf(true), { status: 'ready', is_refresh: false }, now);
  await cancelSourceJobs(db, accountId, ids);
  return { cancelled: ids.length, in_flight: begun.length };
}

/**
 * Resumes the imports that were paused because the account's AI key failed. @param host resumes only sources of this host
 * @returns the number of resumed imports
 */
export async function resumeImports(db: Db, accountId: string, host: string | undefined, now: number): Promise<number> {
  const paused = await inState(db, accountId, 'paused', host);
  const ids = paused.map(({ id }) => id);
  await changeSources(db, accountId, ids, { status: 'queued', on_platform: true, error_message: null }, now);
  await enqueue(db, ...paused.map((source) => sourceJob(source, now)));
  return ids.length;
}

async function inState(db: Db, accountId: string, status: SourceStatus, host: string | undefined): Promise<Source[]> {
  const query = db.selectFrom('kb_sources').selectAll().where('account_id', '=', accountId).where('status', '=', status).orderBy('seq');
  return (await (host === undefined ? query : query.where('host', '=', host)).execute()).map(sources.decode);
}
