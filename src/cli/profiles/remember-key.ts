import type { Notes } from '../output/notes.ts';

/**
 * Waits until a new key is stored in its profile. A failure only prints a note, so that the command still prints the key: the
 * old one no longer works.
 * @returns false if the profile could not be written
 */
export async function rememberKey(writing: Promise<boolean>, profile: string, notes: Notes): Promise<boolean> {
  try {
    if (await writing) notes.say(`The profile '${profile}' now uses the new key.`);
    return true;
  } catch (error) {
    notes.always(`Cannot change the profile '${profile}': store the new key yourself. ${(error as Error).message}`);
    return false;
  }
}
