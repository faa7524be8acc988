import { iso } from '../../../contract/time/instants.ts';
import type { AccountPlan } from '../../../contract/plan.ts';
import { notFound } from '../../errors.ts';
import { type Account, findManagedAccount } from '../../identity/accounts.ts';
import { accounts } from '../../identity/tables.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertOne } from '../../store/insert.ts';
import { prepared } from '../../store/prepared.ts';
import { toCredits } from '../../store/millionths.ts';
import { balances } from '../credits/table.ts';

/** The fields of a new account. */
export interface NewAccount {
  readonly name: string;
  readonly email: string | null;
  readonly kind: 'standard' | 'agency';
  readonly parentId: string | null;
  /** The fields that differ from the default plan. */
  readonly plan: Partial<AccountPlan>;
}

/** Creates an account with an empty balance. @returns its id */
export async function createAccount(db: Db, { name, email, kind, parentId, plan }: NewAccount, now: number): Promise<string> {
  const id = newId('acc');
  await insertOne(db, accounts, { id, name, email, kind, parent_id: parentId, plan, created_at: now, updated_at: now });
  await insertOne(db, balances, { account_id: id, millionths: 0 });
  return id;
}

/** @throws ApiError 404 when the agency does not manage this account */
export async function requireSubAccount(db: Db, agencyId: string, id: string): Promise<Account> {
  const account = await findManagedAccount(db, agencyId, id);
  if (!account) throw notFound('sub_account');
  return account;
}

function subAccounts(db: Db, agencyId: string) {
  return db
    .selectFrom('accounts')
    .innerJoin('balances', 'balances.account_id', 'accounts.id')
    .select([
      'accounts.seq',
      'accounts.id',
      'accounts.name',
      'accounts.email',
      'balances.millionths',
      'accounts.created_at',
      'accounts.updated_at',
    ])
    .where('accounts.parent_id', '=', agencyId)
    .where('accounts.deleted_at', 'is', null);
}

type SubAccountRow = Awaited<ReturnType<ReturnType<typeof subAccounts>['execute']>>[number];

/** A sub-account as answers show it. */
export function subAccountRecord({ id, name, email, millionths, created_at: createdAt, updated_at: updatedAt }: SubAccountRow) {
  return { id, name, email, balance: toCredits(millionths), created_at: iso(createdAt), updated_at: iso(updatedAt) };
}

/** Reads an agency's sub-accounts by descending `seq`, below `before`; by default all of them. */
export async function listSubAccounts(db: Db, agencyId: string, before?: number, limit?: number): Promise<SubAccountRow[]> {
  let query = subAccounts(db, agencyId).orderBy('accounts.seq', 'desc');
  if (before !== undefined) query = query.where('accounts.seq', '<', before);
  if (limit !== undefined) query = query.limit(limit);
  return await query.execute();
}

const oneSubAccount = prepared<{ agency: string; id: string }, SubAccountRow>((db, $) =>
  subAccounts(db, $.agency).where('accounts.id', '=', $.id),
);

/** Shows a sub-account. @throws ApiError 404 when the agency does not manage it */
export async function showSubAccount(db: Db, agencyId: string, id: string) {
  const [row] = await oneSubAccount(db, { agency: agencyId, id });
  if (!row) throw notFound('sub_account');
  return subAccountRecord(row);
}
