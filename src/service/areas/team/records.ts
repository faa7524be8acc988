import { digits } from '../../../contract/text/counted.ts';
import { limits } from '../../../contract/limits.ts';
import { type Permission, permissions } from '../../../contract/permissions.ts';
import { ApiError } from '../../errors.ts';
import { members } from '../../identity/tables.ts';
import { checkRoom } from '../../store/check-room.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';

/** A person to add to an account. */
interface NewMember {
  readonly name: string;
  readonly email: string;
  readonly role: 'owner' | 'member';
  readonly permissions: readonly Permission[];
}

/**
 * Adds a person to an account. An owner has every permission.
 * @returns the member's id
 * @throws ApiError 409 when a member with this email address already exists
 */
export async function addMember(db: Db, accountId: string, member: NewMember, now: number): Promise<string> {
  const full = `The account has ${digits(limits.members)} members, as many as it can have: remove one first`;
  await checkRoom(db, { table: 'members', column: 'account_id', owner: accountId }, limits.members, full);
  const row = {
    id: newId('mem'),
    account_id: accountId,
    name: member.name,
    email: member.email.toLowerCase(),
    role: member.role,
    permissions: member.role === 'owner' ? permissions : [...new Set(member.permissions)],
    created_at: now,
  };
  const [added] = await insertMany(db, members, [row], 'on conflict (account_id, email) do nothing returning id');
  if (!added) throw new ApiError(409, 'A member with this email address already exists');
  return added.id;
}

/** Lists the members of an account, the newest first. */
export async function listMembers(db: Db, accountId: string) {
  const rows = await db
    .selectFrom('members')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('seq')
    .execute();
  return rows.map((row) => {
    const { id, name, email, role, permissions: allowed } = members.decode(row);
    return { id, name, email, role, permissions: [...allowed] };
  });
}
