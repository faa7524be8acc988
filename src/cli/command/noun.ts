import type { Endpoint } from '../../contract/endpoint.ts';
import type { GlobalOptions, OutputFormat } from '../global-options.ts';
import type { Notes } from '../output/notes.ts';
import type { Drawing } from '../output/print.ts';
import type { Result, Row } from '../output/result.ts';
import type { ExitCode } from '../errors.ts';
import type { Lookup } from './lookup.ts';
import type { Names } from './names.ts';
import type { Targets } from '../target/targets.ts';
import type { World } from '../world.ts';

/** What a verb works with while it runs. */
export interface Session {
  readonly world: World;
  readonly globals: GlobalOptions;
  readonly targets: Targets;
  readonly notes: Notes;
  /** The request body read from `--input`; empty without it. */
  readonly input: Row;
  /** Finds records by name on the account that the verb acts on. */
  readonly names: Names;
  /** All of stdin without its last line end, for a value that is `-`. @throws CliError 2 when a second value asks for it, or when it is empty */
  readonly readStdin: () => Promise<string>;
  /** All of stdin as it is, which may be empty. */
  readonly readWholeStdin: () => Promise<string>;
  /**
   * Asks the user to confirm an action.
   * @throws CliError 2 when confirmation is needed and there is no terminal to ask on, 1 when the user declines
   */
  readonly confirm: (question: Question) => Promise<void>;
  /** The accounts that `--sub-account` names, for a verb that acts on several by itself; null when it acts on one. */
  readonly accounts: readonly { readonly id: string | undefined; readonly name: string | null }[] | null;
  /** Runs the command line of a batch again, on the accounts that are left. */
  readonly resume: (id: string, output: OutputFormat) => Promise<ExitCode>;
}

/**
 * A question before an action that cannot be undone: with a name, the user types that name instead of `y`. With `undo`, that
 * command undoes it.
 */
export type Question = string | { readonly text: string; readonly name?: string; readonly undo?: string };

/**
 * Writes the question before a verb runs; null when there is nothing to confirm.
 * @param session null when the verb runs on several accounts, where nothing is looked up
 */
type Asks = (values: readonly string[], options: Options, session: Session | null) => Question | null | Promise<Question | null>;

/** The parsed options of a verb, by their names in camel case. */
export type Options = Readonly<Record<string, unknown>>;

/** What the shell completes: fixed words, files, profiles, sub-accounts, or ids from a list. */
export type Completes = readonly string[] | 'file' | 'profile' | 'sub-account' | Lookup;

/** Turns the text of an option into a value. Throws `InvalidValue` for text that cannot be one. */
export type Parse = (text: string, previous: unknown) => unknown;

interface CommonArgument {
  readonly completes?: Completes;
  /** What the argument names, by its id or its name: the verb gets the id. */
  readonly lookup?: Lookup;
  readonly isOptional?: boolean;
  /** Whether it gets all remaining words. */
  readonly isRepeated?: boolean;
}

/** An argument that only the verb's own code reads. */
interface PlainArgument extends CommonArgument {
  readonly name: string;
  readonly summary: string;
  /** The fields of the body that the verb's code fills from it, for errors. */
  readonly fills?: readonly string[];
  readonly param?: undefined;
  readonly field?: undefined;
}

/** An argument that fills a parameter of the endpoint's path. */
interface ParamArgument<Param extends string> extends CommonArgument {
  readonly param: Param;
  /** The word shown in the usage line; the parameter's name by default. */
  readonly name?: string;
  readonly summary: string;
  readonly field?: undefined;
  readonly fills?: undefined;
  /** Finds the parameter's value, for example when the argument is omitted. */
  readonly resolve?: (value: string | undefined, session: Session) => Promise<string>;
}

/** An argument that fills a field of the endpoint's body. The option of the same name and `--input` can fill it too. */
interface FieldArgument<Field extends string> extends CommonArgument {
  readonly field: Field;
  /** The word shown in the usage line; the field's name by default. */
  readonly name?: string;
  /** Instead of the contract's description of the field. */
  readonly summary?: string;
  readonly param?: undefined;
  readonly fills?: undefined;
  /** Turns the argument into the field's value. */
  readonly resolve?: (value: string | readonly string[]) => unknown;
}

/** A positional argument of a verb. */
export type ArgumentSpec<Param extends string = string, Field extends string = string> =
  PlainArgument | ParamArgument<Param> | FieldArgument<Field>;

/** An option of a verb, with its flags as commander writes them: `--label <text>`. */
export interface OptionSpec {
  readonly flags: string;
  readonly summary: string;
  readonly isRequired?: boolean;
  /** Whether it takes several values separated by commas. */
  readonly isList?: boolean;
  readonly choices?: readonly string[];
  readonly completes?: Completes;
  readonly parse?: Parse;
  /** The fields of the request that the verb's code fills from it, for errors. */
  readonly fills?: readonly string[];
}

