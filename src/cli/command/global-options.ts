import type { OptionSpec } from './command.ts';
import { usageError } from '../errors.ts';

export const outputFormats = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml'] as const;

export type OutputFormat = (typeof outputFormats)[number];

/** The options that every command takes, wherever they stand. */
export interface GlobalOptions {
  readonly output: OutputFormat;
  readonly profile: string | undefined;
  readonly baseUrl: string | undefined;
  readonly subAccount: string | undefined;
  /** The fields to show alone. */
  readonly fields: readonly string[] | undefined;
  /** A JMESPath expression that picks out of the answer. */
  readonly query: string | undefined;
  readonly yes: boolean;
  readonly quiet: boolean;
  readonly debug: boolean;
}

/** The global options, as help shows them and shells complete them. */
export const globalOptions: readonly OptionSpec[] = [
  { flags: '-o, --output <format>', summary: `how to print: ${outputFormats.join(', ')}`, completes: outputFormats },
  { flags: '--fields <names>', summary: 'show these fields alone, in this order' },
  { flags: '--query <jmespath>', summary: 'pick out of the answer, such as `tags[].name`' },
  { flags: '-p, --profile <name>', summary: 'the profile to use; `sandbox` is the embedded service', completes: 'profile' },
  { flags: '--base-url <url>', summary: 'the address of the service, version prefix included' },
  {
    flags: '--sub-account <ids>',
    summary: 'act on this sub-account, on several, on `all`, or on the `own` account',
    completes: 'sub-account',
  },
  { flags: '--yes', summary: 'do not ask before something that cannot be undone' },
  { flags: '--quiet', summary: 'print no notes, only data and errors' },
  { flags: '--debug', summary: 'trace every request on stderr, secrets masked' },
];

const withValue = new Map(
  globalOptions
    .filter(({ flags }) => flags.includes('<'))
    .flatMap(({ flags }) =>
      flags
        .replace(/ <.*/, '')
        .split(', ')
        .map((flag) => [flag, flags] as const),
    ),
);

/** The words of a command line that are neither global options nor their values: the first is the noun. */
export function commandWords(argv: readonly string[]): string[] {
  const words: string[] = [];
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] as string;
    if (word === '--') break;
    if (withValue.has(word)) index++;
    else if (!word.startsWith('-')) words.push(word);
  }
  return words;
}

/** Finds the output format before the command line is parsed, so that even its errors are printed in it. */
export function peekOutput(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): OutputFormat {
  const end = argv.indexOf('--');
  const read = end < 0 ? argv : argv.slice(0, end);
  let last: OutputFormat | undefined;
  for (const [index, word] of read.entries()) {
    const value = word === '-o' || word === '--output' ? argv[index + 1] : /^(?:--output=|-o)(.+)$/.exec(word)?.[1];
    // The last one counts, as it does for commander.
    if (outputFormats.includes(value as OutputFormat)) last = value as OutputFormat;
  }
  return last ?? environmentFormat(env);
}

function environmentFormat(env: Readonly<Record<string, string | undefined>>): OutputFormat {
  return outputFormats.includes(env.MSGCTL_OUTPUT as OutputFormat) ? (env.MSGCTL_OUTPUT as OutputFormat) : 'table';
}

/**
 * Reads the global options out of what was parsed.
 * @throws CliError 2 for an unknown output format
 */
export function readGlobalOptions(parsed: Record<string, unknown>, env: Readonly<Record<string, string | undefined>>): GlobalOptions {
  const format = (parsed.output as string | undefined) ?? (env.MSGCTL_OUTPUT || 'table');
  if (!outputFormats.includes(format as OutputFormat))
    throw usageError(`There is no output format '${format}'`, `Known formats: ${outputFormats.join(', ')}`);
  const fields = parsed.fields as string | undefined;
  if (fields !== undefined && parsed.query !== undefined) throw usageError('--fields and --query exclude each other');
  return {
    output: format as OutputFormat,
    profile: parsed.profile as string | undefined,
    baseUrl: parsed.baseUrl as string | undefined,
    subAccount: parsed.subAccount as string | undefined,
    fields: fields?.split(',').map((field) => field.trim()),
    query: parsed.query as string | undefined,
    yes: parsed.yes === true,
    quiet: parsed.quiet === true,
    debug: parsed.debug === true,
  };
}
