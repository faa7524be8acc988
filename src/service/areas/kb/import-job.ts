import { findAccount } from '../../identity/accounts.ts';
import { type JobDefinition, sharedFinish } from '../../jobs/job.ts';
import type { Db } from '../../store/database.ts';
import { type Journal, readForJournals, withJournals } from '../activity/journal.ts';
import { type Call, recordCalls } from '../answers/calls.ts';
import { tellImportFailed } from '../notices/import-failed.ts';
import { chargeFor, importedColumns, processSource, type SourceOutcome } from './processing.ts';
import { Unreadable } from './reading/document.ts';
import { findAttachedAgents, saveImported } from './records.ts';
import { createSourceFaqs, type DraftedSource } from './source-faqs.ts';
import { saveTexts, type SourceText } from './source-texts.ts';
import { type Source, sources } from './table.ts';
import { beginReading, isWaiting, leaveAlone } from './waiting.ts';

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    kb_import: { readonly source: string };
  }
}

/** Defines the jobs that import sources. Each job reads one page or document, then stores its FAQs and charges for it. */
export const kbImport: JobDefinition<'kb_import'> = {
  // When the machine stops, the last sources are read again, and charged for once: the job and what it did are one transaction.
  isDurable: false,
  run: async ({ accountId, payload }, parts) => {
    const id = accountId ?? '';
    const source = await parts.store.read((db) => sources.find(db, id, payload.source));
    if (!source || !isWaiting(source)) return undefined;
    const outcome = await processSource(parts, source, () => beginReading(parts.store, source));
    if (outcome === undefined) return leaveAlone(source);
    return sharedFinish(endImports, { accountId: id, id: source.id, provider: parts.writer.provider, outcome });
  },
  giveUp: ({ accountId, payload }) => {
    const outcome = new Unreadable('The service failed to read it: import it again');
    return (db, now) => endImportsOf(db, accountId ?? '', [{ accountId: accountId ?? '', id: payload.source, provider: '', outcome }], now);
  },
};

/** The result of a source's import. */
interface Ended {
  readonly accountId: string;
  readonly id: string;
  readonly provider: string;
  readonly outcome: SourceOutcome;
}

/** Ends imports. The imports of an account are charged and written in one batch, so that many pages need few statements. */
async function endImports(db: Db, ended: readonly Ended[], now: number): Promise<void> {
  for (const [accountId, those] of Map.groupBy(ended, (each) => each.accountId)) await endImportsOf(db, accountId, those, now);
}

async function endImportsOf(db: Db, accountId: string, ended: readonly Ended[], now: number): Promise<void> {
  const ids = ended.map(({ id }) => id);
  const [account, found, agents, known] = await Promise.all([
    findAccount(db, accountId),
    sources.findMany(db, accountId, ids),
    findAttachedAgents(db, ids),
    readForJournals(db, [accountId]),
  ]);
  if (!account) return;
  // Sources that were canceled or deleted in the meantime are left unchanged.
  const waiting = new Map([...found.values()].filter(isWaiting).map((source) => [source.id, source]));
  const work = async ([journal]: readonly Journal[]) => {
    const changed: Source[] = [];
    const drafted: DraftedSource[] = [];
    const read: { source: Source; text: SourceText }[] = [];
    const calls: Call[] = [];
    for (const { id, provider, outcome } of ended) {
      const source = waiting.get(id);
      if (!source || 'isUnchanged' in outcome) continue;
      const paid =
        outcome instanceof Unreadable ? outcome : await chargeFor(journal as Journal, source, agents.get(id) ?? null, provider, outcome);
      if (outcome instanceof Unreadable || paid instanceof Error) {
        tellImportFailed(journal as Journal, id, outcome instanceof Unreadable ? outcome.code : 'insufficient_credits');
        changed.push({ ...source, status: 'failed', error_message: (paid as Error).message, updated_at: now });
        continue;
      }
      const ready = { ...source, ...importedColumns(outcome), status: 'ready', on_platform: false, updated_at: now } as const;
      changed.push(ready);
      read.push({ source: ready, text: outcome.text });
      drafted.push({ source: ready, drafts: outcome.drafts.result });
      calls.push(paid);
    }
    await saveImported(db, changed);
    await saveTexts(db, read);
    await createSourceFaqs(db, accountId, drafted, now);
    await recordCalls(db, account, calls, now);
  };
  await withJournals(db, [account], now, work, known);
}
