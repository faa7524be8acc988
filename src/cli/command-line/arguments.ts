import { fieldOptions } from '../command/fields.ts';
import type { Options, OptionSpec, Verb } from '../command/noun.ts';
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
    const { name, isRepeated, isInBody, isOptional, isNeeded } = argument;
    const needed = args.slice(index + 1).filter((later) => !later.isOptional && optionFor(later) === undefined).length;
    const next = () => (isOptional && left.length <= needed ? undefined : left.shift());
    const taken = isRepeated ? left.splice(0) : [optionFor(argument) ?? next()];
    values.push(...taken);
    if ((!isOptional || isNeeded) && taken[0] === undefined && !(isInBody && options.input !== undefined))
      throw usageError(`Missing required argument '${name}'`, helpHint(words));
  }
  if (left.length > 0) throw usageError(`Too many arguments: '${left[0]}' was not expected`, helpHint(words));
  return values as string[];
}

/** @throws CliError 2 when a verb that changes a record is given no change */
export function checkChange(verb: Verb, options: Options, words: string): void {
  const isUpdate = verb.endpoint?.method === 'PUT' || verb.endpoint?.method === 'PATCH';
  const flags = fieldOptions(verb).map((option) => flagOf(option));
  if (!isUpdate || flags.length === 0 || options.input !== undefined) return;
  if (flags.some((flag) => options[camelCase(flag.replace(/^no-/, ''))] !== undefined)) return;
  const names = flags.filter((flag) => !flag.startsWith('no-')).map((flag) => `--${flag}`);
  throw usageError('There is nothing to change', `Give at least one of ${names.join(', ')}. ${helpHint(words)}`);
}

/** @throws CliError 2 when an option is missing that `--input` does not give either */
export function checkRequiredOptions(specs: readonly OptionSpec[], options: Options, words: string): void {
  if (options.input !== undefined) return;
  const missing = specs.find((option) => option.isRequired && options[camelCase(flagOf(option))] === undefined);
  if (missing) throw usageError(`Missing required option '${missing.flags}'`, helpHint(words));
}

/** The long flag of an option, without its dashes. */
function flagOf({ flags }: OptionSpec): string {
  return /--([\w-]+)/.exec(flags)?.[1] ?? '';
}
