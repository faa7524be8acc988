import type { Options, OptionSpec } from '../command/noun.ts';
import { camelCase } from '../command/values.ts';
import type { Argument } from '../command/verb-options.ts';
import { usageError } from '../errors.ts';
import { helpHint } from './command-line-error.ts';

/**
 * Assigns the words of a command line to the arguments. An argument that is given by an option gets no word, and an optional
 * one leaves the words to the required ones after it.
 * @param words the noun and the verb, for messages
 * @returns a value for each argument; a repeated argument gets all remaining words
 * @throws CliError 2 when an argument is missing that neither an option nor `--input` gives, or when there are too many
 *   words
 */
export function placeValues(args: readonly Argument[], given: readonly (string | undefined)[], options: Options, words: string): string[] {
  const left = given.filter((value) => value !== undefined);
  const values: (string | undefined)[] = [];
  const optionFor = ({ name, isInBody }: Argument) => (isInBody ? (options[camelCase(name)] as string | undefined) : undefined);
  for (const [index, argument] of args.entries()) {
    const { name, isRepeated, isInBody, isOptional } = argument;
    const needed = args.slice(index + 1).filter((later) => !later.isOptional && optionFor(later) === undefined).length;
    const next = () => (isOptional && left.length <= needed ? undefined : left.shift());
    const taken = isRepeated ? left.splice(0) : [optionFor(argument) ?? next()];
    values.push(...taken);
    if (!isOptional && taken[0] === undefined && !(isInBody && options.input !== undefined))
      throw usageError(`Missing required argument '${name}'`, helpHint(words));
  }
  if (left.length > 0) throw usageError(`Too many arguments: '${left[0]}' was not expected`, helpHint(words));
  return values as string[];
}

/** @throws CliError 2 when an option is missing that `--input` does not give either */
export function checkRequiredOptions(specs: readonly OptionSpec[], options: Options, words: string): void {
  if (options.input !== undefined) return;
  const missing = specs.find(
    ({ flags, isRequired }) => isRequired && options[camelCase(/--([\w-]+)/.exec(flags)?.[1] ?? '')] === undefined,
  );
  if (missing) throw usageError(`Missing required option '${missing.flags}'`, helpHint(words));
}
