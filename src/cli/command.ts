import type { Client } from '../client/client.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { usageError } from './errors.ts';
import type { GlobalOptions } from './global-options.ts';
import type { Notes } from './output/notes.ts';
import type { Result, Row } from './output/result.ts';
import { wholeList } from './output/result.ts';
import type { Targets } from './target.ts';
import type { World } from './world.ts';

/** What a verb's own code works with. */
export interface Session {
  readonly world: World;
  readonly globals: GlobalOptions;
  readonly targets: Targets;
  readonly notes: Notes;
  /**
   * Asks before something that cannot be undone.
   * @throws CliError 2 when it must be asked and nobody is there, 1 when the answer is no
   */
  readonly confirm: (question: string) => Promise<void>;
}

/** The parsed options of a verb, by their names in camel case. */
export type Options = Readonly<Record<string, unknown>>;

/** An option of a verb, as commander writes it: `--label <text>`. */
export interface OptionSpec {
  readonly flags: string;
  readonly summary: string;
  readonly required?: boolean;
  readonly choices?: readonly string[];
  /** Turns the text into a value; throws a usage error when it cannot be one. */
  readonly parse?: (text: string, previous: unknown) => unknown;
}

/** One verb of a noun. */
export interface Verb {
  /** `list`, or of two words, `clock advance`; empty when the noun is the whole command. */
  readonly name: string;
  readonly summary: string;
  /** Command lines with what they are for. */
  readonly examples: readonly (readonly [command: string, purpose: string])[];
  /** `<id>`, `[id]` or `<id...>`, each with what it is. */
  readonly arguments?: readonly (readonly [name: string, summary: string])[];
  readonly options?: readonly OptionSpec[];
  /** What it asks before it runs, when it cannot be undone. */
  readonly confirm?: (values: readonly string[], options: Options) => string;
  /** Whether it acts on the control surface, and so perhaps elsewhere than the interface's commands. */
  readonly isControl?: boolean;
  readonly run: (session: Session, values: readonly string[], options: Options) => Promise<Result>;
}

/** A noun with its verbs: what one chunk of the program holds. */
export interface Noun {
  readonly name: string;
  readonly summary: string;
  readonly verbs: readonly Verb[];
}

/** How an endpoint's answer is shown. */
export interface Shown {
  /** The field that holds the record or the rows; the answer itself when left out. */
  readonly field?: string;
  readonly columns: readonly string[];
}

/** A verb that calls one endpoint and shows its answer. */
export interface CallSpec {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly summary?: string;
  readonly examples: Verb['examples'];
  readonly arguments?: Verb['arguments'];
  readonly options?: readonly OptionSpec[];
  readonly confirm?: Verb['confirm'];
  /** The path's parameters, in the order of the arguments. */
  readonly params?: readonly string[];
  readonly query?: (options: Options, values: readonly string[]) => Row;
  readonly body?: (options: Options, values: readonly string[]) => Row;
  readonly shown: Shown;
  /** Said on stderr when it is done. */
  readonly done?: (answer: Row, values: readonly string[]) => string;
}

/** The options of a list that pages. */
const pageOptions: readonly OptionSpec[] = [
  { flags: '--limit <count>', summary: 'show so many rows in all (50 unless given)', parse: parseCount },
  { flags: '--all', summary: 'show every row' },
  { flags: '--cursor <cursor>', summary: 'go on from a next_cursor' },
];

const defaultLimit = 50;

/** Makes a verb of a call. */
export function callVerb(spec: CallSpec): Verb {
  return makeVerb(spec, (session) => session.targets.client());
}

/** Makes a verb of a call to the control surface. */
export function controlVerb(spec: CallSpec): Verb {
  return makeVerb(spec, (session) => session.targets.controlClient());
}

function makeVerb(spec: CallSpec, open: (session: Session) => Promise<Client>): Verb {
  const { endpoint, shown } = spec;
  return {
    name: spec.name,
    summary: spec.summary ?? endpoint.summary,
    examples: spec.examples,
    arguments: spec.arguments ?? [],
    options: [...(spec.options ?? []), ...(endpoint.rows ? pageOptions : [])],
    confirm: spec.confirm,
    run: async (session, values, options) => {
      const client = await open(session);
      const input = {
        params: Object.fromEntries((spec.params ?? []).map((name, index) => [name, values[index] ?? ''])),
        query: spec.query?.(options, values) ?? {},
        body: spec.body?.(options, values) ?? {},
      };
      if (endpoint.rows) return pagedList(client, endpoint, input, options, shown.columns);
      const answer = (await client.call(endpoint, input as never)) as Row;
      if (spec.done) session.notes.say(spec.done(answer, values));
      return showAnswer(answer, shown);
    },
  };
}

function pagedList(client: Client, endpoint: Endpoint, input: { query: Row }, options: Options, columns: readonly string[]): Result {
  const query = { ...input.query, ...(options.cursor === undefined ? {} : { cursor: options.cursor }) };
  if (options.all && options.limit !== undefined) throw usageError('--all and --limit exclude each other');
  const limit = options.all ? undefined : ((options.limit as number | undefined) ?? defaultLimit);
  const pages = client.pages(endpoint, { ...input, query }, limit);
  return { kind: 'list', field: endpoint.rows ?? '', columns, pages, paged: true };
}

/** Shows an answer: as a list where its field holds rows, else as a record. */
export function showAnswer(answer: Row, { field, columns }: Shown): Result {
  if (field === undefined) return { kind: 'record', answer, record: answer, columns };
  const value = answer[field];
  if (Array.isArray(value)) return wholeList(field, value as Row[], columns);
  return { kind: 'record', answer, record: value as Row, columns };
}

/** @throws InvalidValue unless the text is a whole number above 0 */
export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidValue('must be a whole number above 0');
  return Number(text);
}

export function parseNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidValue('must be a number');
  return value;
}

/** Collects an option that may be repeated or hold several values with commas between. */
export function parseList(text: string, previous: unknown): string[] {
  const items = text.split(',').map((item) => item.trim());
  // An unset variable of a script must not turn into no limit at all.
  if (items.includes('')) throw new InvalidValue('must not be empty');
  return [...((previous as string[] | undefined) ?? []), ...items];
}

/** An option's or argument's value cannot be right. */
export class InvalidValue extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidValue';
  }
}

/** Leaves out what is undefined. */
export function given(fields: Row): Row {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
