import type { Db } from '../../../store/database.ts';

/** The revision of an account's counters; 0 before the first rebuild. */
export async function readRevision(db: Db, accountId: string): Promise<number> {
  const row = await db.selectFrom('recounts').select('revision').where('account_id', '=', accountId).executeTakeFirst();
  return row?.revision ?? 0;
}

/** Advances an account's counters to the next revision. @returns false when the current revision is not `revision` */
export async function advanceRevision(db: Db, accountId: string, revision: number): Promise<boolean> {
  if ((await readRevision(db, accountId)) !== revision) return false;
  await db
    .insertInto('recounts')
    .values({ account_id: accountId, revision: revision + 1 })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ revision: revision + 1 }))
    .execute();
  return true;
}
