import { sandboxName } from '../profiles/profiles.ts';
import type { Targets } from './targets.ts';

/** What is stored in a profile. Fields that are undefined are removed. */
interface Change {
  readonly api_key?: string | undefined;
  readonly sub_account_id?: string | undefined;
}

/**
 * Stores a change in the profile of the command's target.
 * @returns false if there is none, or it is for another service
 * @throws CliError 1 if the profiles cannot be written
 */
export async function rememberInProfile(targets: Targets, change: Change): Promise<boolean> {
  const { profile, baseUrl } = targets.resolve();
  if (profile === null) return false;
  // An account of one service must not be stored in the profile of another.
  if (baseUrl !== (targets.profiles.find(profile)?.base_url ?? null)) return false;
  await update(targets, profile, change);
  return true;
}

/**
 * Stores a change in the profile of the sandbox client's server or store.
 * @returns false if there is none
 * @throws CliError 1 if the profiles cannot be written
 */
export async function rememberInSandboxProfile(targets: Targets, change: Change): Promise<boolean> {
  const { sandboxProfile: profile } = targets;
  if (profile === null) return false;
  await update(targets, profile, change);
  return true;
}

async function update({ profiles, dataDirectory }: Targets, profile: string, change: Change): Promise<void> {
  if (profile === sandboxName) await profiles.updateSandbox(dataDirectory.path, change);
  else await profiles.update(profile, change);
}
