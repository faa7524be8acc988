import { InterfaceError } from '../../client/errors.ts';
import { didYouMean } from '../did-you-mean.ts';
import type { CliError } from '../errors.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { refusedInputError, toCliError } from '../explain.ts';
import { capitalize } from '../output/capitalize.ts';
import { detailsOf, fieldType, flagOf, kebabCase } from './fields.ts';
import { listCommand } from './names.ts';
import type { ArgumentSpec, FieldSpec, OptionSpec } from './noun.ts';
import type { Lookup } from './lookup.ts';
import { invalidValueMessage } from '../invalid-value.ts';
import { camelCase } from './values.ts';
import { argumentName } from './verb-options.ts';

/** The input of a request, used to report errors in terms of the command line. */
export interface CommandInput {
  /** The endpoint of the request, whose fields `fields` and `arguments` fill. */
  readonly endpoint?: Endpoint;
  readonly arguments: readonly ArgumentSpec[];
  readonly fields: readonly FieldSpec[];
  readonly values: readonly string[];
  /** The options that do not correspond to a field. The verb's code can use them for a part of a field, such as `--keywords`. */
  readonly ownOptions?: readonly OptionSpec[] | undefined;
  /** The values of options, to find a misspelled one. */
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * Reports an error of the service in terms of the command line: with the option instead of the field, and with the record that
 * was not found.
 * @returns the same error if it is not about the input
 */
export function inCommandTerms(error: unknown, input: CommandInput): unknown {
  if (!(error instanceof InterfaceError)) return error;
  if (error.status === 400) return fieldError(error, input) ?? error;
  if (error.status === 404) return missingRecordError(error, input) ?? error;
  return error;
}

function fieldError(error: InterfaceError, input: CommandInput): CliError | undefined {
  const { field: path, problem, reason } = error;
  const ofSeveral = reason === 'choice_of_fields' ? choiceError(error, input) : undefined;
  if (ofSeveral || path === undefined) return ofSeveral;
  const isMissing = reason === 'missing_field';
  const what = sourceOf(path, { ...input, isRequired: isMissing });
  if (what === undefined) return undefined;
  const known = wordsOf(path, input);
  const within = withinField(path, input);
  const value = within === '' && !isMissing ? valueGiven(path, input) : undefined;
  const given = value === undefined ? [...input.values, ...Object.values(input.options).flat()] : [value];
  const words = given.filter((each) => typeof each === 'string').flatMap((each) => each.split(',').map((word) => word.trim()));
  const meant = words.filter((word) => !known.includes(word)).map((word) => didYouMean(word, known));
  // oxlint-disable-next-line project/restricted-syntax -- not to repeat the value
  const aboutValue = value !== undefined && problem.startsWith(`${value} `) ? problem.slice(value.length + 1) : problem;
  const hint = meant.find((each) => each !== undefined) ?? toCliError(error).hint;
  return refusedInputError(error, invalidValueMessage(`${what}${within}`, value, aboutValue), hint);
}

/**
 * The value that an option or argument gave to a field, or the invalid item of its list; undefined if it was read elsewhere, or
 * is an address, which can hold a secret.
 */
function valueGiven(path: string, { arguments: args, fields, values, options }: CommandInput): string | undefined {
  const details = fields.map(detailsOf).find(({ field }) => isIn(path, field));
  const given = options[details ? camelCase(flagOf(details)) : path] ?? values[args.findIndex((spec) => isFor(path, spec))];
  const value: unknown = Array.isArray(given) ? given[Number(/\.(\d+)$/.exec(path)?.[1])] : given;
  return typeof value === 'string' && value !== '-' && !value.includes('://') ? value : undefined;
}

/**
 * The path within the JSON of an option, such as `: monday.start_time`; empty if the option is not JSON or the error is about
 * all of it.
 */
function withinField(path: string, { fields, options }: CommandInput): string {
  const given = fields.map(detailsOf).find((details) => isIn(path, details.field) && options[camelCase(flagOf(details))] !== undefined);
  const inner = path.slice((given?.field ?? path).length + 1);
  return /[a-z]/.test(inner) ? `: ${inner}` : '';
}

/** An error about several fields, such as `give 'now' or 'frozen'`, with the options and arguments for the names in quotes. */
function choiceError(error: InterfaceError, input: CommandInput): CliError | undefined {
  const { problem } = error;
  // oxlint-disable-next-line project/restricted-syntax -- `choice_of_fields` says that names of fields are in quotes
  const message = problem.replace(/'(\w+)'/g, (quoted, path: string) => sourceOf(path, { ...input, isRequired: true }) ?? quoted);
  return message === problem ? undefined : refusedInputError(error, capitalize(message));
}

/** The option or argument that filled a field or must fill it; undefined if there is none. */
function sourceOf(path: string, input: CommandInput & { isRequired: boolean }): string | undefined {
  const { arguments: args, fields, ownOptions = [], options, isRequired } = input;
  const argument = args.find((spec) => isFor(path, spec));
  const field = fields.map(detailsOf).find((details) => isIn(path, details.field));
  const isGiven = field && options[camelCase(flagOf(field))] !== undefined;
  const own = ownOptions.find((option) => isOwn(path, option));
  // An option for a part of a field is more specific than the one for the whole field, unless the latter was used.
  const isPart = own !== undefined && !isGiven && field !== undefined && path !== field.field;
  if (field && !isPart && (isGiven || isRequired)) return `--${flagOf(field)}`;
  if (argument) return `<${argumentName(argument)}>`;
  if (own) return nameOf(own);
  return pageFields.includes(path) && options[path] !== undefined ? `--${path}` : undefined;
}

/** Whether an option of the verb's code fills a field: it says so, or has its name. */
function isOwn(path: string, option: OptionSpec): boolean {
  const flags = path.split('.').map((name) => `--${kebabCase(name)}`);
  return isFilledBy(path, option.fills) || flags.includes(nameOf(option));
}

function nameOf({ flags }: OptionSpec): string {
  return flags.split(' ', 1)[0] ?? '';
}

const pageFields = ['cursor', 'limit'];

function isIn(path: string, field: string | undefined): boolean {
  return field !== undefined && (path === field || path.startsWith(`${field}.`));
}

function isFor(path: string, { field, param, fills }: ArgumentSpec): boolean {
  return isIn(path, field ?? snakeCase(param)) || isFilledBy(path, fills);
}

function isFilledBy(path: string, fields: readonly string[] = []): boolean {
  return fields.some((field) => isIn(path, field));
}

function snakeCase(param: string | undefined): string | undefined {
  return param?.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The words that a field can have: those of the contract, or those that the shell completes. */
function wordsOf(path: string, { endpoint, arguments: args, fields, ownOptions = [] }: CommandInput): readonly string[] {
  const field = fields.map(detailsOf).find((details) => isIn(path, details.field));
  const source = field ?? args.find((spec) => isFor(path, spec)) ?? ownOptions.find((option) => isOwn(path, option));
  if (Array.isArray(source?.completes)) return source.completes as readonly string[];
  const name = source && 'field' in source ? source.field : undefined;
  return endpoint === undefined || name === undefined ? [] : (fieldType(endpoint, name).values ?? []);
}

function lookupOf({ lookup, completes }: ArgumentSpec): Lookup | undefined {
  return lookup ?? (typeof completes === 'object' && 'endpoint' in completes ? completes : undefined);
}

function oneWord(value: unknown): string | undefined {
  const words: unknown[] = [value].flat();
  return words.length === 1 && typeof words[0] === 'string' ? words[0] : undefined;
}

/** Reports which record was not found, and the command that lists such records. */
function missingRecordError(error: InterfaceError, { arguments: args, fields, values, options }: CommandInput): CliError | undefined {
  const isAboutLookup = (lookup: Lookup | undefined) => lookup !== undefined && error.reason === `${lookup.record}_not_found`;
  const index = args.findIndex((spec) => isAboutLookup(lookupOf(spec)));
  const field = fields.map(detailsOf).find((details) => isAboutLookup(details.lookup));
  const argument = args[index];
  const lookup = argument ? lookupOf(argument) : field?.lookup;
  if (!lookup) return undefined;
  const word = argument?.isRepeated ? undefined : argument ? values[index] : oneWord(options[camelCase(field ? flagOf(field) : '')]);
  return toCliError(error).with({
    ...(word !== undefined && { message: `There is no ${lookup.what} '${word}'` }),
    hint: `\`${listCommand(lookup)}\` lists them.`,
  });
}
