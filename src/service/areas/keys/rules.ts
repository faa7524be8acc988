import { problemText } from '../../../contract/errors.ts';
import { limits } from '../../../contract/limits.ts';
import { findSection, type Section } from '../../../contract/sections.ts';
import { ApiError, invalidField } from '../../errors.ts';
import type { Account } from '../../identity/accounts.ts';
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
 * @throws ApiError `invalid_scopes` for an unknown section, one that a scoped key cannot have, or accounts on which it could do
 * nothing; 400 for a rate limit above the plan's
 */
export function completeScopes(input: ScopesInput, { id, plan }: Pick<Account, 'id' | 'plan'>): Scopes {
  const max = Math.max(limits.scopedKeyMaxRequestsPerMinute, plan.key_requests_per_minute);
  const rate = input.rate_limit_per_min ?? limits.scopedKeyDefaultRequestsPerMinute;
  if (rate > max) throw invalidField('scopes.rate_limit_per_min', `must be from 1 to ${max}`);
  return {
    read_only: input.read_only ?? true,
    tags: readSections(input.tags ?? ['Analytics']),
    sub_account_ids: readAccounts(input.sub_account_ids ?? [], id),
    rate_limit_per_min: rate,
  };
}

/** A list of ids is never the own account, so a key with this id alone could do nothing. */
function readAccounts(ids: readonly string[], own: string): string[] {
  const distinct = [...new Set(ids)];
  if (distinct.length === 1 && distinct[0] === own)
    throw invalidScopes('scopes.sub_account_ids', 'must name sub-accounts, not only the own account; an empty list means the own account');
  return distinct;
}

function readSections(names: readonly string[]): Section[] {
  const sections = names.map((name, index) => {
    const section = findSection(name);
    if (!section) throw invalidScopes(`scopes.tags.${index}`, 'must be the name of a section');
    if (section === 'API Keys') throw invalidScopes('scopes.tags', "a scoped key cannot have the section 'API Keys'");
    return section;
  });
  return [...new Set(sections)];
}

function invalidScopes(field: string, problem: string): ApiError {
  return new ApiError('invalid_scopes', problemText(field, problem), { field });
}
