import { limits } from '../../../contract/limits.ts';
import type { Plan } from '../../../contract/plan.ts';
import { findSection, type Section } from '../../../contract/sections.ts';
import { ApiError } from '../../errors.ts';
import type { Scopes } from '../../identity/tables.ts';

/** Scopes as a request gives them. */
interface ScopesInput {
  readonly read_only?: boolean | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly sub_account_ids?: readonly string[] | undefined;
  readonly rate_limit_per_min?: number | undefined;
}

/**
 * Completes scopes with their defaults.
 * @throws ApiError `invalid_scopes` for a section that does not exist or that no scoped key may have, 400 for a rate
 *   limit above what the plan allows
 */
export function completeScopes(input: ScopesInput, plan: Plan): Scopes {
  const max = Math.max(limits.scopedKeyMaxRequestsPerMinute, plan.key_requests_per_minute);
  const rate = input.rate_limit_per_min ?? limits.scopedKeyDefaultRequestsPerMinute;
  if (rate > max) throw new ApiError(400, `scopes.rate_limit_per_min: must be from 1 to ${max}`);
  return {
    read_only: input.read_only ?? true,
    tags: readSections(input.tags ?? ['Analytics']),
    sub_account_ids: [...new Set(input.sub_account_ids ?? [])],
    rate_limit_per_min: rate,
  };
}

function readSections(names: readonly string[]): Section[] {
  const sections = names.map((name) => {
    const section = findSection(name);
    if (!section) throw new ApiError('invalid_scopes', `scopes.tags: there is no section '${name.slice(0, 100)}'`);
    if (section === 'API Keys') throw new ApiError('invalid_scopes', "scopes.tags: no scoped key may have the section 'API Keys'");
    return section;
  });
  return [...new Set(sections)];
}
