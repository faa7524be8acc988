import type { Client } from '../../client/client.ts';
import { type Endpoint, isWrite, subAccountPlace } from '../../contract/endpoint.ts';
import { type ExitCode, usageError } from '../errors.ts';
import type { GlobalOptions } from './global-options.ts';
import { mergeInput } from './input.ts';
import { keyFileOption, withNewKey } from '../profiles/key-file.ts';
import type { Notes } from '../output/notes.ts';
import type { Result, Row } from '../output/result.ts';
import { wholeList } from '../output/result.ts';
import type { Targets } from '../target/targets.ts';
import type { World } from '../world.ts';

/** What a verb's own code works with. */
export interface Session {
  readonly world: World;
  readonly globals: GlobalOptions;
  readonly targets: Targets;
  readonly notes: Notes;
  /** The body that `--input` gave; empty without. */
  readonly input: Row;
  /**
   * Asks before something that cannot be undone.
   * @throws CliError 2 when it must be asked and nobody is there, 1 when the answer is no
   */
  readonly confirm: (question: string) => Promise<void>;
}

/** The parsed options of a verb, by their names in camel case. */
export type Options = Readonly<Record<string, unknown>>;

/** The rows of a list, whose ids a shell completes. */
export interface Lookup {
  readonly endpoint: Endpoint;
  /** The field of the answer that holds the rows. */
  readonly rows: string;
  /** The field that tells a person which row it is. */
  readonly label: string;
  /** The field that is offered; the id when left out. */
  readonly value?: string;
}

/** What a shell offers for a value: words, files, profiles, sub-accounts, or the ids of a list. */
export type Completes = readonly string[] | 'file' | 'profile' | 'sub-account' | Lookup;

/** An argument of a verb: `<id>`, `[id]` or `<id...>`, with what it is. */
export type ArgumentSpec = readonly [name: string, summary: string, completes?: Completes];

/** An option of a verb, as commander writes it: `--label <text>`. */
export interface OptionSpec {
  readonly flags: string;
  readonly summary: string;
  readonly required?: boolean;
  readonly choices?: readonly string[];
  readonly completes?: Completes;
  /** Turns the text into a value; throws a usage error when it cannot be one. */
  readonly parse?: (text: string, previous: unknown) => unknown;
}

/** How an endpoint's answer is shown. */
export interface Shown {
  /** The field that holds the record; the answer itself when left out. */
  readonly field?: string;
  /** The field that holds the rows of a list. */
  readonly rows?: string;
  readonly columns: readonly string[];
}

/** One verb of a noun. */
export interface Verb {
  /** `list`, or of two words, `clock advance`; empty when the noun is the whole command. */
  readonly name: string;
  readonly summary: string;
  /** Command lines with what they are for. */
  readonly examples: readonly (readonly [command: string, purpose: string])[];
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** What it calls: decides on sub-accounts, `--dry-run`, `--input` and the fields. Left out, it calls nothing of the interface. */
  readonly endpoint?: Endpoint;
  /** Whether it can act on any sub-account, where no endpoint says so. */
  readonly actsOnSubAccounts?: boolean;
  /** Whether it may change something, where no endpoint says so. */
  readonly writes?: boolean;
  /** Whether `--input` gives its body; where the endpoint takes one, unless this says otherwise. */
  readonly takesInput?: boolean;
  /** Whether it runs on one account only, as what it reads or writes here belongs to one. */
  readonly isForOneAccount?: boolean;
  /** How many arguments stand in the path; those behind belong to the body. */
  readonly pathArguments?: number;
  /** Whether what is shown stands in the answer as it is, so that every field of it can be asked for. */
  readonly showsAnswer?: boolean;
  /** Left out, it prints a document. */
  readonly shown?: Shown;
  /** What it asks before it runs, when it cannot be undone. */
  readonly confirm?: (values: readonly string[], options: Options) => string;
  /** Whether it acts on the control surface, and so perhaps elsewhere than the interface's commands. */
  readonly isSandbox?: boolean;
  readonly run: (session: Session, values: readonly string[], options: Options) => Promise<Result>;
}

