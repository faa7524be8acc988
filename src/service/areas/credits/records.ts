import { plans } from '../../../contract/plans.ts';
import { notFound } from '../../errors.ts';
import type { Account } from '../../identity/accounts.ts';
import type { Db } from '../../store/database.ts';
import { isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import { toCredits } from '../../store/millionths.ts';
import type { StoredRow } from '../../store/table.ts';
import { monthStart } from './rules.ts';
import type { Balance, creditLedger } from './table.ts';

const oneBalance = prepared<{ account: string }, Balance>((db, $) =>
  db.selectFrom('balances').select(['millionths', 'spent_month', 'spent_millionths']).where('account_id', '=', $.account),
);

/** Reads an account's balance. @throws ApiError 404 when the account was deleted */
export async function readBalance(db: Db, accountId: string): Promise<Balance> {
  const [balance] = await oneBalance(db, { account: accountId });
  if (!balance) throw notFound('account');
  return balance;
}

const someBalances = prepared<{ accounts: string }, Balance & { account_id: string }>((db, $) =>
  db
    .selectFrom('balances')
    .select(['account_id', 'millionths', 'spent_month', 'spent_millionths'])
    .where(isAmong(db, 'account_id', $.accounts)),
);

/** Reads the balances of accounts, by account id. Deleted accounts are left out. */
export async function readBalances(db: Db, accountIds: readonly string[]): Promise<Map<string, Balance>> {
  const rows = await someBalances(db, { accounts: JSON.stringify(accountIds) });
  return new Map(rows.map(({ account_id: id, ...balance }) => [id, balance]));
}

type EntryColumn = 'at' | 'campaign_id' | 'agent_id' | 'reason';

const entryById = prepared<{ id: string }, Pick<StoredRow<typeof creditLedger>, EntryColumn>>((db, $) =>
  db.selectFrom('credit_ledger').select(['at', 'campaign_id', 'agent_id', 'reason']).where('id', '=', $.id),
);

/** Finds a ledger record: its time and its attribution. */
export async function findEntry(db: Db, id: string): Promise<Pick<StoredRow<typeof creditLedger>, EntryColumn> | undefined> {
  return (await entryById(db, { id }))[0];
}

/** The credit balance as answers show it. */
export function creditsRecord(account: Account, balance: Balance, now: number) {
  const { autoRechargeEnabled, lowCreditThreshold: threshold } = account;
  const spent = balance.spent_month === monthStart(now) ? balance.spent_millionths : 0;
  return {
    balance: toCredits(balance.millionths),
    monthly_credits: plans[account.planId].monthly_credits,
    used_this_month: account.parentId === null ? null : toCredits(spent),
    auto_recharge_enabled: autoRechargeEnabled,
    low_credit_threshold: threshold === null ? null : toCredits(threshold),
  };
}
