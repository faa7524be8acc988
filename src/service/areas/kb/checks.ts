import { ApiError } from '../../errors.ts';
import type { Account } from '../../identity/accounts.ts';
import type { Db } from '../../store/database.ts';
import { toCredits } from '../../store/millionths.ts';
import { readBalance } from '../credits/records.ts';
import type { Tier } from '../answers/writer.ts';
import { chunkCost, isFree } from './costs.ts';

/** The pages of an account that are queued or being imported. */
export interface Waiting {
  readonly pages: number;
  /** The minimum cost of these pages, in millionths of a credit: each page is at least one chunk. */
  readonly millionths: number;
}

/** Counts the pages that are queued or being imported (rule kb.20). */
export async function readWaiting(db: Db, accountId: string): Promise<Waiting> {
  const rows = await db
    .selectFrom('kb_sources')
    .select((eb) => ['tier', eb.fn.countAll<number>().as('count')])
    .where('account_id', '=', accountId)
    .where('status', 'in', ['queued', 'processing'])
    .groupBy('tier')
    .execute();
  return {
    pages: rows.reduce((sum, { count }) => sum + Number(count), 0),
    millionths: rows.reduce((sum, { tier, count }) => sum + chunkCost(tier, Number(count)), 0),
  };
}

/** An import that is about to be queued. */
interface PlannedImport {
  readonly tier: Tier;
  /** The number of pages that it queues, now or in later calls. */
  readonly pages: number;
  /** The number of these pages whose credits have not been checked yet. */
  readonly unchecked: number;
}

/**
 * Checks whether an account may queue more pages, and has the credits for one chunk of each (rules kb.20, kb.21 and kb.22).
 * @throws ApiError 400 `kb_import_page_limit` or 402 `kb_import_insufficient_credits`
 */
export async function checkImport(db: Db, account: Account, { tier, pages, unchecked }: PlannedImport): Promise<void> {
  const waiting = await readWaiting(db, account.id);
  const limit = account.plan.pending_pages;
  if (waiting.pages + pages > limit)
    throw new ApiError(
      'kb_import_page_limit',
      `At most ${limit} pages can wait to be imported: ${waiting.pages} wait now, and ${pages} would be added. Import fewer, or wait`,
    );
  if (unchecked > 0) await checkCredits(db, account, { tier, unchecked }, waiting);
}

/**
 * Checks whether an account has the credits for one chunk of each page, besides the pages that are waiting (rules kb.21 and kb.22).
 * @throws ApiError 402 `kb_import_insufficient_credits`
 */
export async function checkCredits(
  db: Db,
  account: Account,
  { tier, unchecked }: Omit<PlannedImport, 'pages'>,
  known?: Waiting,
): Promise<void> {
  if (isUnchecked(account, tier)) return;
  const waiting = known ?? (await readWaiting(db, account.id));
  const required = waiting.millionths + chunkCost(tier, unchecked);
  const { millionths: available } = await readBalance(db, account.id);
  if (required <= available) return;
  throw new ApiError('kb_import_insufficient_credits', `Not enough credits: the import needs at least ${toCredits(required)}`, {
    required_credits: toCredits(required),
    available_credits: shownCredits(account, available),
    waiting_pages: waiting.pages,
  });
}

/** Whether the price of an import is not checked, because the account is recharged automatically or pays with its own AI key. */
export function isUnchecked(account: Account, tier: Tier): boolean {
  return account.autoRechargeEnabled || isFree(account, tier);
}

/** A balance as answers show it. The balance of a sub-account is hidden. */
export function shownCredits({ parentId }: Account, millionths: number): number | null {
  return parentId === null ? toCredits(millionths) : null;
}
