import { pageKey } from '../../../contract/areas/kb/address.ts';
import type { importPages as importPagesEndpoint } from '../../../contract/areas/kb/endpoints.ts';
import type { Body } from '../../../contract/endpoint.ts';
import type { Account } from '../../identity/accounts.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { checkImport } from './checks.ts';
import { findLinkTarget, linkPresent } from './linking.ts';
import { newPage, queueSources, sourceJob } from './queueing.ts';
import { findPresent } from './records.ts';
import { openImportSession, useImportSession } from './sessions.ts';
import { sources } from './table.ts';

/**
 * Queues the import of pages. Pages that are already imported are linked to the target.
 * @throws ApiError 400 or 402 when the account may not import as many (see `checkImport`)
 */
export async function importPages(db: Db, account: Account, pages: readonly URL[], body: Body<typeof importPagesEndpoint>, now: number) {
  const target = await findLinkTarget(db, account.id, body);
  const wanted = new Map(pages.map((url) => [pageKey(url), url]));
  const present = await findPresent(db, account.id, [...wanted.keys()]);
  const added = [...wanted].filter(([key]) => !present.has(key)).map(([, url]) => newPage(url));
  const session = await useImportSession(db, account.id, body.importSession, added.length, now);
  // The first call of a split selection is checked for the whole selection, even when its own pages are already imported.
  const isSplit = !session && (body.plannedTotal ?? 0) > body.urls.length;
  const planned = isSplit ? (body.plannedTotal ?? 0) : added.length;
  const unchecked = session ? added.length - session.covered : planned;
  if (planned > 0) await checkImport(db, account, { tier: target.tier, pages: planned, unchecked });
  await linkPresent(db, account.id, target, [...present.values()], now);
  const ids = await queueSources(db, account.id, target, added, now);
  const approved = { approved: planned, used: body.urls.length };
  return {
    batch_id: newId('kbb'),
    queued: ids.length,
    skipped_duplicate: pages.length - ids.length,
    queued_source_ids: ids,
    ...(isSplit && { import_session: await openImportSession(db, account.id, approved, now) }),
  };
}

/**
 * Queues a source to be read again. A failed or canceled source is imported from scratch; a source in progress is left unchanged.
 * @throws ApiError 404 when there is no such source, 400 or 402 when the account may not import it (see `checkImport`)
 */
export async function refreshSource(db: Db, account: Account, sourceId: string, now: number) {
  const source = await sources.require(db, account.id, sourceId);
  const unchanged = { source_id: source.id, status: source.status };
  const isRefresh = source.status === 'ready';
  if (!isRefresh && source.status !== 'failed' && source.status !== 'cancelled') return unchanged;
  if (!isRefresh) {
    // The same page may have been imported as another source in the meantime.
    const isPresent = source.url_key !== null && (await findPresent(db, account.id, [source.url_key])).size > 0;
    if (isPresent) return unchanged;
    await checkImport(db, account, { tier: source.tier, pages: 1, unchecked: 1 });
  }
  const change = { status: 'queued', is_refresh: isRefresh, error_message: null } as const;
  const queued = await sources.change(db, account.id, source.id, change, now);
  await enqueue(db, sourceJob(queued, now));
  return { source_id: source.id, status: queued.status };
}