/** A noun with its verbs: what one chunk of the program holds. */
export interface Noun {
  readonly name: string;
  readonly summary: string;
  readonly verbs: readonly Verb[];
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
  /** The path's parameters, in the order of the arguments; or what computes them once the client is open. */
  readonly params?: readonly string[] | ((session: Session, values: readonly string[]) => Promise<Record<string, string>>);
  readonly query?: (options: Options, values: readonly string[]) => Row;
  readonly body?: (options: Options, values: readonly string[], session: Session) => Row;
  readonly shown: Shown;
  /** Makes the record that is shown, where it is no field of the answer. */
  readonly record?: (answer: Row) => Row;
  /** Whether the answer carries a new `api_key`, which is shown once or written to `--key-file`. */
  readonly makesKey?: boolean;
  /** What the answer means for the exit code. */
  readonly exitCode?: (answer: Row) => ExitCode;
  /** Said on stderr when it is done. */
  readonly done?: (answer: Row, values: readonly string[]) => string;
}

/** The options of a list that pages. */
const pageOptions: readonly OptionSpec[] = [
  { flags: '--limit <count>', summary: 'show so many rows in all (50 unless given)', parse: parseCount },
  { flags: '--all', summary: 'show every row' },
  { flags: '--cursor <cursor>', summary: 'go on from a next_cursor' },
];

const writeOptions: readonly OptionSpec[] = [
  { flags: '--input <file>', summary: 'the body as JSON or YAML; `-` reads stdin, and flags win over it', completes: 'file' },
  { flags: '--dry-run', summary: 'print the request, and send nothing' },
];

/** How many rows a list shows unless it is told otherwise. */
const defaultLimit = 50;

/** The arguments that the body needs: a flag of the same name or `--input` may bring them instead. */
export function bodyArguments({ arguments: specs = [], pathArguments, endpoint }: Verb): readonly ArgumentSpec[] {
  if (pathArguments === undefined || !endpoint?.body) return [];
  return specs.slice(pathArguments).filter(([name]) => name.startsWith('<'));
}

/** All options of a verb: its own, its arguments as flags, and those that every write has. */
export function optionsOf(verb: Verb): readonly OptionSpec[] {
  const flags = bodyArguments(verb)
    .filter(([name]) => !name.includes('...'))
    .map(([name, summary, completes]) => ({ flags: `--${name.slice(1, -1)} <text>`, summary, ...(completes && { completes }) }));
  const own = [...flags, ...(verb.options ?? [])];
  if (!isWriteVerb(verb)) return own;
  const takesInput = verb.takesInput ?? (verb.endpoint ? verb.endpoint.body !== undefined : true);
  return [...own, ...writeOptions.filter(({ flags }) => takesInput || flags !== '--input <file>')];
}

/** Whether a verb makes a key that is shown once. */
export function makesKey({ options }: Verb): boolean {
  return options?.includes(keyFileOption) ?? false;
}

/** Whether a verb may change something on the service. */
export function isWriteVerb({ endpoint, writes }: Verb): boolean {
  return writes === true || (endpoint !== undefined && isWrite(endpoint));
}

/** Whether a verb can act on a sub-account. */
export function actsOnSubAccounts({ endpoint, actsOnSubAccounts: acts }: Verb): boolean {
  return acts === true || (endpoint !== undefined && subAccountPlace(endpoint) !== null);
}

/** Makes a verb of a call. */
export function callVerb(spec: CallSpec): Verb {
  return makeVerb(spec, (session) => session.targets.client());
}

/** Makes the verb that deletes a record, once it has asked. */
export function deleteVerb(
  what: string,
  { consequence = '', ...spec }: Pick<CallSpec, 'endpoint' | 'examples' | 'arguments' | 'params'> & { consequence?: string },
): Verb {
  return callVerb({
    name: 'delete',
    confirm: ([id]) => `Delete the ${what} ${id}${consequence}?`,
    shown: { columns: [] },
    done: (_answer, [id]) => `The ${what} ${id} is deleted.`,
    ...spec,
  });
}

/** Makes a verb of a call to the control surface. */
export function sandboxVerb(spec: CallSpec): Verb {
  return { ...makeVerb(spec, (session) => session.targets.sandboxClient()), isSandbox: true };
}

