import { invalidValueError } from './invalid-value.ts';
import { didYouMean } from './did-you-mean.ts';
import { limits } from '../contract/limits.ts';
import { type CliError, usageError } from './errors.ts';

const outputFormats = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml'] as const;

export type OutputFormat = (typeof outputFormats)[number];

/** Options for CSV and TSV output. */
export interface DelimitedStyle {
  /** Whether CSV omits the apostrophe that keeps spreadsheets from evaluating formulas. */
  readonly raw: boolean;
  /** Whether to start with a byte order mark, by which Excel recognises UTF-8. */
  readonly bom: boolean;
  /** Whether to print the column names first. */
  readonly header: boolean;
}

/** The options that every command accepts, at any position on the command line. */
export interface GlobalOptions {
  readonly output: OutputFormat;
  /** The format of the document that only this verb prints, such as `sql`. `output` is `table` then. */
  readonly documentFormat: string | undefined;
  readonly style: DelimitedStyle;
  readonly profile: string | undefined;
  readonly baseUrl: string | undefined;
  readonly subAccount: string | undefined;
  /** The fields to show; `all` for every field. */
  readonly fields: readonly string[] | 'all' | undefined;
  /** A JMESPath expression that selects from the response. */
  readonly query: string | undefined;
  /** Conditions on the rows of a list, which must all hold. */
  readonly where: readonly string[];
  /** The fields by which to sort a list; those with a minus in descending order. */
  readonly sort: readonly string[];
  /** Whether a table shows everything, regardless of the width of the terminal. */
  readonly wide: boolean;
  /** A jq program that selects from the response. */
  readonly jq: string | undefined;
  /** Whether long output on a terminal can be shown in a pager. */
  readonly pager: boolean;
  readonly yes: boolean;
  readonly quiet: boolean;
  readonly debug: boolean;
}

interface GlobalOptionSpec {
  readonly flags: string;
  readonly summary: string;
  readonly completes?: readonly string[] | 'profile' | 'sub-account' | 'field' | 'sort key';
  /** Whether it takes several comma-separated values. */
  readonly isList?: boolean;
  /** Whether it can be given several times. */
  readonly isRepeated?: boolean;
}

/** The global options, for the help and for completion. */
export const globalOptions: readonly GlobalOptionSpec[] = [
  { flags: '-o, --output <format>', summary: `output format: ${outputFormats.join(', ')}`, completes: outputFormats },
  { flags: '--fields <names>', summary: 'show only these fields, in this order, or `all`', completes: 'field', isList: true },
  {
    flags: '--where <condition>',
    summary: 'lists: show only the rows for which this holds: `balance<100`, `name~Client*`; can be repeated',
    completes: 'field',
    isRepeated: true,
  },
  {
    flags: '--sort <fields>',
    summary: 'lists: sort by these fields, `-created_at` in descending order',
    completes: 'sort key',
    isList: true,
  },
  { flags: '--query <jmespath>', summary: 'select from the response with JMESPath: `tags[].name`' },
  { flags: '--jq <program>', summary: 'select from the response with jq, as text: `.tags[].name`' },
  { flags: '--raw', summary: 'csv: do not put an apostrophe in front of formulas' },
  { flags: '--bom', summary: 'csv, tsv: begin with a byte order mark, for Excel' },
  { flags: '--no-header', summary: 'csv, tsv: leave out the heading' },
  { flags: '-p, --profile <name>', summary: 'the profile to use; `sandbox` is the embedded service', completes: 'profile' },
  { flags: '--base-url <url>', summary: 'the address of the service, including the version prefix' },
  {
    flags: '--sub-account <ids>',
    summary: 'act on these sub-accounts (ids, names, `Client*`, `@file`), on `all`, or on your `own` account',
    completes: 'sub-account',
  },
  { flags: '--wide', summary: 'show every column of a table, with exact times, even if it is wider than the terminal' },
  { flags: '--no-pager', summary: 'print long output on a terminal without a pager' },
  { flags: '--yes', summary: 'skip the confirmation of actions that cannot be undone' },
  { flags: '-q, --quiet', summary: 'print no notes, only data and errors' },
  { flags: '-v, --verbose', summary: 'errors tell the id of the request, which the log of the service has too' },
  { flags: '--debug', summary: 'trace every request on stderr, with secrets masked' },
];

