import { CliError, exitCodes } from '../errors.ts';
import { widthOf } from '../output/screen.ts';
import { wrapped } from '../output/wrap.ts';
import type { World } from '../world.ts';

/**
 * Wraps the text of a prompt between words; the prompt library would break lines anywhere.
 * @param rest the text that the prompt prints after it
 */
export function questionText(text: string, rest: string, { stderr }: World): string {
  // Leaves a column for the cursor.
  const lines = wrapped(`? ${text} ${rest}`, widthOf(stderr) - 1);
  return lines.slice(2, lines.length - rest.length).replace(/ $/, '');
}

/**
 * Waits for the answer to a prompt.
 * @throws CliError 130 if the user interrupts the prompt
 */
export async function awaitPrompt<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if ((error as Error).name !== 'ExitPromptError') throw error;
    throw new CliError(exitCodes.interrupted, 'interrupted', 'Interrupted: nothing was changed');
  }
}
