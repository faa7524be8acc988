import { NestedTooDeeply, parseJson } from '../../contract/json.ts';
import { limits } from '../../contract/limits.ts';
import { usageError } from '../errors.ts';
import type { Parse } from './noun.ts';

/** The value of an option or argument is malformed. The message continues a sentence that names it: `must be a number`. */
export class InvalidValue extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidValue';
  }
}

/** The forms in which people write a time, for errors and help. */
export const whenForms = 'an ISO 8601 date, a time such as `tomorrow 3pm` or `2027-03-02 9:00`, or a duration such as 2d or `in 3 hours`';

/**
 * Reads a value that may be malformed.
 * @param what the option or the argument that the value belongs to
 * @throws CliError 2 when it is
 */
export async function orUsageError<Value>(what: string, read: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof InvalidValue) throw usageError(`${what} ${error.message}`);
    throw error;
  }
}

/** @throws InvalidValue unless the text is a whole number above 0 */
export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidValue('must be a whole number above 0');
  return Number(text);
}

/** @throws InvalidValue unless the text is a whole number */
export function parseInteger(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidValue('must be a whole number');
  return Number(text);
}

/** @throws InvalidValue unless the text is a finite number */
export function parseNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidValue('must be a number');
  return value;
}

/** @throws InvalidValue unless the text is a TCP port; 0 means any free port */
export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidValue('must be a port from 0 to 65535');
  return Number(text);
}

const unitMilliseconds: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Reads a duration such as `30d` or `12h`, in milliseconds; undefined when the text is not a duration. */
export function readDuration(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d+)([mhdw])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (unitMilliseconds[unit] ?? 0);
}

/** Reads a duration from a second to a year, such as `5s` or `10m`, in milliseconds. @throws InvalidValue otherwise */
export function parseDuration(text: string): number {
  const seconds = /^(\d{1,9})s$/.exec(text)?.[1];
  const duration = seconds === undefined ? readDuration(text) : Number(seconds) * 1000;
  if (duration === undefined || duration < 1_000 || duration > 366 * 86_400_000)
    throw new InvalidValue('must be a duration such as 5s, 10m or 2h');
  return duration;
}

/** Reads a duration in milliseconds, or `forever`. @throws InvalidValue otherwise */
export function parseKeptFor(text: string): number | 'forever' {
  // Commander turns a null into an empty text.
  if (text === 'forever') return text;
  const duration = readDuration(text);
  // A longer one would reach back before the beginning of time, where instants are not exact.
  if (duration === undefined || duration === 0 || duration > 1e14)
    throw new InvalidValue('must be a duration such as 30d or 12h, or `forever`');
  return duration;
}

/** @throws InvalidValue unless the text is JSON that can be sent; `otherwise` says what it must be */
export function parseJsonValue(text: string, otherwise = 'must be JSON'): unknown {
  try {
    return parseJson(text, limits.bodyLevels);
  } catch (error) {
    throw new InvalidValue(error instanceof NestedTooDeeply ? `is nested too deeply: at most ${limits.bodyLevels} levels` : otherwise);
  }
}

/** Collects the values of an option that can be repeated or hold several values separated by commas. */
export function parseList(text: string, previous: unknown): string[] {
  return [...((previous as string[] | undefined) ?? []), ...splitList(text)];
}

/** A parser of lists to which an empty text is an empty list. */
export function orEmpty(parse: Parse): Parse {
  return (text, previous) => (text === '' ? [] : parse(text, previous));
}

/** Collects the values of an option that can be repeated. */
export function parseRepeated(text: string, previous: unknown): string[] {
  return [...((previous as string[] | undefined) ?? []), text];
}

/** An item of a list: quoted, with doubled quotes, or everything up to the next comma. */
const listItem = /(?:^|,)(?:\s*"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))/g;

/** Splits a list at its commas. An item with a comma is quoted, as in CSV. @throws InvalidValue when an item is empty: an unset shell variable must not widen what is selected */
export function splitList(text: string): string[] {
  const items: string[] = [];
  for (const [, quoted, plain = ''] of text.matchAll(listItem)) items.push(quoted?.replaceAll('""', '"') ?? plain.trim());
  if (items.includes('')) throw new InvalidValue('must not be empty');
  return items;
}

/** @throws CliError 2 when both values are given */
export function checkExclusive(one: unknown, other: unknown, what: string): void {
  if (one !== undefined && other !== undefined) throw usageError(`Two values are given for ${what}`, 'Give only one.');
}

/** The name under which commander keeps the value of a flag: `dueAt` for `due-at`. */
export function camelCase(flag: string): string {
  return flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