const flagsWithValue = new Set(
  globalOptions.filter(({ flags }) => flags.includes('<')).flatMap(({ flags }) => flags.replace(/ <.*/, '').split(', ')),
);

/** The indexes of the words that are neither global options nor their values. The first one is the noun. */
export function commandWordPositions(argv: readonly string[]): number[] {
  const positions: number[] = [];
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] as string;
    if (word === '--') break;
    if (flagsWithValue.has(ungrouped(word))) index++;
    else if (!word.startsWith('-')) positions.push(index);
  }
  return positions;
}

/** The last of several combined short options: `-o` for `-qvo`. */
function ungrouped(word: string): string {
  return word.replace(/^-[qv]+(?=[a-z])/, '-');
}

/** The words of a command line that are neither global options nor their values. */
export function commandWords(argv: readonly string[]): string[] {
  return commandWordPositions(argv).map((index) => argv[index] as string);
}

/** The part of a command line before `--`; the words after it are never options. */
export function beforeDashes(argv: readonly string[]): readonly string[] {
  return argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
}

/** Finds the output format without fully parsing the command line, so that parse errors can use the format too. */
export function detectOutputFormat(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): OutputFormat {
  let last: OutputFormat | undefined;
  for (const [index, given] of beforeDashes(argv).entries()) {
    const word = ungrouped(given);
    const value = word === '-o' || word === '--output' ? argv[index + 1] : /^(?:--output=|-o)(.+)$/.exec(word)?.[1];
    // If the option is repeated, the last one is used, as in commander.
    if (outputFormats.includes(value as OutputFormat)) last = value as OutputFormat;
  }
  return last ?? environmentFormat(env);
}

function environmentFormat(env: Readonly<Record<string, string | undefined>>): OutputFormat {
  return outputFormats.includes(env.MSGCTL_OUTPUT as OutputFormat) ? (env.MSGCTL_OUTPUT as OutputFormat) : 'table';
}

/** The value of an option or else of an environment variable. An empty variable counts as unset. */
export function flagOrVariable(
  flag: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  variable: 'MSGCTL_BASE_URL' | 'MSGCTL_OUTPUT' | 'MSGCTL_PROFILE' | 'MSGCTL_SUB_ACCOUNT',
): string | undefined {
  return flag ?? (env[variable] || undefined);
}

/** Whether `--query` or `--jq` selects from the response. They are applied to the API's response, without computed fields. */
export function selectsFromAnswer({ query, jq }: GlobalOptions): boolean {
  return query !== undefined || jq !== undefined;
}

/** Whether `--where` or `--sort` decides which rows of a list are shown, or in which order. */
export function arranges({ where, sort }: GlobalOptions): boolean {
  return where.length > 0 || sort.length > 0;
}

/** Whether `--where` or `--sort` is about a column. */
function arrangesBy({ where, sort }: GlobalOptions, column: string): boolean {
  const isNamed = (text: string) => text.trim().startsWith(column) && !/^[\w.]/.test(text.trim().slice(column.length));
  return where.some(isNamed) || sort.some((key) => key === column || key === `-${column}`);
}

/**
 * Whether to show a column that needs additional requests: in tables, if `--fields` contains it, and if rows are selected or
 * sorted by it.
 */
export function showsColumn(globals: GlobalOptions, column: string): boolean {
  const { output, fields } = globals;
  if (arrangesBy(globals, column)) return true;
  return fields ? fields.includes(column) : !selectsFromAnswer(globals) && output === 'table';
}

