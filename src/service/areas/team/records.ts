import { type Permission, permissions } from '../../../contract/permissions.ts';
import { ApiError } from '../../errors.ts';
import { newId } from '../../identity/secrets.ts';
import type { Db } from '../../store/store.ts';

/** A person on an account. */
export interface NewMember {
  readonly accountId: string;
  readonly name: string;
  readonly email: string;
  readonly role: 'owner' | 'member';
  readonly permissions: readonly Permission[];
  readonly now: number;
}

/**
 * Adds a person to an account. Returns the member's id.
 * @throws ApiError 409 when the account has a member with that e-mail address
 */
export async function insertMember(db: Db, member: NewMember): Promise<string> {
  const id = newId('mem');
  const inserted = await db
    .insertInto('members')
    .values({
      id,
      account_id: member.accountId,
      name: member.name,
      email: member.email.toLowerCase(),
      role: member.role,
      permissions: JSON.stringify(member.role === 'owner' ? permissions : [...new Set(member.permissions)]),
      created_at: member.now,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'email']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!inserted) throw new ApiError(409, 'The account has a member with this e-mail address');
  return id;
}

/** Lists the people on an account, in the order in which they joined. */
export async function listMembers(db: Db, accountId: string) {
  const rows = await db
    .selectFrom('members')
    .select(['id', 'name', 'email', 'role', 'permissions'])
    .where('account_id', '=', accountId)
    .orderBy('seq')
    .execute();
  return rows.map((row) => ({ ...row, permissions: JSON.parse(row.permissions) as Permission[] }));
}
