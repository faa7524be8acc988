import { type Account, findAccount } from '../../identity/accounts.ts';
import type { Finish } from '../../jobs/job.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { prepared } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import { sourceJob } from './queueing.ts';
import { type Source, sources } from './table.ts';
import { countPages } from './website-refresh.ts';

/** Whether a source still has to be read. That includes a source in progress, because its process may have died. */
export function isWaiting({ status }: Pick<Source, 'status'>): boolean {
  return status === 'queued' || status === 'processing';
}

/** Whether a source cannot be read because the account's own AI key fails and the import may not use the platform's credits. */
function isWithoutKey({ ownAiKey }: Pick<Account, 'ownAiKey'>, { on_platform: onPlatform }: Source): boolean {
  return ownAiKey === 'failing' && !onPlatform;
}

/** The error message of a paused source. */
const keyFails = "The account's own AI key fails: replace it, or resume the import";

/**
 * Runs work on a source that still has to be read. Does nothing when the source was canceled, or it or its account was deleted.
 */
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
 * Marks a source as being read, unless it was canceled or deleted, or the account's own AI key fails. A single statement on one
 * row does this without the lock of the account, which would have to wait for all other pages of the account that are ending.
 * @returns whether the source may be read
 */
export async function beginReading(store: Store, { account_id: account, id }: Source): Promise<boolean> {
  // Need not be durable: after a crash, the source is read again in either case.
  const marked = await store.write((db) => markBegun(db, { account, id }), { isDurable: false });
  return marked.length > 0;
}

/** Does not update the time of the record, because nothing has been read yet. */
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
 * Ends the job of a source that must not be read because the account's own AI key fails: the source is paused. If the key works
 * again, the source is queued again instead. A page that is part of a website refresh keeps its FAQs and becomes ready, so that
 * the refresh can finish.
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
