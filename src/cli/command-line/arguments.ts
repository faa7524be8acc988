import type { Options, OptionSpec } from '../command/noun.ts';
import { camelCase } from '../command/values.ts';
import type { Argument } from '../command/verb-options.ts';
import { usageError } from '../errors.ts';

/**
 * Assigns the words of a command line to the arguments. An argument that is given by an option gets no word.
 * @param words the noun and the verb, for messages
 * @returns a value for each argument; a repeated argument gets all remaining words
 * @throws CliError 2 when an argument is missing that neither an option nor `--input` gives, or when there are too many
 *   words
 */
export function placeValues(args: readonly Argument[], given: readonly string[], options: Options, words: string): string[] {
  const [missing] = missingArguments(args, given, options);
  if (missing) throw usageError(`Missing required argument '${missing.name}'`, helpHint(words));
  const left = [...given];
  const values = args.flatMap((argument) => (argument.isRepeated ? left.splice(0) : [optionFor(argument, options) ?? left.shift()]));
  if (left.length > 0) throw usageError(`Too many arguments: '${left[0]}' was not expected`, helpHint(words));
  return values as string[];
}

/** The required arguments that neither a word nor an option nor `--input` gives. */
export function missingArguments(args: readonly Argument[], given: readonly string[], options: Options): Argument[] {
  let left = given.length;
  return args.filter((argument) => {
    if (optionFor(argument, options) !== undefined) return false;
    const isGiven = left > 0;
    left -= argument.isRepeated ? left : Math.min(left, 1);
    return !isGiven && !argument.isOptional && !(argument.isInBody && options.input !== undefined);
  });
}

function optionFor({ name, isInBody, isRepeated }: Argument, options: Options): string | undefined {
  return isInBody && !isRepeated ? (options[camelCase(name)] as string | undefined) : undefined;
}

/** @throws CliError 2 when an option is missing that `--input` does not give either */
export function checkRequiredOptions(specs: readonly OptionSpec[], options: Options, words: string): void {
  const [missing] = missingOptions(specs, options);
  if (missing) throw usageError(`Missing required option '${missing.flags}'`, helpHint(words));
}

/** The required options that are not given. `--input` may give all of them. */
export function missingOptions(specs: readonly OptionSpec[], options: Options): OptionSpec[] {
  if (options.input !== undefined) return [];
  return specs.filter(({ flags, isRequired }) => isRequired && options[camelCase(optionName(flags))] === undefined);
}

/** The long name of an option, without dashes. */
export function optionName(flags: string): string {
  return /--([\w-]+)/.exec(flags)?.[1] ?? '';
}

function helpHint(words: string): string {
  return `Run 'msgctl ${words} --help' for usage.`;
}
