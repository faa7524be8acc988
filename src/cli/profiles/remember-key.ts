import type { Notes } from '../output/notes.ts';

/**
 * Waits until a new key is in its profile. When it cannot be written the user is told, and the key is printed all the
 * same: the one before no longer works.
 * @returns whether the profile has it
 */
export async function rememberKey(writing: Promise<boolean>, profile: string, notes: Notes): Promise<boolean> {
  try {
    if (await writing) notes.say(`The profile '${profile}' uses the new key now.`);
    return true;
  } catch (error) {
    notes.insist(`The profile '${profile}' could not be changed: store the new key yourself. ${(error as Error).message}`);
    return false;
  }
}
