import type { Selectable } from 'kysely';
import type { Account } from '../../identity/accounts.ts';
import { notFound } from '../../errors.ts';
import type { BalancesTable } from '../../store/schema.ts';
import { type Db, prepared } from '../../store/store.ts';
import { monthStart, toCredits } from './rules.ts';

/** What a change of the balance is for. */
export type LedgerReason =
  'starting_credits' | 'recharge' | 'transfer_in' | 'transfer_out' | 'sandbox_adjustment' | 'message' | 'refund' | 'channel_charge';

/** Those that are spent or given back; the others are adjustments (ruling, Analytics). */
const spending: ReadonlySet<LedgerReason> = new Set(['message', 'refund', 'channel_charge']);

/** Whether a reason is neither spending nor giving back (ruling, Analytics). */
export function isAdjustment(reason: LedgerReason): boolean {
  return !spending.has(reason);
}

/** An account's balance, and what it spent in a month. */
export type Balance = Omit<Selectable<BalancesTable>, 'account_id'>;

const balanceRow = prepared<Balance>((db) =>
  db.selectFrom('balances').select(['millionths', 'spent_month', 'spent_millionths']).where('account_id', '=', ''),
);

/** Reads an account's balance. */
export async function readBalance(db: Db, accountId: string): Promise<Balance> {
  const [balance] = await balanceRow(db, [accountId]);
  // It was deleted since it was looked up.
  if (!balance) throw notFound('Account');
  return balance;
}

/** The credit balance as GET /users/me/credits shows it (3/Credit balance). */
export function creditsRecord(account: Account, balance: Balance, now: number) {
  const spent = balance.spent_month === monthStart(now) ? balance.spent_millionths : 0;
  return {
    balance: toCredits(balance.millionths),
    monthly_credits: null,
    used_this_month: account.parentId === null ? null : toCredits(spent),
    auto_recharge_enabled: account.autoRechargeEnabled,
    low_credit_threshold: account.lowCreditThreshold,
  };
}
