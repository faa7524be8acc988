import { findSection, type Section } from '../../../contract/sections.ts';
import { limits } from '../../../contract/limits.ts';
import type { Plan } from '../../../contract/areas/accounts/plan.ts';
import type { Scopes } from '../../identity/credentials.ts';
import { ApiError } from '../../errors.ts';

/** Scopes as a request gives them. */
export interface ScopesInput {
  readonly read_only?: boolean | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly sub_account_ids?: readonly string[] | undefined;
  readonly rate_limit_per_min?: number | undefined;
}

/**
 * Completes a scopes object with the defaults of 1/API keys rules 1 to 3.
 * @throws ApiError `invalid_scopes` for a section that does not exist or that no key may have, 400 for a rate limit
 *   above what the plan allows
 */
export function completeScopes(input: ScopesInput, plan: Plan): Scopes {
  const most = Math.max(limits.scopedKeyMaxRequestsPerMinute, plan.key_requests_per_minute);
  const rate = input.rate_limit_per_min ?? limits.scopedKeyDefaultRequestsPerMinute;
  if (rate > most) throw new ApiError(400, `scopes.rate_limit_per_min: must be from 1 to ${most}`);
  return {
    read_only: input.read_only ?? true,
    tags: completeSections(input.tags ?? ['Analytics']),
    sub_account_ids: [...new Set(input.sub_account_ids ?? [])],
    rate_limit_per_min: rate,
  };
}

function completeSections(names: readonly string[]): Section[] {
  const sections = names.map((name) => {
    const section = findSection(name);
    if (!section) throw new ApiError('invalid_scopes', `scopes.tags: there is no section '${name.slice(0, 100)}'`);
    if (section === 'API Keys') throw new ApiError('invalid_scopes', "scopes.tags: no scoped key may have the section 'API Keys'");
    return section;
  });
  return [...new Set(sections)];
}
