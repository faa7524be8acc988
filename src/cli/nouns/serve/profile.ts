import type { Session } from '../../verb/noun.ts';
import { checkProfileName, type Profile } from '../../profiles/profiles.ts';

/**
 * Checks, before the server starts, that a profile can store its address and secrets.
 * @param address the base URL that the server will probably have
 * @returns the current contents of the profile; undefined for a new profile
 * @throws CliError 2 if the profile's name is invalid, or if the profile is for another service and replacing it is not
 * confirmed; 1 if the profiles cannot be written
 */
export async function prepareProfile(name: string, address: string, { targets, confirm }: Session): Promise<Profile | undefined> {
  checkProfileName(name);
  const known = targets.profiles.find(name);
  // A profile with a sandbox token belongs to an earlier server. Replacing any other profile would lose the key of another
  // service.
  const isOfService = known?.api_key !== undefined && known.sandbox_token === undefined;
  if (isOfService && known.base_url !== address) await confirm(`Replace the profile '${name}' of ${known.base_url}?`);
  await targets.profiles.probe();
  return known;
}

/**
 * Stores the address and secrets of a server in a profile, and makes it the current profile.
 * @returns false if that failed. The failure is only noted: a new store returns its key only once, so the server continues to
 * run.
 */
export async function storeProfile(
  name: string,
  { base_url, api_key, sandbox_token }: { base_url: string; api_key: string | null; sandbox_token: string | null },
  known: Profile | undefined,
  { targets, notes }: Session,
): Promise<boolean> {
  // A sub-account is only valid for the store of its key.
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
    notes.always(`The profile '${name}' could not be stored: ${(error as Error).message}`);
    return false;
  }
}
