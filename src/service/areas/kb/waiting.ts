import { type Account, findAccount } from '../../identity/accounts.ts';
import type { Finish } from '../../jobs/job.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { prepared } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import { sourceJob } from './queueing.ts';
import { type Source, sources } from './table.ts';
import { countPages } from './website-refresh.ts';

/** Whether a source is to be read: a source that was being read when its process died is read again. */
export function isWaiting({ status }: Pick<Source, 'status'>): boolean {
  return status === 'queued' || status === 'processing';
}

/** Whether the account's own AI key fails, and the source is not to be finished with credits of the platform. */
function isWithoutKey({ ownAiKey }: Pick<Account, 'ownAiKey'>, { on_platform: onPlatform }: Source): boolean {
  return ownAiKey === 'failing' && !onPlatform;
}

/** Why a source is paused. */
const keyFails = "The account's own AI key fails: replace it, or resume the import";

/** Runs work on a source that is to be read. Nothing is done when it was cancelled or deleted, or its account was. */
export async function whileWaiting<Result>(
  db: Db,
  accountId: string,
  id: string,
  work: (account: Account, source: Source) => Promise<Result>,
): Promise<Result | undefined> {
  const [account, source] = await Promise.all([findAccount(db, accountId), sources.find(db, accountId, id)]);
  return account && source && isWaiting(source) ? await work(account, source) : undefined;
}

/**
 * Marks a source as being read, unless it was cancelled or deleted, or the account's own AI key fails. The mark is one
 * statement on one row, so it does without the lock of the account: it would wait for all pages of the account that end.
 * @returns whether it may be read
 */
export async function beginReading(store: Store, { account_id: account, id }: Source): Promise<boolean> {
  // After a crash, the source is read again whether the mark was kept or not.
  const marked = await store.write((db) => markBegun(db, { account, id }), { isDurable: false });
  return marked.length > 0;
}

/** Without a change of the time of the record, because nothing was read yet. */
const markBegun = prepared<{ account: string; id: string }, Pick<Source, 'id'>>((db, $) =>
  db
    .updateTable('kb_sources')
    .set({ status: 'processing' })
    .where('account_id', '=', $.account)
    .where('id', '=', $.id)
    .where('status', 'in', ['queued', 'processing'])
    .where((eb) =>
      eb.or([
        eb('on_platform', '=', 1),
        eb.exists(db.selectFrom('accounts').select('id').where('id', '=', $.account).where('own_ai_key', '<>', 'failing')),
      ]),
    )
    .returning('id'),
);

/**
 * Ends the job of a source that may not be read because of the account's own AI key: it is paused. When the key was mended
 * meanwhile, it is queued again. A page of a website that is refreshed keeps its FAQs instead, so that the refresh ends.
 */
export function leaveAlone({ account_id: accountId, id }: Source): Finish {
  return async (db, now) => {
    await whileWaiting(db, accountId, id, async (account, source) => {
      if (!isWithoutKey(account, source)) return void (await enqueue(db, sourceJob(source, now)));
      if (source.refresh_id === null)
        return void (await sources.change(db, accountId, id, { status: 'paused', error_message: keyFails }, now));
      const kept = { status: 'ready', is_refresh: false, refresh_id: null, error_message: keyFails } as const;
      await sources.change(db, accountId, id, kept, now);
      await countPages(db, accountId, source.refresh_id, 'failed', 1, now);
    });
  };
}
