import { fieldOptions, kebabCase } from '../verb/fields.ts';
import type { Options, OptionSpec, Verb } from '../verb/noun.ts';
import { camelCase } from '../verb/values.ts';
import { type Argument, optionName } from '../verb/verb-options.ts';
import { usageError } from '../errors.ts';
import { helpHint, hintAbout } from './command-line-error.ts';

/**
 * Assigns the words of a command line to arguments. An argument that is given as an option takes no word, and an optional one
 * takes none that a later required argument needs.
 * @param words the noun and the verb, for messages
 * @param specs the options of the verb
 * @returns a value for each argument; a repeated argument gets all remaining words
 * @throws CliError 2 if required arguments or options are missing, unless an option or `--input` provides them, or if there are
 * too many words
 */
export function placeValues(
  args: readonly Argument[],
  given: readonly string[],
  options: Options,
  words: string,
  specs: readonly OptionSpec[] = [],
): string[] {
  const { values, missing, left } = assign(args, given, options);
  const missingWords = missing.length > 0 ? [...replaceable(args, given, options), ...missing] : [];
  const missingFlags = missingOptions(specs, options).map(({ flags }) => flags);
  const named = [
    ...phrase(
      'argument',
      missingWords.map(({ name }) => name),
    ),
    ...phrase('option', missingFlags),
  ];
  if (named.length > 0) throw usageError(`Missing required ${named.join(' and ')}`, helpHint(words));
  const twice = args.find((argument) => optionFor(argument, options) !== undefined);
  if (left.length > 0 && twice) throw usageError(`Two values are given for the ${twice.name}`, `Give <${twice.name}> or --${twice.name}.`);
  if (left.length > 0) throw usageError(`Too many arguments: '${left[0]}' was not expected`, hintAbout(left[0] ?? '', helpHint(words)));
  return values as string[];
}

/** The names of what is missing, as one phrase; none if nothing is. */
function phrase(what: string, names: readonly string[]): string[] {
  const quoted = names.map((name) => `'${name}'`);
  const list = [quoted.slice(0, -1).join(', '), ...quoted.slice(-1)].filter((part) => part !== '').join(' and ');
  return names.length === 0 ? [] : [`${what}${names.length > 1 ? 's' : ''} ${list}`];
}

/** The arguments that options can replace, if there are neither words nor such options. */
function replaceable(args: readonly Argument[], given: readonly string[], options: Options): readonly Argument[] {
  if (given.length > 0) return [];
  return args.filter(
    ({ isOptional, fills }) => isOptional && fills.length > 0 && fills.every((field) => options[camelCase(kebabCase(field))] === undefined),
  );
}

/** The required arguments that are given neither as a word nor by an option or `--input`. */
export function missingArguments(args: readonly Argument[], given: readonly string[], options: Options): readonly Argument[] {
  return assign(args, given, options).missing;
}

/** Assigns words to arguments. An optional argument takes no word that a later one needs. */
function assign(args: readonly Argument[], given: readonly string[], options: Options) {
  const left = [...given];
  const values: (string | undefined)[] = [];
  const missing: Argument[] = [];
  for (const [index, argument] of args.entries()) {
    const needed = args.slice(index + 1).filter((later) => !later.isOptional && optionFor(later, options) === undefined).length;
    const next = () => (argument.isOptional && left.length <= needed ? undefined : left.shift());
    const taken = argument.isRepeated ? left.splice(0) : [optionFor(argument, options) ?? next()];
    values.push(...taken);
    const isInInput = argument.isInBody && options.input !== undefined;
    const isRequired = !argument.isOptional || argument.isNeeded;
    if (isRequired && taken[0] === undefined && !isInInput) missing.push(argument);
  }
  return { values, missing, left };
}

function optionFor({ name, isInBody, isRepeated }: Argument, options: Options): string | undefined {
  return isInBody && !isRepeated ? (options[camelCase(name)] as string | undefined) : undefined;
}

/** @throws CliError 2 if a verb that updates a record is called without any change */
export function checkChange(verb: Verb, options: Options, words: string): void {
  const isUpdate = verb.endpoint?.method === 'PUT' || verb.endpoint?.method === 'PATCH';
  const flags = [...fieldOptions(verb), ...(verb.options ?? [])].map((option) => optionName(option.flags));
  // An argument can also be a change.
  const hasArgument = verb.arguments?.some(({ field }) => field !== undefined);
  if (!isUpdate || verb.changesByItself || hasArgument || flags.length === 0 || options.input !== undefined) return;
  if (flags.some((flag) => options[camelCase(flag.replace(/^no-/, ''))] !== undefined)) return;
  const names = flags.filter((flag) => !flag.startsWith('no-')).map((flag) => `--${flag}`);
  throw usageError('There is nothing to change', `Give at least one of ${names.join(', ')}. ${helpHint(words)}`);
}

/** The required options that are not given. With `--input`, none are missing, because it can contain all of them. */
export function missingOptions(specs: readonly OptionSpec[], options: Options): OptionSpec[] {
  if (options.input !== undefined) return [];
  return specs.filter(({ flags, isRequired }) => isRequired && options[camelCase(optionName(flags))] === undefined);
}
