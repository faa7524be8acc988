import type { Endpoint } from '../../contract/endpoint.ts';
import type { GlobalOptions, OutputFormat } from '../global-options.ts';
import type { Notes } from '../output/notes.ts';
import type { Vocabulary } from '../output/conditions.ts';
import type { Drawing } from '../output/list-format.ts';
import type { Result, ResultRow } from '../output/result.ts';
import type { ExitCode } from '../errors.ts';
import type { Lookup } from './lookup.ts';
import type { Names } from './names.ts';
import type { Targets } from '../connection/targets.ts';
import type { World } from '../world.ts';

/** The context in which a verb runs. */
export interface Session {
  readonly world: World;
  readonly globals: GlobalOptions;
  readonly targets: Targets;
  readonly notes: Notes;
  /** The request body from `--input`; empty without it. */
  readonly input: ResultRow;
  /** Finds records by name in the account that the verb acts on. */
  readonly names: Names;
  /**
   * The current time of the service in epoch milliseconds, for everything that is relative to now. Read once, so that `tomorrow`
   * means the same day throughout a command.
   */
  readonly serviceTime: () => Promise<number>;
  /**
   * Reads all of stdin without the final line break, for a value of `-`.
   * @throws CliError 2 if a second value is `-` too, or stdin is empty
   */
  readonly readStdin: () => Promise<string>;
  /** Reads all of stdin unchanged. It can be empty. */
  readonly readWholeStdin: () => Promise<string>;
  /**
   * Asks the user to confirm an action.
   * @throws CliError 2 if confirmation is needed but there is no terminal, 1 if the user declines
   */
  readonly confirm: (question: Question) => Promise<void>;
  /** The accounts selected with `--sub-account`, for a verb that handles several itself; null for a single account. */
  readonly accounts: readonly { readonly id: string | undefined; readonly name: string | null }[] | null;
  /** Runs the command line of a batch again on its remaining accounts. */
  readonly resume: (id: string, output: OutputFormat) => Promise<ExitCode>;
  readonly program: Program;
}

/** The whole program, for a verb through which other programs use it. */
export interface Program {
  readonly nouns: readonly NounEntry[];
  /** The topics of `msgctl help`. */
  readonly topics: () => Promise<readonly { readonly name: string; readonly summary: string }[]>;
  /**
   * Runs a command line.
   * @throws CliError and the errors of the verb
   */
  readonly run: (argv: readonly string[], world: World) => Promise<ExitCode>;
}

/**
 * A question before an action that cannot be undone. With `name`, the user must type that name instead of `y`, unless
 * `yesSuffices`. With `undo`, the action can be undone with that command. With `onTerminals`, nothing is asked elsewhere.
 */
export type Question =
  | string
  | {
      readonly text: string;
      readonly name?: string;
      readonly yesSuffices?: boolean;
      readonly undo?: string;
      readonly onTerminals?: true;
    };

/** The parsed options of a verb, with camel-case names. */
export type Options = Readonly<Record<string, unknown>>;

/** What a verb is run with. */
export interface Invocation {
  readonly session: Session;
  /** The arguments. */
  readonly values: readonly string[];
  readonly options: Options;
}

/** An invocation before a verb runs. The session is null if it runs on several accounts, so that nothing can be looked up. */
export type Proposed = Omit<Invocation, 'session'> & { readonly session: Session | null };

/** Builds the question before a verb runs; null if no confirmation is needed. */
type Asks = (proposed: Proposed) => Question | null | Promise<Question | null>;

/** What the shell completes: fixed words, files, profiles, sub-accounts, fields of the list, or ids from a list. */
export type Completes = readonly string[] | 'file' | 'profile' | 'sub-account' | 'field' | 'sort key' | Lookup;

/** Parses the value of an option. Throws `InvalidValue` if it is invalid. */
export type Parse = (text: string, previous: unknown) => unknown;

interface CommonArgument {
  readonly completes?: Completes;
  /** The type of record that the argument refers to by id or name. The verb receives the id. */
  readonly lookup?: Lookup;
  readonly isOptional?: boolean;
  /** Whether the argument takes all remaining words. */
  readonly isRepeated?: boolean;
  /** Whether `@file` stands for what a file says. */
  readonly takesFiles?: true;
}

/** An argument that is read only by the verb's own code. */
interface PlainArgument extends CommonArgument {
  readonly name: string;
  readonly summary: string;
  /** The body fields that the verb's code fills from it, for error messages. */
  readonly fills?: readonly string[];
  readonly param?: undefined;
  readonly field?: undefined;
}