/** A field of a request and the option that fills it. Defaults come from the field's schema in the contract. */
export interface FieldDetails<Name extends string> {
  /** The field of the body or the query; a nested one as `scopes.read_only`. */
  readonly field: Name;
  /** The option's name without dashes; the field's name in kebab case by default. */
  readonly flag?: string;
  /** The placeholder of the value in the help: `<text>`. */
  readonly placeholder?: string;
  /** Instead of the contract's description of the field. */
  readonly summary?: string;
  /** The help of the `--no-` option of a boolean. */
  readonly negative?: string;
  readonly completes?: Completes;
  /** What the option names, by its id or its name: the service gets the id. */
  readonly lookup?: Lookup;
  /** Sent when neither the option nor `--input` gives a value. */
  readonly default?: unknown;
  /** Instead of the parser for the field's type, and of clearing a field with an empty text. */
  readonly parse?: Parse;
  /** Turns the option's value into the field's, when that needs the session. */
  readonly resolve?: (value: unknown, session: Session) => unknown;
}

/** A field of a request that an option fills: its name, or its name with the differences from the contract. */
export type FieldSpec<Name extends string = string> = Name | FieldDetails<Name>;

/** Which part of an endpoint's answer is shown, and its columns. */
export interface Shown {
  /** The field that holds the record; without it, the answer itself is the record. */
  readonly field?: string;
  /** The field that holds the rows of a list. */
  readonly rows?: string;
  /** In the order of their importance: on a narrow terminal, the last ones are hidden. */
  readonly columns: readonly string[];
  /** Draws the rows on a terminal, instead of a table. */
  readonly drawing?: () => Promise<Drawing>;
  /** Whether each list brings its columns, and `columns` are those that it can have. */
  readonly hasOwnColumns?: boolean;
  /** The columns of a table for people, the most important first, where they differ. */
  readonly table?: readonly string[];
  /** What `--fields` can name besides. */
  readonly further?: readonly string[];
}

/** One verb of a noun. */
export interface Verb {
  /** One word (`list`) or two (`clock advance`); empty when the noun is the whole command. */
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly (readonly [command: string, purpose: string])[];
  readonly arguments?: readonly ArgumentSpec[];
  /** The fields of the endpoint's body and query that options fill. */
  readonly fields?: readonly FieldSpec[];
  /** Options that do not fill a field. */
  readonly options?: readonly OptionSpec[];
  /** The endpoint it calls. It decides whether `--sub-account`, `--dry-run` and `--input` apply, and which columns exist. */
  readonly endpoint?: Endpoint;
  /** Whether it shows a paginated list, and thus has `--limit`, `--all` and `--cursor`. */
  readonly pages?: boolean;
  /** Whether it creates a key that is shown once, and thus has `--key-file`. */
  readonly makesKey?: boolean;
  /** Whether it accepts `--sub-account`, for verbs without an endpoint. */
  readonly actsOnSubAccounts?: boolean;
  /** Whether it may change something, for verbs without an endpoint. */
  readonly writes?: boolean;
  /** Whether it has `--input`; by default, when the endpoint has a body. */
  readonly takesInput?: boolean;
  /** Whether it refuses to run on several sub-accounts, because it reads or writes local files or a terminal; or with which options. */
  readonly isForOneAccount?: boolean | readonly string[];
  /** Whether it acts on several accounts by itself, instead of running once for each. */
  readonly actsOnAccounts?: boolean;
  /** Whether it has `--watch`, which shows its result again and again. */
  readonly watches?: boolean;
  /** Whether the answer is shown unchanged, so that `--fields` can name every field of it. */
  readonly showsAnswer?: boolean;
  /** Undefined for verbs that print a document without columns. */
  readonly shown?: Shown;
  /** The columns of its dry run, when that is not the request but what the request would do. */
  readonly dryRunColumns?: readonly string[];
  /** The rows of its list as text for people, instead of a table. It gets them part by part. */
  readonly text?: Drawing;
  /** The question to confirm before it runs, for actions that cannot be undone. */
  readonly confirm?: Asks;
  /** Whether the question may want a name typed. It then has `--confirm`, and `--yes` does not answer it. */
  readonly wantsName?: boolean;
  /** Where it acts, for its question; by default the service. */
  readonly place?: (values: readonly string[], session: Pick<Session, 'world' | 'targets'>) => string;
  /** Whether it calls the sandbox, which has its own address and token. */
  readonly isSandbox?: boolean;
  readonly run: (session: Session, values: readonly string[], options: Options) => Promise<Result>;
}

/** A noun with its verbs. Each noun is a chunk of the bundle. */
export interface Noun {
  readonly name: string;
  /** What the verbs with the same first word do: `clock: 'Freeze the clock and move it'`. */
  readonly groups?: Readonly<Record<string, string>>;
  readonly verbs: readonly Verb[];
}