/**
 * Reads the global options from the parsed command line.
 * @param documentFormats the further formats of the verb
 * @throws CliError 2 if the output format is unknown, an option does not apply to the format, more than one of `--fields`,
 * `--query` and `--jq` is used, or a field has too many path segments
 */
export function readGlobalOptions(
  parsed: Record<string, unknown>,
  env: Readonly<Record<string, string | undefined>>,
  documentFormats: readonly string[] = [],
): GlobalOptions {
  const given = flagOrVariable(parsed.output as string | undefined, env, 'MSGCTL_OUTPUT') ?? 'table';
  const documentFormat = documentFormats.find((each) => each === parsed.output);
  const format = documentFormat === undefined ? given : 'table';
  if (!outputFormats.includes(format as OutputFormat))
    throw outputFormatError(parsed.output === undefined ? 'MSGCTL_OUTPUT' : '--output', format);
  const style = readStyle(parsed, format);
  const fields = readFields(parsed.fields as string | undefined);
  checkOneSelection(parsed);
  if (parsed.jq !== undefined && parsed.output !== undefined && format !== 'json')
    throw usageError(`--jq prints strings and JSON, not ${format}`, `Omit -o ${format}, or select with --query.`);
  return {
    output: parsed.jq !== undefined && format !== 'json' ? 'table' : (format as OutputFormat),
    documentFormat,
    style,
    profile: parsed.profile as string | undefined,
    baseUrl: parsed.baseUrl as string | undefined,
    subAccount: parsed.subAccount as string | undefined,
    fields,
    query: parsed.query as string | undefined,
    where: (parsed.where as readonly string[] | undefined) ?? [],
    sort: readSort(parsed.sort as string | undefined),
    wide: parsed.wide === true,
    jq: parsed.jq as string | undefined,
    pager: parsed.pager !== false,
    yes: parsed.yes === true,
    quiet: parsed.quiet === true,
    debug: parsed.debug === true,
  };
}

function outputFormatError(what: string, given: string): CliError {
  return invalidValueError(what, given, `must be one of ${outputFormats.join(', ')}`, didYouMean(given, outputFormats));
}

/** @throws CliError 2 if an option for CSV or TSV is used with another format */
function readStyle(parsed: Record<string, unknown>, format: string): DelimitedStyle {
  const style = { raw: parsed.raw === true, bom: parsed.bom === true, header: parsed.header !== false };
  if (style.raw && format === 'tsv') throw usageError('--raw applies only to CSV', 'Omit --raw: TSV never has apostrophes.');
  const given = style.raw ? '--raw' : style.bom ? '--bom' : style.header ? undefined : '--no-header';
  if (given !== undefined && format !== 'csv' && format !== 'tsv')
    throw usageError(`${given} applies only to CSV and TSV`, 'Add -o csv or -o tsv, or omit it.');
  return style;
}

/** @throws CliError 2 if a field has too many path segments */
function readFields(text: string | undefined): readonly string[] | 'all' | undefined {
  if (text?.trim() === 'all') return 'all';
  const fields = text?.split(',').map((field) => field.trim());
  if (fields?.some((field) => field.split('.').length > limits.answerLevels))
    throw usageError(`--fields: a field has at most ${limits.answerLevels} names`);
  return fields;
}

/** @throws CliError 2 if a field has no name */
function readSort(text: string | undefined): readonly string[] {
  const keys = text?.split(',').map((key) => key.trim()) ?? [];
  if (keys.some((key) => key === '' || key === '-')) throw invalidValueError('--sort', text, 'must name fields, such as name,-created_at');
  return keys;
}

function checkOneSelection(parsed: Record<string, unknown>): void {
  const [one, other] = ['fields', 'query', 'jq'].filter((name) => parsed[name] !== undefined);
  if (one !== undefined && other !== undefined) throw usageError(`--${one} and --${other} cannot be used together`);
}
