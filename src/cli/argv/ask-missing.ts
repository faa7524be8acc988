import type { Options, OptionSpec } from '../verb/noun.ts';
import { awaitPrompt, questionText } from '../verb/prompting.ts';
import { camelCase } from '../verb/values.ts';
import type { Argument } from '../verb/verb-options.ts';
import { capitalize } from '../output/capitalize.ts';
import { canAsk, type World } from '../world.ts';
import { optionName } from '../verb/verb-options.ts';
import { missingArguments, missingOptions } from './arguments.ts';

/** The words and the options of a command line. */
interface Given {
  readonly words: readonly string[];
  readonly options: Options;
}

/**
 * Prompts for missing required arguments and options if there is a terminal.
 * @returns the given words and options with the answers
 * @throws CliError 130 if the user interrupts a prompt
 */
export async function askMissing(args: readonly Argument[], specs: readonly OptionSpec[], given: Given, world: World): Promise<Given> {
  if (!canAsk(world)) return given;
  const words = [...given.words];
  for (const argument of missingArguments(args, words, given.options)) words.push(await ask(argument.summary, argument.choices, world));
  const options: Record<string, unknown> = { ...given.options };
  for (const { flags, summary, choices, parse } of missingOptions(specs, options)) {
    const text = await ask(summary, choices, world, parse);
    options[camelCase(optionName(flags))] = parse ? parse(text, undefined) : text;
  }
  return { words, options };
}

async function ask(summary: string, choices: readonly string[] | undefined, world: World, parse?: OptionSpec['parse']): Promise<string> {
  const { input, select } = await import('@inquirer/prompts');
  const message = questionText(`${capitalize(summary)}:`, '', world);
  const streams = { input: world.stdin, output: world.stderr };
  if (choices) return await awaitPrompt(select({ message, choices }, streams));
  const validate = (text: string) => {
    if (text === '') return 'Type a value, or press Ctrl-C to cancel';
    try {
      parse?.(text, undefined);
      return true;
    } catch (error) {
      return `It ${(error as Error).message}`;
    }
  };
  return await awaitPrompt(input({ message, validate }, streams));
}
