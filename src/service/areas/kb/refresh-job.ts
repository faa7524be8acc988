import { findAccount } from '../../identity/accounts.ts';
import type { Finish, JobDefinition } from '../../jobs/job.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { withJournal } from '../activity/journal.ts';
import { type DedupeParts, mergeSources } from '../faqs/dedupe.ts';
import { pageKey } from './crawling/address.ts';
import { beginReading, isWaiting, isWithoutKey, keyFails } from './import-job.ts';
import { type Outcome, payFor, processSource, readColumns, type ReadingParts } from './processing.ts';
import { Unreadable } from './reading/document.ts';
import { sourceJob } from './queueing.ts';
import { findPresent, readyPages } from './records.ts';
import { replaceSourceFaqs } from './source-faqs.ts';
import { refreshes, type Source, sources } from './table.ts';

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    /** A source that is read again, or a refresh of a website whose pages have all been read. */
    kb_refresh: { readonly source: string } | { readonly refresh: string };
  }
}

/** Defines the jobs that read sources again, and merge the duplicates of a website after its last page. */
export function kbRefresh(parts: ReadingParts & DedupeParts): JobDefinition<'kb_refresh'> {
  return {
    run: async ({ accountId, payload }) => {
      const id = accountId ?? '';
      if ('refresh' in payload) return await mergeDuplicates(parts, id, payload.refresh);
      const source = await parts.store.read((db) => sources.find(db, id, payload.source));
      if (!source || !isWaiting(source)) return undefined;
      const outcome = await processSource(parts, source, () => beginReading(parts.store, source));
      return outcome === undefined ? leaveAlone(id, source.id) : endRefresh(id, source, parts.writer.provider, outcome);
    },
    giveUp: ({ accountId, payload }) => {
      const id = accountId ?? '';
      if ('refresh' in payload) return endWebsite(id, payload.refresh, 'failed');
      return async (db, now) => {
        const source = await sources.find(db, id, payload.source);
        if (source) await endRefresh(id, source, '', new Unreadable('The service failed to read it again'))(db, now);
      };
    },
  };
}

/** What became of a page of a website that is refreshed. */
type Result = 'succeeded' | 'failed' | 'skipped_duplicate';

function endRefresh(accountId: string, { id }: Source, provider: string, outcome: Outcome): Finish {
  return async (db, now) => {
    const account = await findAccount(db, accountId);
    const source = await sources.find(db, accountId, id);
    // Deleted, or its refresh was cancelled.
    if (!account || !source || !isWaiting(source)) return;
    await withJournal(db, account, now, async (journal) => {
      const ready = { status: 'ready', is_refresh: false, refresh_id: null, on_platform: false } as const;
      const end = async (result: Result, change: Partial<Source>) => {
        await sources.change(db, accountId, id, { ...ready, ...change }, now);
        if (source.refresh_id !== null) await countPage(db, accountId, source.refresh_id, result, now);
      };
      // What cannot be read again, or paid, keeps its FAQs.
      if (outcome instanceof Unreadable) return await end('failed', { error_message: `It could not be read again: ${outcome.message}` });
      if (outcome === 'unchanged') return await end('succeeded', { refreshed_at: now, error_message: null });
      if (source.refresh_id !== null && (await leadsElsewhere(db, source, outcome.url))) {
        return await end('skipped_duplicate', { error_message: `It leads to ${outcome.url?.href ?? ''}, which is a source of its own` });
      }
      const refusal = await payFor(db, journal, source, provider, outcome);
      if (refusal) return await end('failed', { error_message: `The page has changed and keeps its old FAQs. ${refusal.message}` });
      const columns = readColumns(outcome);
      await replaceSourceFaqs(db, { ...source, ...columns }, outcome.drafts.result, now);
      await end('succeeded', { ...columns, refreshed_at: now });
    });
  };
}

/**
 * Ends the job of a source that may not be read because of the account's own AI key: it is paused. A page of a website that
 * is refreshed keeps its FAQs instead, so that the refresh ends. Those that were cancelled or deleted have left the refresh.
 */
function leaveAlone(accountId: string, id: string): Finish {
  return async (db, now) => {
    const account = await findAccount(db, accountId);
    const source = await sources.find(db, accountId, id);
    if (!account || !source || !isWaiting(source)) return;
    if (!isWithoutKey(account, source)) return void (await enqueue(db, sourceJob('kb_refresh', source, now)));
    if (source.refresh_id === null)
      return void (await sources.change(db, accountId, id, { status: 'paused', error_message: keyFails }, now));
    const kept = { status: 'ready', is_refresh: false, refresh_id: null, error_message: keyFails } as const;
    await sources.change(db, accountId, id, kept, now);
    await countPage(db, accountId, source.refresh_id, 'failed', now);
  };
}

async function leadsElsewhere(db: Db, source: Source, url: URL | null): Promise<boolean> {
  if (!url || pageKey(url) === source.url_key) return false;
  return (await findPresent(db, source.account_id, [pageKey(url)])).size > 0;
}

/** Counts a page of a refresh. After the last, the duplicates of the website are merged. */
export async function countPage(db: Db, accountId: string, refreshId: string, result: Result, now: number): Promise<void> {
  const refresh = await refreshes.find(db, accountId, refreshId);
  if (refresh?.status !== 'refreshing') return;
  const pending = refresh.pending - 1;
  const counts = { pending, [result]: refresh[result] + 1 };
  const isLast = pending === 0;
  await refreshes.change(db, accountId, refreshId, { ...counts, ...(isLast && { status: 'deduplicating' }) }, now);
  if (isLast) await enqueue(db, { kind: 'kb_refresh', accountId, payload: { refresh: refreshId }, dueAt: now });
}

async function mergeDuplicates(parts: DedupeParts, accountId: string, refreshId: string): Promise<Finish | undefined> {
  const refresh = await parts.store.read((db) => refreshes.find(db, accountId, refreshId));
  if (refresh?.status !== 'deduplicating') return undefined;
  const pages = await parts.store.read((db) => readyPages(db, accountId, refresh.host));
  await mergeSources(
    parts,
    accountId,
    pages.map(({ id }) => id),
  );
  // A refresh of which no page could be read did nothing.
  return endWebsite(accountId, refreshId, refresh.failed === refresh.total ? 'failed' : 'completed');
}

function endWebsite(accountId: string, refreshId: string, status: 'completed' | 'failed'): Finish {
  return async (db, now) => {
    const refresh = await refreshes.find(db, accountId, refreshId);
    if (refresh?.status === 'deduplicating') await refreshes.change(db, accountId, refreshId, { status }, now);
  };
}
