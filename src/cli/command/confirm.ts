import { CliError, exitCodes } from '../errors.ts';
import type { GlobalOptions } from './global-options.ts';
import { terminalText } from '../output/cell.ts';
import type { Target } from '../target/targets.ts';
import { prompting } from './prompting.ts';
import type { World } from '../world.ts';

/**
 * Asks whether to do something that cannot be undone, naming where it would be done.
 * @param where the target, as the user is to recognise it
 * @throws CliError 2 when nobody is there to answer and `--yes` is missing, 1 when the answer is no, 130 when it is interrupted
 */
export async function confirm(question: string, where: string, world: World, globals: GlobalOptions): Promise<void> {
  if (globals.yes) return;
  const message = terminalText(`${question} (${where})`);
  if (!world.stdin.isTTY || !world.stderr.isTTY)
    throw new CliError(exitCodes.usage, 'confirmation_needed', `Not done: ${message}`, {
      hint: 'This cannot be undone: add --yes to do it without being asked.',
    });
  const { confirm: ask } = await import('@inquirer/prompts');
  const answer = await prompting(ask({ message, default: false }, { input: world.stdin, output: world.stderr }));
  if (!answer) throw new CliError(exitCodes.failed, 'declined', 'Nothing was changed');
}

/** Where and on which account a command acts. */
export function describeTarget({ profile, baseUrl, subAccountId }: Target): string {
  const where = baseUrl ?? 'the embedded service';
  const as = profile === null ? '' : `profile ${profile}, `;
  return `${as}${where}${subAccountId === undefined ? '' : `, sub-account ${subAccountId}`}`;
}