/** An argument for a parameter in the endpoint's path. */
interface ParamArgument<Param extends string> extends CommonArgument {
  readonly param: Param;
  /** The word in the usage line; by default, the parameter's name. */
  readonly name?: string;
  readonly summary: string;
  readonly field?: undefined;
  readonly fills?: undefined;
  /** Determines the value, for example if the argument is omitted. */
  readonly resolve?: (value: string | undefined, session: Session) => Promise<string>;
  /** If the argument is an account, finds records in it by name, for the other arguments. */
  readonly names?: (account: string, session: Session) => Promise<Names>;
}

/** An argument for a field in the endpoint's body. It can also be given as an option of the same name or with `--input`. */
interface FieldArgument<Field extends string> extends CommonArgument {
  readonly field: Field;
  /** The word in the usage line; by default, the field's name. */
  readonly name?: string;
  /** Replaces the contract's description of the field. */
  readonly summary?: string;
  readonly param?: undefined;
  readonly fills?: undefined;
  /** Converts the argument to the field's value. */
  readonly resolve?: (value: string | readonly string[]) => unknown;
}

/** A positional argument of a verb. */
export type ArgumentSpec<Param extends string = string, Field extends string = string> =
  | PlainArgument
  | ParamArgument<Param>
  | FieldArgument<Field>;

/** An option of a verb. The flags use the syntax of commander: `--label <text>`. */
export interface OptionSpec {
  readonly flags: string;
  readonly summary: string;
  readonly isRequired?: boolean;
  /** Whether the option takes several comma-separated values. */
  readonly isList?: boolean;
  /** Whether the option can be given several times, each time with one value. */
  readonly isRepeated?: boolean;
  /** What the contract says of a value that is no text. */
  readonly kind?: 'number' | 'integer' | 'count' | 'json';
  readonly choices?: readonly string[];
  readonly completes?: Completes;
  readonly parse?: Parse;
  /** The request fields that the verb's code fills from it, for error messages. */
  readonly fills?: readonly string[];
}

/** A request field and its option. Defaults come from the field's schema in the contract. */
export interface FieldDetails<Name extends string> {
  /** The path of the field in the body or query, such as `scopes.read_only`. */
  readonly field: Name;
  /** The option's name without dashes; by default, the field's name in kebab case. */
  readonly flag?: string;
  /** The placeholder for the value in the help: `<text>`. */
  readonly placeholder?: string;
  /** Replaces the contract's description of the field. */
  readonly summary?: string;
  /** The help of the `--no-` option for a boolean. */
  readonly negative?: string;
  readonly completes?: Completes;
  /** Whether the option takes several comma-separated values, which are sent as one text. */
  readonly isList?: boolean;
  /** The type of record that the option refers to by id or name. The service receives the id. */
  readonly lookup?: Lookup;
  /** Sent if neither the option nor `--input` gives a value. */
  readonly default?: unknown;
  /** Whether the verb's code provides the value of a required field if nothing else does. */
  readonly isOptional?: boolean;
  /** Replaces the parser for the field's type, and the behaviour that an empty text clears the field. */
  readonly parse?: Parse;
  /** Converts the option's value to the field's value, if that needs the session. */
  readonly resolve?: (value: unknown, session: Session) => unknown;
}

/** A request field with an option: just its name, or its name and the differences from the contract. */
export type FieldSpec<Name extends string = string> = Name | FieldDetails<Name>;

/** The part of an endpoint's response to show, and its columns. */
export interface Shown {
  /** The field that contains the record; by default, the whole response. */
  readonly field?: string;
  /** The field that contains the rows of a list. */
  readonly rows?: string;
  /** In order of importance: a narrow terminal hides the last ones. */
  readonly columns: readonly string[];
  /** Draws the rows on a terminal instead of a table. */
  readonly drawing?: () => Promise<Drawing>;
  /** Whether each result defines its own columns. `columns` then contains all possible ones. */
  readonly hasOwnColumns?: boolean;
  /** The columns for tables, the most important first, if they differ. */
  readonly table?: readonly string[];
  /** Additional fields that `--fields` accepts. */
  readonly further?: readonly string[];
  /** Words and short names of fields that `--where` accepts. */
  readonly conditions?: Pick<Vocabulary, 'words' | 'shortFields'>;
}

/**
 * What a verb acts on:
 * - `own account`: the account of the key, or none. It has no `--sub-account`.
 * - `one account`: a single account, because it uses local files or a terminal
 * - `each account`: it runs once for each account that `--sub-account` selects
 * - `all accounts`: it handles several accounts itself, in one run
 * - `any call`: whatever the call is that it is given, for each account. It can change something.
 * - `sandbox`: the sandbox, which has its own address and token
 * - `embedded sandbox`: the sandbox of the embedded store, whatever profile is in use, unless the options or the environment name
 *   a server
 */
