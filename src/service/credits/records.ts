import type { Account } from '../accounts/records.ts';
import { ApiError } from '../core/errors.ts';
import { emit } from '../webhooks/emit.ts';
import { newId } from '../core/ids.ts';
import type { Db } from '../core/store.ts';
import { balanceMax, crossesBelow, monthStart, rechargeCredits, toCredits, toMillionths } from './rules.ts';

/** What a change of the balance is for. */
export type LedgerReason = 'starting_credits' | 'recharge' | 'transfer_in' | 'transfer_out' | 'sandbox_adjustment';

/** A change of a balance. */
export interface LedgerEntry {
  readonly account: Account;
  /** In millionths; negative when credits leave. */
  readonly millionths: number;
  readonly reason: LedgerReason;
  readonly now: number;
}

/** Reads an account's balance, in millionths. */
export async function readBalance(db: Db, accountId: string): Promise<number> {
  const { millionths } = await db.selectFrom('balances').select('millionths').where('account_id', '=', accountId).executeTakeFirstOrThrow();
  return millionths;
}

/**
 * Adds an entry to the ledger and to the balance, with the events and the automatic recharge that follow from it.
 * @returns the balance before what follows, in millionths
 * @throws ApiError 402 when the balance would go below zero, 400 when it would become too large: then nothing is changed
 */
export async function addLedgerEntry(db: Db, { account, millionths, reason, now }: LedgerEntry): Promise<number> {
  const updated = await db
    .updateTable('balances')
    .set((eb) => ({ millionths: eb('millionths', '+', millionths) }))
    .where('account_id', '=', account.id)
    .where((eb) => eb.between(eb('millionths', '+', millionths), 0, balanceMax))
    .returning('millionths')
    .executeTakeFirst();
  if (!updated) {
    if (millionths > 0) throw new ApiError(400, `A balance holds at most ${toCredits(balanceMax)} credits`);
    const balance = toCredits(await readBalance(db, account.id));
    throw new ApiError(402, `Not enough credits: ${toCredits(-millionths)} are needed, ${balance} are left`);
  }
  await db
    .insertInto('credit_ledger')
    .values({ id: newId('led'), account_id: account.id, at: now, reason, millionths, is_adjustment: 1 })
    .execute();
  if (crossesBelow(updated.millionths - millionths, updated.millionths, account.lowCreditThreshold))
    await reportLowBalance(db, account, updated.millionths, now);
  return updated.millionths;
}

async function reportLowBalance(db: Db, account: Account, millionths: number, now: number): Promise<void> {
  await emit(db, {
    accountId: account.id,
    name: 'Low Credit Balance',
    data: { credits: await creditsRecord(db, account, millionths, now) },
    at: now,
  });
  if (!account.autoRechargeEnabled) return;
  const recharged = await addLedgerEntry(db, { account, millionths: toMillionths(rechargeCredits), reason: 'recharge', now });
  await emit(db, {
    accountId: account.id,
    name: 'Credits Recharged',
    data: { credits: await creditsRecord(db, account, recharged, now) },
    at: now,
  });
}

/** The credit balance as GET /users/me/credits shows it (3/Credit balance), at a balance in millionths. */
export async function creditsRecord(db: Db, account: Account, millionths: number, now: number) {
  return {
    balance: toCredits(millionths),
    monthly_credits: null,
    used_this_month: account.parentId === null ? null : toCredits(await spentSince(db, account.id, monthStart(now))),
    auto_recharge_enabled: account.autoRechargeEnabled,
    low_credit_threshold: account.lowCreditThreshold,
  };
}

/** What an account spent from an instant on, in millionths: refunds subtracted, adjustments left out. */
async function spentSince(db: Db, accountId: string, instant: number): Promise<number> {
  const { total } = await db
    .selectFrom('credit_ledger')
    .select((eb) => eb.fn.sum<number | null>('millionths').as('total'))
    .where('account_id', '=', accountId)
    .where('at', '>=', instant)
    .where('is_adjustment', '=', 0)
    .executeTakeFirstOrThrow();
  // Not -0 where nothing was spent.
  return 0 - (total ?? 0);
}

/** Moves credits between two accounts, in one transaction (5/B, SubAccounts). */
export async function transfer(db: Db, from: Account, to: Account, millionths: number, now: number): Promise<void> {
  await addLedgerEntry(db, { account: from, millionths: -millionths, reason: 'transfer_out', now });
  await addLedgerEntry(db, { account: to, millionths, reason: 'transfer_in', now });
}

/** Sets a balance by an adjustment (5/A2, PATCH /sandbox/accounts/{id}). */
export async function setBalance(db: Db, account: Account, target: number, now: number): Promise<void> {
  // The update takes the row's lock: what is read after it nobody else changes.
  await db
    .updateTable('balances')
    .set((eb) => ({ millionths: eb.ref('millionths') }))
    .where('account_id', '=', account.id)
    .execute();
  const change = target - (await readBalance(db, account.id));
  if (change !== 0) await addLedgerEntry(db, { account, millionths: change, reason: 'sandbox_adjustment', now });
}
