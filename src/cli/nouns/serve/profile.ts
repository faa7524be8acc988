import type { Session } from '../../command/noun.ts';
import { checkProfileName, type Profile } from '../../profiles/profiles.ts';

/**
 * Checks, before the server starts, that a profile can take its address and secrets.
 * @param address the base address that the server will probably have
 * @returns what the profile stores so far; undefined for a new profile
 * @throws CliError 2 when the name cannot be that of a profile, or when the profile is of another service and nobody
 * confirms that it may be replaced; 1 when the profiles cannot be written
 */
export async function prepareProfile(name: string, address: string, { targets, confirm }: Session): Promise<Profile | undefined> {
  checkProfileName(name);
  const known = targets.profiles.find(name);
  // A profile with a sandbox token is that of an earlier server. The key of another service would be lost.
  const isOfService = known?.api_key !== undefined && known.sandbox_token === undefined;
  if (isOfService && known.base_url !== address) await confirm(`Replace the profile '${name}' of ${known.base_url}?`);
  await targets.profiles.probe();
  return known;
}

/**
 * Stores the address and the secrets of a server in a profile, and makes it the profile in use.
 * @returns false when that failed, which a note says: a new store shows its key only once, so the server runs on
 */
export async function storeProfile(
  name: string,
  { base_url, api_key, sandbox_token }: { base_url: string; api_key: string | null; sandbox_token: string | null },
  known: Profile | undefined,
  { targets, notes }: Session,
): Promise<boolean> {
  // A sub-account is one of the store that the key is for.
  const subAccountId = known?.api_key === api_key ? known.sub_account_id : undefined;
  try {
    await targets.profiles.save(name, {
      base_url,
      ...(api_key !== null && { api_key }),
      ...(sandbox_token !== null && { sandbox_token }),
      ...(subAccountId !== undefined && { sub_account_id: subAccountId }),
    });
    return true;
  } catch (error) {
    notes.insist(`The profile '${name}' could not be stored: ${(error as Error).message}`);
    return false;
  }
}
