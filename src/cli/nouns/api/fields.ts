import { isDeeper } from '../../../contract/json.ts';
import { limits } from '../../../contract/limits.ts';
import { InvalidValue, orUsageError, parseJsonValue } from '../../command/values.ts';
import { type CliError, usageError } from '../../errors.ts';
import type { Session } from '../../command/noun.ts';
import { readUserFile } from '../../files/read.ts';
import { isRow, type Row } from '../../output/result.ts';

/** A field of a request, as `-f` or `-F` gives it. */
export interface GivenField {
  /** `scopes` and `tags` for `scopes[tags]=…`. An empty name stands for an item of a list: `ids` and `` for `ids[]=…`. */
  readonly path: readonly string[];
  /** Undefined for `ids[]`, which is an empty list. */
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
 * The fields of a request: those of `-f` as texts, those of `-F` with the values that their texts stand for.
 * @param stdinIsTaken whether `--input` reads stdin, which can be read only once
 * @throws CliError 1 when a file cannot be read, 2 when fields contradict one another or a value is malformed
 */
export async function readFields(
  raw: readonly GivenField[],
  typed: readonly GivenField[],
  stdinIsTaken: boolean,
  session: Session,
): Promise<Row> {
  const fromStdin = typed.filter(({ text }) => text === '@-').length + (stdinIsTaken ? 1 : 0);
  if (fromStdin > 1) throw usageError('Only one value can be read from stdin', 'Give the others as files: -F name=@file');
  let fields: unknown = {};
  for (const { path, text } of raw) fields = withField(fields, path, text);
  for (const { path, text } of typed)
    fields = withField(fields, path, text === undefined ? undefined : await typedValue(path, text, session));
  if (isDeeper(fields, limits.bodyLevels)) throw usageError(`The fields are nested too deeply: at most ${limits.bodyLevels} levels`);
  return fields as Row;
}

/** The value that the text of `-F` stands for: that of JSON, the content of a file, else the text itself. */
async function typedValue(path: readonly string[], text: string, session: Session): Promise<unknown> {
  if (text === '@-') return await session.readWholeStdin();
  if (text.startsWith('@')) return (await readUserFile(text.slice(1))).toString();
  // A phone number and a number with more digits than a computer counts stay texts.
  if (/^(?:true|false|null|-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?)$/.test(text)) return JSON.parse(text);
  if (!/^[[{]/.test(text)) return text;
  const problem = 'must be JSON, because it begins with a bracket; -f sends it as text';
  return await orUsageError(`-F ${nameOf(path)}: it`, () => parseJsonValue(text, problem));
}

/** @throws CliError 2 when an earlier field gave the same one, or something that cannot hold it */
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
    // An item is continued until a field of it comes again: `[][name]=a [][color]=red [][name]=b` are two items.
    const isContinued = isRow(last) && (last[rest[0] ?? ''] === undefined || Array.isArray(last[rest[0] ?? '']));
    return isContinued
      ? [...items.slice(0, -1), withField(last, rest, value, whole)]
      : [...items, withField(undefined, rest, value, whole)];
  }
  if (held !== undefined && !isRow(held)) throw contradiction(whole, path);
  return { ...held, [key]: withField(held?.[key], rest, value, whole) };
}

/** The error for a field within something that an earlier field gave, and that has no such part. */
function contradiction(whole: readonly string[], rest: readonly string[]): CliError {
  const holder = nameOf(whole.slice(0, whole.length - rest.length));
  return usageError(`The field ${nameOf(whole)} does not fit: ${holder} is given as something else`);
}

function nameOf([name, ...keys]: readonly string[]): string {
  return `${name}${keys.map((key) => `[${key}]`).join('')}`;
}
