import { readNow } from '../../clock/state.ts';
import type { JobDefinition } from '../../jobs/job.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { alsoHas, isAmong } from '../../store/is-among.ts';
import { cancelSourceJobs } from './queueing.ts';
import { changeSources } from './records.ts';
import { deleteSourceFaqs } from './source-faqs.ts';
import { type Source, sources } from './table.ts';
import { countPages } from './website-refresh.ts';

/** The number of FAQs that are deleted in one transaction. */
const deletedAtOnce = 200;

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    kb_delete: { readonly sources: readonly string[] };
  }
}

/** Starts the deletion of sources and their FAQs. Ignores unknown ids. @returns the number of sources */
export async function beginDeletion(db: Db, accountId: string, ids: readonly string[], now: number): Promise<number> {
  const rows = await db
    .selectFrom('kb_sources')
    .selectAll()
    .where(isAmong(db, 'id', JSON.stringify(ids)))
    .where(alsoHas(db, 'account_id', accountId))
    .where('status', '<>', 'deleting')
    .execute();
  const known = rows.map(sources.decode);
  await leaveJobs(db, accountId, known, now);
  const found = known.map(({ id }) => id);
  await changeSources(db, accountId, found, { status: 'deleting', refresh_id: null }, now);
  if (found.length > 0) await enqueue(db, { kind: 'kb_delete', accountId, payload: { sources: found }, dueAt: now });
  return found.length;
}

/** Removes sources from the queue and from the refreshes of their websites. */
export async function leaveJobs(db: Db, accountId: string, leaving: readonly Source[], now: number): Promise<void> {
  await cancelSourceJobs(
    db,
    accountId,
    leaving.map(({ id }) => id),
  );
  for (const [refreshId, pages] of Map.groupBy(leaving, (source) => source.refresh_id))
    if (refreshId !== null) await countPages(db, accountId, refreshId, 'failed', pages.length, now);
}

/**
 * Defines the jobs that delete sources. They work in steps, so that other requests are served in between. A repeated job
 * continues where it stopped.
 */
export const kbDelete: JobDefinition<'kb_delete'> = {
  run: async ({ accountId, payload }, { store, scheduler, realNow }) => {
    const account = accountId ?? '';
    for (const id of payload.sources) {
      const step = () => store.write((db) => deletePart(db, account, id, realNow), { accounts: [account] });
      while (!(await scheduler.run(step)));
    }
    return undefined;
  },
};

/** Deletes some FAQs of a source, and the source after the last of them. @returns whether the source is gone */
async function deletePart(db: Db, accountId: string, id: string, realNow: () => number): Promise<boolean> {
  const source = await sources.find(db, accountId, id);
  if (source?.status !== 'deleting') return true;
  const { isDone } = await deleteSourceFaqs(db, accountId, id, deletedAtOnce, await readNow(db, realNow()));
  if (isDone) await sources.delete(db, accountId, id);
  return isDone;
}