export type Scope = 'own account' | 'one account' | 'each account' | 'all accounts' | 'any call' | 'sandbox' | 'embedded sandbox';

/** One verb of a noun. */
export interface Verb {
  /** One word (`list`) or two (`clock advance`); empty if the noun is the whole command. */
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly (readonly [command: string, purpose: string])[];
  readonly arguments?: readonly ArgumentSpec[];
  /** The fields in the endpoint's body and query that have options. */
  readonly fields?: readonly FieldSpec[];
  /** Options that do not correspond to a field. */
  readonly options?: readonly OptionSpec[];
  /**
   * The endpoint that the verb calls. It determines the scope, whether `--dry-run` and `--input` apply, and which columns exist.
   */
  readonly endpoint?: Endpoint;
  /** Whether it shows a paginated list, and therefore has `--limit`, `--all` and `--cursor`. */
  readonly pages?: boolean;
  /** Whether it shows only a part of a list, so that none to show does not mean that there are none. */
  readonly showsPart?: boolean;
  /** Whether an update changes something without any option, such as to enable a page. */
  readonly changesByItself?: true;
  /** Whether CSV, TSV and NDJSON have every row of the list unless `--limit` is given: other programs then add them up. */
  readonly isDataset?: boolean;
  /** Whether it creates a key that is shown once, and therefore has `--key-file`. */
  readonly makesKey?: boolean;
  /** What it acts on; by default, what its endpoint does. */
  readonly scope?: Scope;
  /** Whether it has `--input`; by default, if the endpoint has a body. */
  readonly takesInput?: boolean;
  /** Whether `--input` can also be a table with a record in each row, which its code reads. */
  readonly takesTables?: boolean;
  /**
   * Chooses the sub-accounts for each of which it runs once, for a verb of an agency: among those that `--sub-account` selects
   * (`session.accounts`), or by its arguments. Null to run once. The session is that of the agency, also for `confirm`.
   */
  readonly among?: (invocation: Invocation) => Promise<Session['accounts']>;
  /** The options with which a verb for each account is for one only. */
  readonly optionsForOneAccount?: readonly string[];
  /** The verb that runs in its place with some options, such as the stream of a list. It takes the same arguments. */
  readonly instead?: (options: Options) => Verb | undefined;
  /** The formats that `--output` takes for it only, such as `sql`. Its code prints them. */
  readonly documentFormats?: readonly string[];
  /**
   * The options without which it changes nothing on the service, though its endpoint could. A verb without an endpoint is offered to
   * assistants only if it has them.
   */
  readonly readsUnless?: readonly string[];
  /** False if an assistant cannot use it: it needs a terminal, a person, or prints a file. */
  readonly isTool?: false;
  /** Whether it has `--watch`, which shows its result repeatedly. */
  readonly watches?: boolean;
  /** Whether the response is shown unchanged, so that `--fields` accepts all of its fields. */
  readonly showsAnswer?: boolean;
  /** Undefined for verbs that print a document without columns. */
  readonly shown?: Shown;
  /** The columns of a dry run that shows what the request would do instead of the request. */
  readonly dryRunColumns?: readonly string[];
  /** Renders the rows of a list as text instead of a table. Called with one part of the rows at a time. */
  readonly text?: Drawing;
  /** The confirmation prompt, for actions that cannot be undone. */
  readonly confirm?: Asks;
  /** Whether the prompt can require typing a name. The verb then has `--confirm`, and `--yes` does not answer the prompt. */
  readonly wantsName?: boolean;
  /** Describes what the verb acts on, for the prompt; by default, the service. */
  readonly promptTarget?: (asked: { readonly session: Pick<Session, 'world' | 'targets'>; readonly values: readonly string[] }) => string;
  readonly run: (session: Session, values: readonly string[], options: Options) => Promise<Result>;
}

/** A noun as the program lists it. Its code is loaded only when it is used. */
export interface NounEntry {
  readonly name: string;
  /** Other names of the noun: the words in the API's paths. */
  readonly aliases?: readonly string[];
  /** A line of its help that explains the API's name for it. */
  readonly note?: string;
  readonly group: string;
  readonly summary: string;
  readonly load: () => Promise<Noun>;
}

/** A noun and its verbs. Each noun is a separate chunk of the bundle. */
export interface Noun {
  readonly name: string;
  /** Summaries of verbs that share their first word: `clock: 'Freeze the clock and move it'`. */
  readonly groups?: Readonly<Record<string, string>>;
  readonly verbs: readonly Verb[];
}
