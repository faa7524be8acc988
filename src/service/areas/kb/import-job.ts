import { type Account, findAccount } from '../../identity/accounts.ts';
import type { Finish, JobDefinition } from '../../jobs/job.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import type { Store } from '../../store/store.ts';
import { withJournal } from '../activity/journal.ts';
import { type Outcome, payFor, processSource, readColumns, type ReadingParts } from './processing.ts';
import { Unreadable } from './reading/document.ts';
import { sourceJob } from './queueing.ts';
import { createSourceFaqs } from './source-faqs.ts';
import { type Source, sources } from './table.ts';

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
      return outcome === undefined ? pauseImport(id, source.id) : endImport(id, source.id, parts.writer.provider, outcome);
    },
    giveUp: ({ accountId, payload }) =>
      endImport(accountId ?? '', payload.source, '', new Unreadable('The service failed to read it: import it again')),
  };
}

/** Whether a source is to be read: a source that was being read when its process died is read again. */
export function isWaiting({ status }: Pick<Source, 'status'>): boolean {
  return status === 'queued' || status === 'processing';
}

/** Whether the account's own AI key fails, and the source is not to be finished with credits of the platform. */
export function isWithoutKey({ ownAiKey }: Pick<Account, 'ownAiKey'>, { on_platform: onPlatform }: Source): boolean {
  return ownAiKey === 'failing' && !onPlatform;
}

/** Why a source is paused. */
export const keyFails = "The account's own AI key fails: mend it, or resume the import";

/** Marks a source as being read, unless it was cancelled or deleted, or the account's own AI key fails. @returns whether it may be read */
export async function beginReading(store: Store, { account_id: accountId, id }: Source): Promise<boolean> {
  return await store.write(
    async (db) => {
      const account = await findAccount(db, accountId);
      const source = await sources.find(db, accountId, id);
      if (!account || !source || !isWaiting(source) || isWithoutKey(account, source)) return false;
      // Without a change of the time of the record, because nothing was read yet.
      await sources.change(db, accountId, id, { status: 'processing' }, source.updated_at);
      return true;
    },
    // After a crash, the source is read again whether the mark was kept or not.
    { accounts: [accountId], isDurable: false },
  );
}

/** Pauses a source that may not be read because of the account's own AI key. When the key was mended meanwhile, it is queued again. */
function pauseImport(accountId: string, id: string): Finish {
  return async (db, now) => {
    const account = await findAccount(db, accountId);
    const source = await sources.find(db, accountId, id);
    if (!account || !source || !isWaiting(source)) return;
    if (!isWithoutKey(account, source)) return void (await enqueue(db, sourceJob('kb_import', source, now)));
    await sources.change(db, accountId, id, { status: 'paused', error_message: keyFails }, now);
  };
}

function endImport(accountId: string, id: string, provider: string, outcome: Outcome): Finish {
  return async (db, now) => {
    const account = await findAccount(db, accountId);
    const source = await sources.find(db, accountId, id);
    // Deleted meanwhile.
    if (!account || !source || !isWaiting(source)) return;
    await withJournal(db, account, now, async (journal) => {
      if (outcome instanceof Unreadable) return await failImport(db, source, outcome.message, now);
      if (outcome === 'unchanged') return;
      const refusal = await payFor(db, journal, source, provider, outcome);
      if (refusal) return await failImport(db, source, refusal.message, now);
      const read = await sources.change(db, accountId, id, { ...readColumns(outcome), status: 'ready', on_platform: false }, now);
      await createSourceFaqs(db, read, outcome.drafts.result, now);
    });
  };
}

async function failImport(db: Db, { account_id: accountId, id }: Source, message: string, now: number): Promise<void> {
  await sources.change(db, accountId, id, { status: 'failed', error_message: message }, now);
}
