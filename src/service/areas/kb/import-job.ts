import type { Finish, JobDefinition } from '../../jobs/job.ts';
import type { Db } from '../../store/database.ts';
import { withJournal } from '../activity/journal.ts';
import { type Outcome, payFor, processSource, readColumns, type ReadingParts } from './processing.ts';
import { Unreadable } from './reading/document.ts';
import { createSourceFaqs } from './source-faqs.ts';
import { type Source, sources } from './table.ts';
import { beginReading, isWaiting, leaveAlone, whileWaiting } from './waiting.ts';

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    kb_import: { readonly source: string };
  }
}

/** Defines the jobs that import sources: each reads one page or document, and ends with its FAQs and their charge. */
export function kbImport(parts: ReadingParts): JobDefinition<'kb_import'> {
  return {
    run: async ({ accountId, payload }) => {
      const id = accountId ?? '';
      const source = await parts.store.read((db) => sources.find(db, id, payload.source));
      if (!source || !isWaiting(source)) return undefined;
      const outcome = await processSource(parts, source, () => beginReading(parts.store, source));
      return outcome === undefined ? leaveAlone(source) : endImport(id, source.id, parts.writer.provider, outcome);
    },
    giveUp: ({ accountId, payload }) =>
      endImport(accountId ?? '', payload.source, '', new Unreadable('The service failed to read it: import it again')),
  };
}

function endImport(accountId: string, id: string, provider: string, outcome: Outcome): Finish {
  return async (db, now) => {
    await whileWaiting(db, accountId, id, async (account, source) => {
      await withJournal(db, account, now, async (journal) => {
        if (outcome instanceof Unreadable) return await failImport(db, source, outcome.message, now);
        if (outcome === 'unchanged') return;
        const refusal = await payFor(db, journal, source, provider, outcome);
        if (refusal) return await failImport(db, source, refusal.message, now);
        const read = await sources.change(db, accountId, id, { ...readColumns(outcome), status: 'ready', on_platform: false }, now);
        await createSourceFaqs(db, read, outcome.drafts.result, now);
      });
    });
  };
}

async function failImport(db: Db, { account_id: accountId, id }: Source, message: string, now: number): Promise<void> {
  await sources.change(db, accountId, id, { status: 'failed', error_message: message }, now);
}
