import { isDeeper } from '../../../contract/json.ts';
import { limits } from '../../../contract/limits.ts';
import { InvalidValue, orUsageError } from '../../invalid-value.ts';
import { parseJsonValue } from '../../verb/values.ts';
import { type CliError, usageError } from '../../errors.ts';
import type { Session } from '../../verb/noun.ts';
import { readUserText } from '../../files/read.ts';
import { isRow, type ResultRow } from '../../output/result.ts';

/** A request field given with `-f` or `-F`. */
export interface GivenField {
  /** `['scopes', 'tags']` for `scopes[tags]=…`. An empty name stands for a list item: `['ids', '']` for `ids[]=…`. */
  readonly path: readonly string[];
  /** Undefined for `ids[]` without a value, which is an empty list. */
  readonly text: string | undefined;
}

/** Collects the values of `-f` or `-F`. @throws InvalidValue unless the text is `key=value`, or `key[]` for an empty list */
export function parseField(text: string, previous: unknown): GivenField[] {
  const [, name, keys = '', value] = /^([^[\]=]+)((?:\[[^[\]=]*\])*)(?:=(.*))?$/s.exec(text) ?? [];
  const path = [name ?? '', ...Array.from(keys.matchAll(/\[(.*?)\]/g), ([, key = '']) => key)];
  if (name === undefined || (value === undefined && path.at(-1) !== '')) throw new InvalidValue('must be name=value, or name[key]=value');
  if (path.some((key, index) => key === '' && path[index + 1] === '')) throw new InvalidValue('must not have a list in a list');
  if (path.includes('__proto__')) throw new InvalidValue('cannot have this name');
  if (path.length > limits.bodyLevels) throw new InvalidValue(`is nested too deeply: at most ${limits.bodyLevels} levels`);
  return [...((previous as GivenField[] | undefined) ?? []), { path, text: value }];
}

/**
 * Builds the fields of a request: those of `-f` as strings, those of `-F` converted from their text.
 * @param stdinIsTaken whether `--input` reads stdin, which can be read only once
 * @throws CliError 1 if a file cannot be read, 2 if fields contradict each other or a value is invalid
 */
export async function readRequestFields(
  raw: readonly GivenField[],
  typed: readonly GivenField[],
  stdinIsTaken: boolean,
  session: Session,
): Promise<ResultRow> {
  const fromStdin = typed.filter(({ text }) => text === '@-').length + (stdinIsTaken ? 1 : 0);
  if (fromStdin > 1) throw usageError('Only one value can be read from stdin', 'Read the others from files: -F name=@file');
  let fields: unknown = {};
  for (const { path, text } of raw) fields = withField(fields, path, text);
  for (const { path, text } of typed)
    fields = withField(fields, path, text === undefined ? undefined : await typedValue(path, text, session));
  if (isDeeper(fields, limits.bodyLevels)) throw usageError(`The fields are nested too deeply: at most ${limits.bodyLevels} levels`);
  return fields as ResultRow;
}

/** Converts the text of `-F`: JSON is parsed, `@file` is replaced by the file's contents, and other text is a string. */
async function typedValue(path: readonly string[], text: string, session: Session): Promise<unknown> {
  if (text === '@-') return await session.readWholeStdin();
  if (text.startsWith('@')) return await readUserText(text.slice(1));
  // A phone number, or a number with too many digits for a double, stays a string.
  if (/^(?:true|false|null|-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?)$/.test(text)) return JSON.parse(text);
  if (!/^[[{]/.test(text)) return text;
  const problem = 'must be JSON, because it begins with a bracket; -f sends it as text';
  // The error does not repeat the value, which may be a secret.
  return await orUsageError(`-F ${nameOf(path)}`, undefined, () => parseJsonValue(text, problem));
}

/** @throws CliError 2 if an earlier field set the same value, or a value that cannot contain this field */
function withField(held: unknown, path: readonly string[], value: unknown, whole = path): unknown {
  const [key, ...rest] = path;
  if (key === undefined) {
    if (held !== undefined) throw usageError(`The field ${nameOf(whole)} is given twice`);
    return value;
  }
  if (key === '') {
    if (held !== undefined && !Array.isArray(held)) throw contradiction(whole, path);
    const items = (held ?? []) as readonly unknown[];
    if (rest.length === 0) return value === undefined ? items : [...items, value];
    const last = items.at(-1);
    // A new item begins when a field is repeated: `[][name]=a [][color]=red [][name]=b` are two items.
    const isContinued = isRow(last) && (last[rest[0] ?? ''] === undefined || Array.isArray(last[rest[0] ?? '']));
    return isContinued
      ? [...items.slice(0, -1), withField(last, rest, value, whole)]
      : [...items, withField(undefined, rest, value, whole)];
  }
  if (held !== undefined && !isRow(held)) throw contradiction(whole, path);
  return { ...held, [key]: withField(held?.[key], rest, value, whole) };
}

/** The error for a field inside a value that an earlier field set, and that cannot contain it. */
function contradiction(whole: readonly string[], rest: readonly string[]): CliError {
  const holder = nameOf(whole.slice(0, whole.length - rest.length));
  return usageError(`The field ${nameOf(whole)} cannot be set: ${holder} is also given as another kind of value`);
}

function nameOf([name, ...keys]: readonly string[]): string {
  return `${name}${keys.map((key) => `[${key}]`).join('')}`;
}
