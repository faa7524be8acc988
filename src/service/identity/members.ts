import { sql } from 'kysely';
import type { Db } from '../store/database.ts';
import { insertMany, overwriting } from '../store/insert.ts';
import { accountColumns, parseAccount } from './accounts.ts';
import type { CredentialedCaller } from './caller.ts';
import { accountChoices, members } from './tables.ts';
import type { Identity } from './tokens.ts';

/**
 * Finds the member as whom a person acts: on the account that they switched to; else the member of a sandbox token; else where they were
 * added first, active before invited (rule team.13). Undefined when they are a member of no account.
 */
export async function findMember(db: Db, { email, memberId }: Identity): Promise<CredentialedCaller | undefined> {
  const row = await db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .leftJoin('account_choices', 'account_choices.member_id', 'members.id')
    .where('members.email', '=', email)
    .where('accounts.deleted_at', 'is', null)
    .select(accountColumns)
    .select(['members.id as member_id', 'members.role', 'members.permissions', 'members.activated_at'])
    .orderBy(sql`case when account_choices.member_id is null then 1 else 0 end`)
    .orderBy(sql`case when members.id = ${memberId} then 0 else 1 end`)
    .orderBy(sql`case when members.activated_at is null then 1 else 0 end`)
    .orderBy('members.seq')
    .limit(1)
    .executeTakeFirst();
  if (!row) return undefined;
  const { role, permissions, activated_at: activatedAt } = row;
  const member = members.decode({ role, permissions });
  return { kind: 'member', account: parseAccount(row), memberId: row.member_id, email, isInvited: activatedAt === null, ...member };
}

/** Makes an invited member an active one. */
export async function activateMember(db: Db, memberId: string, now: number): Promise<void> {
  await db.updateTable('members').set({ activated_at: now }).where('id', '=', memberId).where('activated_at', 'is', null).execute();
}

/** Lets all tokens of a person act as this member. */
export async function chooseMember(db: Db, email: string, memberId: string): Promise<void> {
  await insertMany(db, accountChoices, [{ email, member_id: memberId }], overwriting(['email'], ['member_id']));
}

/** Ends the choices of an account, for good. */
export async function endChoices(db: Db, accountId: string): Promise<void> {
  const ofAccount = db.selectFrom('members').select('id').where('account_id', '=', accountId);
  await db.deleteFrom('account_choices').where('member_id', 'in', ofAccount).execute();
}
