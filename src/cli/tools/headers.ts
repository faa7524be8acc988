import { mask } from '../../contract/secret.ts';
import { usageError } from '../errors.ts';
import { readUserText } from '../files/read.ts';
import { isRow, type ResultRow } from '../output/result.ts';
import type { Options, OptionSpec, Session } from '../verb/noun.ts';

/** Where the value of a header is. Undefined removes the header. */
type Source = { readonly file: string } | { readonly variable: string } | 'stdin' | undefined;

const forms = '`NAME=@file`, `NAME=@-` for stdin, or `NAME=env:VARIABLE`';

/** The option for headers. Their values are secrets, so the command line only says where they are. */
export const headerOption: OptionSpec = {
  flags: '--header <name=source>',
  summary: `a header of the requests, whose value is read from elsewhere because it is a secret: ${forms}; can be repeated`,
  parse: parseHeaderSource,
};

/** The same for an update, which keeps the other headers. */
export const changedHeaderOption: OptionSpec = {
  ...headerOption,
  summary: `a header to set, whose value is read from elsewhere because it is a secret: ${forms}; \`NAME=\` removes it; the others stay; can be repeated`,
};

/**
 * Collects the values of `--header`.
 * @throws CliError 2 unless the text names a header and a source. The error does not repeat the text, which may hold a secret.
 */
function parseHeaderSource(text: string, previous: unknown): ReadonlyMap<string, Source> {
  const [, name, source = ''] = /^([^=\s:@]+)=(|@.+|env:\w+)$/s.exec(text) ?? [];
  if (name === undefined)
    throw usageError('--header takes the name of a header and the place of its value', [
      `Give ${forms}. The value itself is a secret, and does not belong on the command line.`,
    ]);
  const sources = new Map(previous as ReadonlyMap<string, Source> | undefined);
  return sources.set(name, sourceOf(source));
}

function sourceOf(text: string): Source {
  if (text === '') return undefined;
  if (text.startsWith('env:')) return { variable: text.slice('env:'.length) };
  return text === '@-' ? 'stdin' : { file: text.slice(1) };
}

/**
 * The headers of a new record; undefined without `--header`.
 * @throws CliError 1 if a file cannot be read, 2 if a value is empty or its variable is not set
 */
export async function newHeaders(session: Session, options: Options): Promise<Record<string, string> | undefined> {
  const given = options.header as ReadonlyMap<string, Source> | undefined;
  if (!given) return undefined;
  const headers: Record<string, string> = {};
  for (const [name, source] of given) headers[name] = await valueOf(name, source, session);
  return headers;
}

/**
 * The headers of a record after the changes of `--header`; undefined without it. Those that stay are sent masked, which keeps
 * their values.
 * @param held reads the headers that the record has
 */
export async function changedHeaders(
  session: Session,
  options: Options,
  held: () => Promise<ResultRow>,
): Promise<Record<string, string> | undefined> {
  const given = options.header as ReadonlyMap<string, Source> | undefined;
  if (!given) return undefined;
  const isGiven = (name: string) => [...given.keys()].some((each) => each.toLowerCase() === name.toLowerCase());
  // The headers of an input replace those that the record has.
  const kept = isRow(session.input.headers) ? [] : Object.keys(await held()).filter((name) => !isGiven(name));
  const headers: Record<string, string> = Object.fromEntries(kept.map((name) => [name, mask]));
  for (const [name, source] of given) if (source !== undefined) headers[name] = await valueOf(name, source, session);
  return headers;
}

async function valueOf(name: string, source: Source, session: Session): Promise<string> {
  if (source === undefined) throw usageError(`--header ${name}= has no value`, `Give ${forms}.`);
  const value = (await readSource(source, session)).replace(/\r?\n$/, '');
  if (value === '') throw usageError(`The value of the header ${name} is empty`, `--header reads it from ${placeOf(source)}.`);
  return value;
}

async function readSource(source: Exclude<Source, undefined>, session: Session): Promise<string> {
  if (source === 'stdin') return await session.readStdin();
  return 'file' in source ? await readUserText(source.file) : (session.world.env[source.variable] ?? '');
}

function placeOf(source: Exclude<Source, undefined>): string {
  if (source === 'stdin') return 'stdin';
  return 'file' in source ? source.file : `the environment variable ${source.variable}`;
}
