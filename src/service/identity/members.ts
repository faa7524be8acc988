import type { Db } from '../store/database.ts';
import { accountColumns, parseAccount } from './accounts.ts';
import type { Caller } from './caller.ts';
import { members } from './tables.ts';
import type { Identity } from './tokens.ts';

/** Finds the member with a verified identity; undefined when there is no such member. */
export async function findMember(db: Db, identity: Identity): Promise<Caller | undefined> {
  const query = db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .where('accounts.deleted_at', 'is', null)
    .select(accountColumns)
    .select(['members.id as member_id', 'members.role', 'members.permissions'])
    .orderBy('members.seq')
    .limit(1);
  const row = await (
    'memberId' in identity ? query.where('members.id', '=', identity.memberId) : query.where('members.email', '=', identity.email)
  ).executeTakeFirst();
  if (!row) return undefined;
  const { role, permissions } = members.decode({ role: row.role, permissions: row.permissions });
  return { kind: 'member', account: parseAccount(row), memberId: row.member_id, role, permissions };
}
