import type { ErrorCode } from '../../../contract/areas/errors/codes.ts';
import { ApiError } from '../../errors.ts';
import type { Finish, JobDefinition } from '../../jobs/job.ts';
import type { Db } from '../../store/database.ts';
import { type Journal, withJournal } from '../activity/journal.ts';
import { recordCall } from '../answers/calls.ts';
import { pageKey } from '../../../contract/areas/kb/address.ts';
import { tellImportFailed } from '../notices/import-failed.ts';
import { chargeFor, importedColumns, processSource, type SourceOutcome } from './processing.ts';
import { Unreadable } from './reading/document.ts';
import { findAttachedAgents, findPresent } from './records.ts';
import { replaceSourceFaqs } from './source-faqs.ts';
import { saveTexts } from './source-texts.ts';
import { type Source, sources } from './table.ts';
import { beginReading, isWaiting, leaveAlone, whileWaiting } from './waiting.ts';
import { countPages, endWebsite, mergeDuplicates, type PageResult } from './website-refresh.ts';

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    /** Either a source to read again, or a website refresh whose pages have all been read. */
    kb_refresh: { readonly source: string } | { readonly refresh: string };
  }
}

/** Defines the jobs that read sources again, and merge the duplicates of a website after its last page. */
export const kbRefresh: JobDefinition<'kb_refresh'> = {
  run: async ({ accountId, payload }, parts) => {
    const id = accountId ?? '';
    if ('refresh' in payload) return await mergeDuplicates(parts, id, payload.refresh);
    const source = await parts.store.read((db) => sources.find(db, id, payload.source));
    if (!source || !isWaiting(source)) return undefined;
    const outcome = await processSource(parts, source, () => beginReading(parts.store, source));
    return outcome === undefined ? leaveAlone(source) : endRefresh(id, source.id, parts.writer.provider, outcome);
  },
  giveUp: ({ accountId, payload }) => {
    const id = accountId ?? '';
    if ('refresh' in payload) return endWebsite(id, payload.refresh, 'failed');
    return endRefresh(id, payload.source, '', new Unreadable('The service failed to read it again'));
  },
};

function endRefresh(accountId: string, id: string, provider: string, outcome: SourceOutcome): Finish {
  return async (db, now) => {
    await whileWaiting(db, accountId, id, (account, source) =>
      withJournal(db, account, now, (journal) => writeRefresh(db, journal, source, provider, outcome)),
    );
  };
}

/** Charges for a source that was read again, and replaces its FAQs. A source that cannot be read, or paid for, keeps its FAQs. */
async function writeRefresh(db: Db, journal: Journal, source: Source, provider: string, outcome: SourceOutcome): Promise<void> {
  const { account, now } = journal;
  const end = async (result: PageResult, change: Partial<Source>) => {
    const ready = { status: 'ready', is_refresh: false, refresh_id: null, on_platform: false } as const;
    await sources.change(db, account.id, source.id, { ...ready, ...change }, now);
    if (source.refresh_id !== null) await countPages(db, account.id, source.refresh_id, result, 1, now);
  };
  const fail = async (code: ErrorCode, message: string) => {
    tellImportFailed(journal, source.id, code);
    await end('failed', { error_message: message });
  };
  if (outcome instanceof Unreadable) return await fail(outcome.code, `It could not be read again: ${outcome.message}`);
  if ('isUnchanged' in outcome) {
    if (outcome.text) await saveTexts(db, [{ source, text: outcome.text }]);
    return await end('succeeded', { refreshed_at: now, error_message: null });
  }
  if (source.refresh_id !== null && (await leadsElsewhere(db, source, outcome.url)))
    return await end('skipped_duplicate', { error_message: `It leads to ${outcome.url?.href ?? ''}, which is a source of its own` });
  const agents = await findAttachedAgents(db, [source.id]);
  const paid = await chargeFor(journal, source, agents.get(source.id) ?? null, provider, outcome);
  if (paid instanceof ApiError)
    return await fail('insufficient_credits', `The page has changed, but its old FAQs are kept. ${paid.message}`);
  await recordCall(db, account, paid, now);
  const columns = importedColumns(outcome);
  await replaceSourceFaqs(db, { ...source, ...columns }, outcome.drafts.result, now);
  await saveTexts(db, [{ source, text: outcome.text }]);
  await end('succeeded', { ...columns, refreshed_at: now });
}

async function leadsElsewhere(db: Db, source: Source, url: URL | null): Promise<boolean> {
  if (!url || pageKey(url) === source.url_key) return false;
  return (await findPresent(db, source.account_id, [pageKey(url)])).size > 0;
}
