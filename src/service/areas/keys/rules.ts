import { limits } from '../../../contract/limits.ts';
import type { Plan } from '../../../contract/plan.ts';
import { findSection, type Section } from '../../../contract/sections.ts';
import { ApiError, invalidField } from '../../errors.ts';
import type { Scopes } from '../../identity/tables.ts';

/** The scopes in a request. */
interface ScopesInput {
  readonly read_only?: boolean | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly sub_account_ids?: readonly string[] | undefined;
  readonly rate_limit_per_min?: number | undefined;
}

/**
 * Fills in the defaults of scopes.
 * @throws ApiError `invalid_scopes` for an unknown section or one that a scoped key cannot have, 400 for a rate limit above the
 * plan's
 */
export function completeScopes(input: ScopesInput, plan: Plan): Scopes {
  const max = Math.max(limits.scopedKeyMaxRequestsPerMinute, plan.key_requests_per_minute);
  const rate = input.rate_limit_per_min ?? limits.scopedKeyDefaultRequestsPerMinute;
  if (rate > max) throw invalidField('scopes.rate_limit_per_min', `must be from 1 to ${max}`);
  return {
    read_only: input.read_only ?? true,
    tags: readSections(input.tags ?? ['Analytics']),
    sub_account_ids: [...new Set(input.sub_account_ids ?? [])],
    rate_limit_per_min: rate,
  };
}

function readSections(names: readonly string[]): Section[] {
  const sections = names.map((name, index) => {
    const section = findSection(name);
    if (!section) throw new ApiError('invalid_scopes', `scopes.tags.${index}: must be the name of a section`);
    if (section === 'API Keys') throw new ApiError('invalid_scopes', "scopes.tags: a scoped key cannot have the section 'API Keys'");
    return section;
  });
  return [...new Set(sections)];
}