function makeVerb(spec: CallSpec, open: (session: Session) => Promise<Client>): Verb {
  const { endpoint, params = [] } = spec;
  const shown = endpoint.rows === undefined ? spec.shown : { rows: endpoint.rows, ...spec.shown };
  return {
    name: spec.name,
    summary: spec.summary ?? endpoint.summary,
    examples: spec.examples,
    arguments: spec.arguments ?? [],
    options: [...(spec.options ?? []), ...(endpoint.rows ? pageOptions : []), ...(spec.makesKey ? [keyFileOption] : [])],
    endpoint,
    pathArguments: typeof params === 'function' ? 0 : params.length,
    shown,
    showsAnswer: spec.record === undefined && spec.makesKey !== true,
    confirm: spec.confirm,
    run: async (session, values, options) => {
      const client = await open(session);
      const input = {
        params:
          typeof params === 'function'
            ? await params(session, values)
            : Object.fromEntries(params.map((name, index) => [name, values[index] ?? ''])),
        query: spec.query?.(options, values) ?? {},
        body: mergeInput(session.input, spec.body?.(options, values, session) ?? {}),
      };
      if (endpoint.rows) return pagedList(client, endpoint, input, options);
      const call = async () => (await client.call(endpoint, input as never)) as Row;
      if (spec.makesKey) return await withNewKey(session, options, shown.columns, call, spec.record);
      const answer = await call();
      if (spec.done) session.notes.say(spec.done(answer, values));
      const result = spec.record ? ({ kind: 'record', answer, record: spec.record(answer) } as const) : showAnswer(answer, shown);
      return spec.exitCode ? { ...result, exitCode: spec.exitCode(answer) } : result;
    },
  };
}

function pagedList(client: Client, endpoint: Endpoint, input: { query: Row }, options: Options): Result {
  const query = { ...input.query, ...(options.cursor === undefined ? {} : { cursor: options.cursor }) };
  return { kind: 'list', field: endpoint.rows ?? '', pages: client.pages(endpoint, { ...input, query }, rowLimit(options)), paged: true };
}

/**
 * How many rows a list shows in all; undefined for every one.
 * @throws CliError 2 when the options contradict each other
 */
export function rowLimit({ all, limit }: Options): number | undefined {
  if (all && limit !== undefined) throw usageError('--all and --limit exclude each other');
  return all ? undefined : ((limit as number | undefined) ?? defaultLimit);
}

/** Shows an answer: as a list where it holds rows, else as a record. */
function showAnswer(answer: Row, { field, rows }: Shown): Extract<Result, { kind: 'list' | 'record' }> {
  if (rows !== undefined) return wholeList(rows, answer[rows] as Row[]);
  return { kind: 'record', answer, record: field === undefined ? answer : (answer[field] as Row) };
}

/** @throws InvalidValue unless the text is a whole number above 0 */
export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidValue('must be a whole number above 0');
  return Number(text);
}

/** @throws InvalidValue unless the text is JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new InvalidValue('must be JSON');
  }
}

export function parseNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidValue('must be a number');
  return value;
}

/** Collects an option that may be repeated or hold several values with commas between. */
export function parseList(text: string, previous: unknown): string[] {
  return [...((previous as string[] | undefined) ?? []), ...splitList(text)];
}

/** @throws InvalidValue when an item is empty: an unset variable of a script must not turn into no limit at all */
export function splitList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  if (items.includes('')) throw new InvalidValue('must not be empty');
  return items;
}

/** An option's or argument's value cannot be right. */
export class InvalidValue extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidValue';
  }
}

/** A value that can be cleared: an empty text is none. */
export function clearable(value: unknown): unknown {
  return value === '' ? null : value;
}

/** @throws CliError 2 when two ways of saying the same are used at once */
export function exclusive(one: unknown, other: unknown, what: string): void {
  if (one !== undefined && other !== undefined) throw usageError(`Two values are given for ${what}`, 'Give it once.');
}

/** Leaves out what is undefined. */
export function given(fields: Row): Row {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
