import { CliError, exitCodes } from '../errors.ts';
import { widthOf } from '../output/screen.ts';
import { wrapped } from '../output/wrap.ts';
import type { World } from '../world.ts';

/**
 * The text of a question, in lines that end between words: a prompt breaks its lines anywhere.
 * @param rest what the prompt prints behind it
 */
export function questionText(text: string, rest: string, { stderr }: World): string {
  // The cursor needs a column too.
  const lines = wrapped(`? ${text} ${rest}`, widthOf(stderr) - 1);
  return lines.slice(2, lines.length - rest.length).replace(/ $/, '');
}

/**
 * Waits for the answer to a prompt.
 * @throws CliError 130 when the user interrupts the prompt
 */
export async function awaitPrompt<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if ((error as Error).name !== 'ExitPromptError') throw error;
    throw new CliError(exitCodes.interrupted, 'interrupted', 'Interrupted: nothing was changed');
  }
}
