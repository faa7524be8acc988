import { iso } from '../../clock/clock.ts';
import { toCredits } from '../credits/rules.ts';
import { type Db, prepared } from '../../store/store.ts';

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
    .where('accounts.parent_id', '=', agencyId);
}

type SubAccountRow = Awaited<ReturnType<ReturnType<typeof subAccounts>['execute']>>[number];

/** A sub-account as answers show it (5/B, SubAccounts). */
export function subAccountRecord(row: SubAccountRow) {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    balance: toCredits(row.millionths),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

/** Reads an agency's sub-accounts by descending `seq`, below `before`. */
export async function listSubAccounts(db: Db, agencyId: string, before: number | undefined, take: number) {
  const query = subAccounts(db, agencyId).orderBy('accounts.seq', 'desc').limit(take);
  return await (before === undefined ? query : query.where('accounts.seq', '<', before)).execute();
}

const oneSubAccount = prepared<SubAccountRow>((db) => subAccounts(db, '').where('accounts.id', '=', ''));

/** Reads one sub-account; undefined when the agency has none of that id. */
export async function findSubAccount(db: Db, agencyId: string, id: string) {
  const [row] = await oneSubAccount(db, [agencyId, id]);
  return row;
}

/** Deletes an account with all that it holds. */
export async function deleteAccount(db: Db, id: string): Promise<void> {
  await db.deleteFrom('accounts').where('id', '=', id).execute();
}
