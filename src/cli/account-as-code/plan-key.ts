import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { PlanKey } from '../../account-as-code/plan/digests.ts';
import { CliError, exitCodes } from '../errors.ts';
import { makeFolder } from '../files/make-folder.ts';
import { createOwnerOnly, readOwnerOnly } from '../files/owner-only.ts';
import type { Session } from '../verb/noun.ts';
import { selectsFromAnswer } from '../global-options.ts';
import { platformDataDirectory } from '../files/directories.ts';
import type { World } from '../world.ts';

/**
 * The key for the digests of secrets in plans: MSGCTL_PLAN_KEY, or else a random one that stays on this machine, beside the
 * journals of applies. Its functions throw a CliError 1 if the file of the key cannot be used.
 */
export function planKey(world: World): PlanKey {
  const folder = platformDataDirectory(world);
  const file = join(folder, 'plan-key');
  const find = () => world.env.MSGCTL_PLAN_KEY || stored(file);
  const keep = () => {
    const known = find();
    if (known !== undefined) return known;
    try {
      makeFolder(folder);
      // Another process may store one at the same moment: the first one counts.
      createOwnerOnly(file, randomBytes(32).toString('base64url'));
    } catch (error) {
      throw keyError(file, error as Error);
    }
    const kept = stored(file);
    if (kept === undefined) throw keyError(file, new Error('it is gone'));
    return kept;
  };
  return { find, keep };
}

/** The key for the digests in a result; undefined for text and rows, which show none. */
export function shownKey({ globals, world }: Session): PlanKey | undefined {
  const isShown = globals.output === 'json' || globals.output === 'yaml' || selectsFromAnswer(globals);
  return isShown ? planKey(world) : undefined;
}

/** The key in the file; undefined if there is none. @throws CliError 1 if it cannot be read, or another user could have written it */
function stored(file: string): string | undefined {
  try {
    const key = readOwnerOnly(file);
    if (key === '') throw new Error('it is empty');
    return key;
  } catch (error) {
    throw keyError(file, error as Error);
  }
}

function keyError(file: string, { message }: Error): CliError {
  return new CliError(exitCodes.failed, 'file', `Cannot use the key of plans in ${file}: ${message}`, {
    hint: 'Set MSGCTL_PLAN_KEY, or delete the file to get a new key. A new key cannot check the secrets of earlier plans.',
  });
}
