import { type Permission } from '../../../contract/permissions.ts';
import { ApiError } from '../../errors.ts';
import type { Caller } from '../../identity/caller.ts';

/** What a member is in the team. */
interface Standing {
  readonly role: 'owner' | 'member';
  readonly permissions: readonly Permission[];
}

/**
 * Checks that the caller may turn what a member is into something else: nobody gives or takes what they lack, and only owners change
 * owners (rules team.19, team.20).
 * @param before null for a new member
 * @param after null for one who is removed
 * @throws ApiError 403
 */
export function checkStanding(caller: Caller, before: Standing | null, after: Standing | null): void {
  if (caller.kind !== 'member' || caller.role === 'owner') return;
  if (before?.role === 'owner') throw new ApiError(403, 'Only an owner can change or remove an owner');
  if (after?.role === 'owner') throw new ApiError(403, 'Only an owner can make a member an owner');
  const [old, present] = [new Set(before?.permissions), new Set(after?.permissions)];
  const lacking = [...old.symmetricDifference(present)].find((permission) => !caller.permissions.includes(permission));
  if (lacking !== undefined) throw new ApiError(403, `Only a member with the permission ${lacking} can give or take it`);
}
