import { bytesFor } from '../../store/randomness.ts';
import type { Db } from '../../store/database.ts';
import { prepared } from '../../store/prepared.ts';

const changed = prepared<{ account: string; stamp: string; updates: number }, { revision: number }>((db, $) =>
  db
    .insertInto('rule_changes')
    .values({ account_id: $.account, revision: $.updates, stamp: $.stamp })
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet((eb) => ({
        revision: eb('rule_changes.revision', '+', eb.ref('excluded.revision')),
        stamp: eb.ref('excluded.stamp'),
      })),
    )
    .returning('revision'),
);

async function change(db: Db, accountId: string, updates: number): Promise<number> {
  const [row] = await changed(db, { account: accountId, stamp: bytesFor('rule change', 9).toString('base64url'), updates });
  return row?.revision ?? 0;
}

/** The number for the next update of an account's rules. The account must be locked. */
export async function nextRevision(db: Db, accountId: string): Promise<number> {
  return await change(db, accountId, 1);
}

/** Notes that the rules of an account change in another way than by an update, for example that one is deleted. */
export async function noteRuleChange(db: Db, accountId: string): Promise<void> {
  await change(db, accountId, 0);
}
