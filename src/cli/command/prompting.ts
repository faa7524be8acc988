import { CliError, exitCodes } from '../errors.ts';

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
