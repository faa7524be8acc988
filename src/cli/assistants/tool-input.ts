import { camelCase } from '../verb/values.ts';
import type { OptionSpec, Verb } from '../verb/noun.ts';
import { type Argument, argumentsOf, optionName, optionsOf } from '../verb/verb-options.ts';

/** A part of a JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Who calls a tool decides what it takes. */
export interface InputChoice {
  /** Whether the tool may change something. */
  readonly allowsWrites: boolean;
  /** Whether the tool takes the sub-account to act on. */
  readonly takesSubAccount: boolean;
}

/** One argument of a tool. */
interface Property {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
  /** Its words on the command line; those of a positional argument come after `--`. */
  readonly words: (value: unknown) => readonly string[];
  readonly isPositional: boolean;
}

/** What a tool takes, as JSON Schema, and how its arguments become a command line. */
export interface ToolInput {
  readonly schema: JsonSchema;
  /**
   * The words after the noun and the verb.
   * @param args the arguments of the call
   * @throws InvalidArgument when an argument is unknown, missing or of another type
   */
  readonly wordsOf: (args: Readonly<Record<string, unknown>>) => readonly string[];
}

/** An argument that a tool does not take. The message says which, and what it takes. */
export class InvalidArgument extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidArgument';
  }
}

/** How many rows a tool answers at most. Further ones need the cursor. */
const mostRows = 100;

/** Options that are about files, terminals, whole lists and exit codes, which tools do not have. */
const notOffered: ReadonlySet<string> = new Set(['input', 'all', 'watch', 'chart', 'pivot', 'fail-on']);

/** What a verb takes as a tool. */
export function toolInput(verb: Verb, { allowsWrites, takesSubAccount }: InputChoice): ToolInput {
  const args = argumentsOf(verb).filter((argument) => !argument.isInBody || argument.isRepeated);
  const inBody = argumentsOf(verb).filter((argument) => argument.isInBody && !argument.isRepeated);
  const needed = new Set(inBody.flatMap(({ name, isOptional, isNeeded }) => (!isOptional || isNeeded ? [name] : [])));
  const properties = [
    ...args.map(positional),
    ...offeredOptions(verb, allowsWrites).map((group) => optionProperty(group, needed, verb)),
    ...(takesSubAccount ? [subAccount] : []),
  ];
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties.map(({ name, schema: own }) => [name, own])),
    required: properties.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    additionalProperties: false,
  };
  return { schema, wordsOf: (given) => wordsOf(properties, given) };
}

function wordsOf(properties: readonly Property[], args: Readonly<Record<string, unknown>>): readonly string[] {
  const names = properties.map(({ name }) => name);
  const unknown = Object.keys(args).filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new InvalidArgument(`There is no argument ${unknown.join(', ')}: the tool takes ${names.join(', ') || 'none'}`);
  const given = properties.filter(({ name }) => args[name] !== undefined && args[name] !== null);
  const missing = properties.filter((property) => property.isRequired && !given.includes(property)).map(({ name }) => name);
  if (missing.length > 0) throw new InvalidArgument(`The argument ${missing.join(', ')} is missing`);
  for (const { name, schema } of given) checkType(name, schema, args[name]);
  const words = (isPositional: boolean) =>
    given.filter((property) => property.isPositional === isPositional).flatMap(({ name, words: of }) => of(args[name]));
  const [options, positionals] = [words(false), words(true)];
  return positionals.length > 0 ? [...options, '--', ...positionals] : options;
}

/** The service and the command check values. Here, a value only must become the words that it should. */
function checkType(name: string, { type, items, maximum = Infinity }: JsonSchema, value: unknown): void {
  // An empty text clears a field, whatever its type.
  if (value === '') return;
  const ofItems = (items as JsonSchema | undefined)?.type;
  if (!isOf(type, value) || (Array.isArray(value) && !value.every((item) => isOf(ofItems, item))))
    throw new InvalidArgument(
      `The argument ${name} must be ${type === 'array' ? `an array of type ${ofItems as string}` : `of type ${type as string}`}`,
    );
  if (typeof value === 'number' && value > (maximum as number))
    throw new InvalidArgument(`The argument ${name} must be at most ${maximum as number}`);
}

/** Whether a value is of a type of JSON Schema. A number can stand for a text, because it is written in the same way. */
function isOf(wanted: unknown, value: unknown): boolean {
  switch (wanted) {
    case undefined:
      return true;
    case 'integer':
      return Number.isSafeInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'string':
      return typeof value === 'string' || typeof value === 'number';
    default:
      return typeof value === wanted;
  }
}

