import { type Endpoint, isOpenToReaders, subAccountPlace } from '../../contract/endpoint.ts';
import { features } from '../../contract/plan.ts';
import type { Section } from '../../contract/sections.ts';
import { ApiError } from '../errors.ts';
import type { Account } from '../identity/accounts.ts';
import type { Caller } from '../identity/caller.ts';
import type { Scopes } from '../identity/tables.ts';

/** Check 3: the plan of the caller's account includes API access. */
export function checkPlan(account: Pick<Account, 'plan'>): void {
  if (!account.plan.api_access) throw new ApiError(403, 'The plan of this account does not include API access');
}

/**
 * Check 4: the limits of a scoped key.
 * @param subAccountId the sub-account in the request
 * @param body the body before its shape is checked
 */
export function checkScopes(spec: Endpoint, caller: Caller, subAccountId: string | undefined, body: object): void {
  if (caller.kind !== 'scoped' || spec.access === 'any') return;
  if (spec.access === 'owner') throw new ApiError('key_scope_denied', 'A scoped key cannot do this; use the main key');
  if (caller.scopes.read_only && !isOpenToReaders(spec)) throw new ApiError('key_read_only', 'This key is read-only');
  if (spec.access === 'agency' || spec.isForOwners) throw new ApiError('key_scope_denied', 'A scoped key cannot do this; use the main key');
  checkSection(caller.scopes, spec.section);
  if (subAccountPlace(spec)) checkSubAccountList(caller.scopes, subAccountId);
  const field = ownerField(spec, body);
  if (field !== undefined) throw new ApiError('key_scope_denied', `A scoped key cannot change ${field}; use the main key`);
}

/** The first field of a body that only the main key and owners may send. */
function ownerField({ ownerFields = [] }: Endpoint, body: object): string | undefined {
  return ownerFields.find((field) => field in body);
}

function checkSection({ tags }: Scopes, section: Section): void {
  if (tags.length > 0 && !tags.includes(section))
    throw new ApiError('key_scope_denied', `This key is limited to ${tags.join(', ')}; this request needs ${section}`, {
      reason: 'section_denied',
    });
}

function checkSubAccountList({ sub_account_ids: allowed }: Scopes, subAccountId: string | undefined): void {
  if (allowed[0] === '*') return;
  if (allowed.length === 0) {
    if (subAccountId !== undefined) throw new ApiError('key_scope_denied', 'This key may act only on its own account');
    return;
  }
  if (subAccountId === undefined || !allowed.includes(subAccountId))
    throw new ApiError('key_scope_denied', 'This key must name one of its sub-accounts in sub_account_id', {
      reason: 'sub_account_required',
    });
}

/** Check 6: agency-only and owner-only endpoints and fields, the features of the acting account, a member's permission. */
export function checkAllowed(spec: Endpoint, caller: Caller, acting: Account, body: object): void {
  if (spec.access === 'agency' && caller.account.kind !== 'agency') throw new ApiError(403, 'Only an agency account can do this');
  if (spec.feature && !acting.plan[spec.feature]) throw new ApiError(403, features[spec.feature]);
  if (caller.kind !== 'member' || caller.role === 'owner') return;
  if (spec.access === 'owner' || spec.isForOwners) throw new ApiError(403, 'Only an owner of the account can do this');
  if (spec.permission && !caller.permissions.includes(spec.permission))
    throw new ApiError(403, `This needs the permission ${spec.permission}`);
  const field = ownerField(spec, body);
  if (field !== undefined) throw new ApiError(403, `Only an owner of the account can change ${field}`);
}

/**
 * Whether a caller may do by hand what an endpoint does: the section of a scoped key, the plan, and the permission of a member.
 * @throws ApiError 403 when it may not
 */
export function checkByHand(spec: Endpoint, caller: Caller, acting: Account): void {
  if (caller.kind === 'scoped') checkSection(caller.scopes, spec.section);
  checkAllowed(spec, caller, acting, {});
}
