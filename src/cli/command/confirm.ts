import { CliError, exitCodes } from '../errors.ts';
import type { GlobalOptions } from '../global-options.ts';
import { terminalText } from '../output/cell.ts';
import type { Target } from '../target/targets.ts';
import { awaitPrompt } from './prompting.ts';
import type { World } from '../world.ts';

/**
 * Asks the user to confirm an action that cannot be undone.
 * @param where the target of the action, which the question names
 * @throws CliError 2 when `--yes` is missing and there is no terminal, 1 when the user declines, 130 when interrupted
 */
export async function confirm(question: string, where: string, world: World, globals: GlobalOptions): Promise<void> {
  if (globals.yes) return;
  const message = terminalText(`${question} (${where})`);
  if (!world.stdin.isTTY || !world.stderr.isTTY)
    throw new CliError(exitCodes.usage, 'confirmation_needed', `Confirmation needed: ${message}`, {
      hint: 'This cannot be undone. Add --yes to skip the confirmation.',
    });
  const { confirm: ask } = await import('@inquirer/prompts');
  const answer = await awaitPrompt(ask({ message, default: false }, { input: world.stdin, output: world.stderr }));
  if (!answer) throw new CliError(exitCodes.failed, 'declined', 'Nothing was changed');
}

/** The service and the account that a command acts on. */
export function describeTarget({ profile, baseUrl, subAccountId }: Target): string {
  const where = baseUrl ?? 'the embedded service';
  const as = profile === null ? '' : `profile ${profile}, `;
  return `${as}${where}${subAccountId === undefined ? '' : `, sub-account ${subAccountId}`}`;
}
