import { digits } from '../../../contract/text/counted.ts';
import { limits } from '../../../contract/limits.ts';
import { type Permission, permissions } from '../../../contract/permissions.ts';
import { ApiError, notFound } from '../../errors.ts';
import { members } from '../../identity/tables.ts';
import { checkRoom } from '../../store/check-room.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';
import type { Row } from '../../store/table.ts';

type Member = Row<typeof members>;

/** A person to add to an account. */
interface NewMember {
  readonly name: string;
  readonly email: string;
  readonly role: 'owner' | 'member';
  readonly permissions: readonly Permission[];
  /** Whether the person becomes a member only with their first request. */
  readonly isInvited: boolean;
}

/**
 * Adds a person to an account. An owner has every permission.
 * @throws ApiError 409 when a member with this email address already exists
 */
export async function addMember(db: Db, accountId: string, member: NewMember, now: number): Promise<Member> {
  const full = `The account has ${digits(limits.members)} members, as many as it can have: remove one first`;
  await checkRoom(db, { table: 'members', column: 'account_id', owner: accountId }, limits.members, full);
  const row = {
    id: newId('mem'),
    account_id: accountId,
    name: member.name,
    email: member.email.toLowerCase(),
    ...standingOf(member.role, member.permissions),
    created_at: now,
    activated_at: member.isInvited ? null : now,
  };
  const [added] = await insertMany(db, members, [row], 'on conflict (account_id, email) do nothing returning *');
  if (!added) throw new ApiError(409, 'A member with this email address already exists');
  return added;
}

/** A role with its permissions. */
export function standingOf(role: Member['role'], allowed: readonly Permission[]) {
  return { role, permissions: role === 'owner' ? permissions : [...new Set(allowed)] };
}

/** A member as answers show it. */
export function memberRecord({ id, name, email, role, permissions: allowed, activated_at: activatedAt }: Member) {
  return { id, name, email, role, permissions: [...allowed], status: statusOf(activatedAt) };
}

function statusOf(activatedAt: number | null): 'invited' | 'active' {
  return activatedAt === null ? 'invited' : 'active';
}

function membersOf(db: Db, accountId: string) {
  return db.selectFrom('members').selectAll().where('account_id', '=', accountId);
}

/** Lists the members of an account, the newest first. */
export async function listMembers(db: Db, accountId: string): Promise<Member[]> {
  const rows = await membersOf(db, accountId).orderBy('created_at', 'desc').orderBy('seq').execute();
  return rows.map((row) => members.decode(row));
}

/** @throws ApiError 404 when the account has no such member */
export async function requireMember(db: Db, accountId: string, id: string): Promise<Member> {
  const row = await membersOf(db, accountId).where('id', '=', id).executeTakeFirst();
  if (!row) throw notFound('member');
  return members.decode(row);
}

/** @throws ApiError 409 when an account would be left without an owner */
export async function checkOtherOwner(db: Db, { account_id: accountId, id }: Member): Promise<void> {
  const other = await membersOf(db, accountId).where('role', '=', 'owner').where('id', '!=', id).limit(1).executeTakeFirst();
  if (!other) throw new ApiError(409, 'This is the only owner of the account: make another member an owner first');
}

/** Changes a member. */
export async function changeMember(
  db: Db,
  member: Member,
  change: Partial<Pick<Member, 'name' | 'role' | 'permissions'>>,
): Promise<Member> {
  await db.updateTable('members').set(members.encode(change)).where('id', '=', member.id).execute();
  return { ...member, ...change };
}

/** Removes a member from the account. */
export async function removeMember(db: Db, id: string): Promise<void> {
  await db.deleteFrom('members').where('id', '=', id).execute();
}

function membershipsOf(db: Db, email: string) {
  return db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .select(['accounts.id', 'accounts.name', 'accounts.kind', 'accounts.plan', 'members.id as member_id', 'role', 'activated_at'])
    .where('members.email', '=', email)
    .where('accounts.deleted_at', 'is', null);
}

type Membership = Awaited<ReturnType<ReturnType<typeof membershipsOf>['execute']>>[number];

/** Lists the memberships of a person, the newest first, as many as answers show. @param current an account that is not left out */
export async function listMemberships(db: Db, email: string, current: string): Promise<Membership[]> {
  const newest = membershipsOf(db, email).orderBy('members.created_at', 'desc').orderBy('members.seq');
  const rows = await newest.limit(limits.memberships).execute();
  if (rows.length < limits.memberships || rows.some(({ id }) => id === current)) return rows;
  return [...rows.slice(0, -1), ...(await membershipsOf(db, email).where('accounts.id', '=', current).execute())];
}

/** @throws ApiError 404 when the person is not a member of the account */
export async function requireMembership(db: Db, email: string, accountId: string): Promise<Membership> {
  const found = await membershipsOf(db, email).where('accounts.id', '=', accountId).executeTakeFirst();
  if (!found) throw notFound('account');
  return found;
}

/** A membership as answers show it. @param current the account on which the person's tokens act */
export function membershipRecord({ id, name, kind, role, activated_at: activatedAt }: Membership, current: string) {
  return { id, name, kind, role, status: statusOf(activatedAt), current: id === current };
}