function positional({ name, summary, choices, isOptional, isRepeated, takesFiles }: Argument): Property {
  const item = { type: 'string', ...(choices && { enum: choices }) };
  return {
    name: nameOf(name),
    schema: isRepeated ? { type: 'array', items: item, description: summary } : { ...item, description: summary },
    isRequired: !isOptional,
    words: (value) => {
      const words = [value].flat().map(String);
      if (takesFiles && words.some((word) => word.startsWith('@')))
        throw new InvalidArgument(`The argument ${nameOf(name)} takes no files`);
      return words;
    },
    isPositional: true,
  };
}

/** An option with its negation, if it has one: `--archived` and `--no-archived`. */
interface OptionGroup {
  readonly name: string;
  readonly positive: OptionSpec | undefined;
  readonly negative: OptionSpec | undefined;
}

function offeredOptions(verb: Verb, allowsWrites: boolean): OptionGroup[] {
  const offered = optionsOf(verb).filter((option) => {
    const name = optionName(option.flags);
    if (name === 'key-file') return true;
    if (notOffered.has(name) || option.completes === 'file') return false;
    if (name === 'dry-run') return allowsWrites;
    // Without an endpoint, what it changes are files.
    if ((!allowsWrites || !verb.endpoint) && verb.readsUnless?.includes(camelCase(name))) return false;
    return verb.instead?.({ [camelCase(name)]: true })?.endpoint?.isStream !== true;
  });
  const groups = Map.groupBy(offered, (option) => optionName(option.flags).replace(/^no-/, ''));
  return [...groups].map(([name, same]) => ({
    name,
    positive: same.find((option) => optionName(option.flags) === name),
    negative: same.find((option) => optionName(option.flags) !== name),
  }));
}

function optionProperty({ name, positive, negative }: OptionGroup, needed: ReadonlySet<string>, verb: Verb): Property {
  const option = (positive ?? negative) as OptionSpec;
  const isFlag = !/[<[]/.test(option.flags);
  const isRequired = option.isRequired === true || needed.has(name) || (name === 'key-file' && verb.makesKey === true);
  if (isFlag)
    return {
      name: nameOf(name),
      schema: { type: 'boolean', description: positive ? positive.summary : `false: ${option.summary}` },
      isRequired,
      words: (value) => (value === true ? (positive ? [`--${name}`] : []) : negative ? [`--no-${name}`] : []),
      isPositional: false,
    };
  return {
    name: nameOf(name),
    schema: { ...typeOf(option, name), description: summaryOf(name, option, verb.pages === true) },
    isRequired,
    words: (value) =>
      option.isRepeated ? (value as readonly string[]).map((each) => `--${name}=${each}`) : [`--${name}=${textOf(value)}`],
    isPositional: false,
  };
}

/** The type of an option's value. */
function typeOf({ isList, isRepeated, kind, choices }: OptionSpec, name: string): JsonSchema {
  const item = { type: 'string', ...(choices && { enum: choices }) };
  if (isList || isRepeated) return { type: 'array', items: item };
  if (name === 'limit') return { type: 'integer', minimum: 1, maximum: mostRows };
  if (kind === 'count') return { type: 'integer', minimum: 1 };
  return kind === 'json' ? {} : kind ? { type: kind } : item;
}

function summaryOf(name: string, { summary }: OptionSpec, isPaged: boolean): string {
  if (name === 'limit' && isPaged) return 'how many rows to answer at most (default: 50)';
  if (name === 'confirm') return 'the name that the tool asks for; without it, the tool says which';
  if (name === 'key-file') return 'the file on this machine to which the new key is written; the result does not have it';
  return summary;
}

const subAccount: Property = {
  name: 'sub_account',
  schema: { type: 'string', description: 'act on this sub-account: its id or its name (default: the own account)' },
  isRequired: false,
  words: (value) => {
    if (/[,*@?]/.test(String(value)) || ['all', ''].includes(String(value)))
      throw new InvalidArgument('The argument sub_account must be the id or the name of one sub-account');
    return [`--sub-account=${String(value)}`];
  },
  isPositional: false,
};

/** A value as the word on a command line that stands for it. */
function textOf(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.map(listItem).join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** An item of a comma-separated list, quoted as in CSV. */
function listItem(text: string): string {
  return /[",]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function nameOf(text: string): string {
  return text.replaceAll('|', '_or_').replaceAll(/\W/g, '_');
}
