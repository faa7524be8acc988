import { CliError, exitCodes, usageError } from '../errors.ts';
import type { GlobalOptions } from '../global-options.ts';
import { messageLine } from '../output/cell.ts';
import { widthOf } from '../output/screen.ts';
import { wrapped } from '../output/wrap.ts';
import type { Target } from '../connection/target-choice.ts';
import { canAsk, type World } from '../world.ts';
import type { Question } from './noun.ts';
import { awaitPrompt, questionText } from './prompting.ts';
import { shellWord } from '../output/shell-word.ts';

/**
 * Asks the user to confirm an action with `y`, or by typing the name in the question.
 * @param where what the action affects, for the prompt
 * @param typed the value of `--confirm`, which answers a question with a name; `--yes` answers all others
 * @throws CliError 2 if there is no answer and no terminal, or `--confirm` has another name; 1 if the user declines; 130 if
 * interrupted
 */
export async function confirm(
  question: Question,
  where: string,
  world: World,
  globals: GlobalOptions,
  typed: string | undefined,
): Promise<void> {
  const asked = typeof question === 'string' ? { text: question } : question;
  const { text, name, yesSuffices = name === undefined, undo, onTerminals } = asked;
  if (onTerminals && !canAsk(world)) return;
  const message = messageLine(`${text} (${where})`);
  if (typed !== undefined && typed === name) return;
  if (typed !== undefined && name !== undefined)
    throw usageError(`--confirm '${typed}' is not the name in the question: ${name}`, messageLine(text));
  if (!yesSuffices && name !== undefined) return await askName(message, name, world);
  if (!globals.yes) await askYes(message, undo, world);
}

async function askYes(message: string, undo: string | undefined, world: World): Promise<void> {
  checkTerminal(message, '--yes', undo, world);
  const { confirm: ask } = await import('@inquirer/prompts');
  const answer = await awaitPrompt(
    ask({ message: questionText(message, '(y/N)', world), default: false }, { input: world.stdin, output: world.stderr }),
  );
  if (!answer) throw new CliError(exitCodes.failed, 'declined', 'Nothing was changed.');
}

async function askName(message: string, name: string, world: World): Promise<void> {
  checkTerminal(message, `--confirm ${shellWord(name)}`, undefined, world, { confirm: name });
  const { input } = await import('@inquirer/prompts');
  world.stderr.write(`${wrapped(message, widthOf(world.stderr))}\n`);
  const wanted = messageLine(name);
  const validate = (text: string) => text === wanted || `Type ${wanted}, or press Ctrl-C to cancel`;
  await awaitPrompt(
    input({ message: questionText(`Type ${wanted} to confirm:`, '', world), validate }, { input: world.stdin, output: world.stderr }),
  );
}

function checkTerminal(message: string, flag: string, undo: string | undefined, world: World, details = {}): void {
  if (canAsk(world)) return;
  throw new CliError(exitCodes.usage, 'confirmation_needed', `Confirmation needed: ${message}`, {
    hint: `${undo === undefined ? 'This cannot be undone' : `${undo} undoes it`}. Add ${flag} to confirm it.`,
    details,
  });
}

/** The service and the account that a command acts on. */
export function describeTarget({ profile, baseUrl, subAccountId }: Pick<Target, 'profile' | 'baseUrl' | 'subAccountId'>): string {
  const where = baseUrl ?? 'the embedded service';
  const as = profile === null ? '' : `profile ${profile}, `;
  return `${as}${where}${subAccountId === undefined ? '' : `, sub-account ${subAccountId}`}`;
}
