import { dayLength } from '../../contract/time/days.ts';
import { NestedTooDeeply, parseJson } from '../../contract/json.ts';
import { limits } from '../../contract/limits.ts';
import { usageError } from '../errors.ts';
import { InvalidValue, parseChoice } from '../invalid-value.ts';
import type { Parse } from './noun.ts';

/** The supported formats of times, for errors and help. */
export const whenForms = 'an ISO 8601 date, a time such as `tomorrow 3pm` or `2027-03-02 9:00`, or a duration such as 2d or `in 3 hours`';

/** The same, for options that look back. */
export const pastForms = 'an ISO 8601 date, a time such as `9:00` or `yesterday 3pm`, or how long ago it was, such as 2h';

/** @throws InvalidValue if the text is not an integer above 0 */
export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidValue('must be a whole number above 0');
  return Number(text);
}

/** @throws InvalidValue if the text is not an integer */
export function parseInteger(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidValue('must be a whole number');
  return Number(text);
}

/** @throws InvalidValue if the text is not a finite number */
export function parseNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidValue('must be a number');
  return value;
}

/** @throws InvalidValue if the text is not a TCP port; 0 means any free port */
export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidValue('must be a port from 0 to 65535');
  return Number(text);
}

const unitMilliseconds: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: dayLength, w: 7 * dayLength };

/** Parses a duration such as `30d` or `12h` to milliseconds; undefined if the text is not a duration. */
export function readDuration(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d+)([mhdw])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (unitMilliseconds[unit] ?? 0);
}

/** Parses a duration between a second and a year, such as `5s` or `10m`, to milliseconds. @throws InvalidValue otherwise */
export function parseDuration(text: string): number {
  const seconds = /^(\d{1,9})s$/.exec(text)?.[1];
  const duration = seconds === undefined ? readDuration(text) : Number(seconds) * 1000;
  if (duration === undefined || duration < 1_000 || duration > 366 * dayLength)
    throw new InvalidValue('must be a duration such as 5s, 10m or 2h');
  return duration;
}

/** Parses a duration to milliseconds, or `forever`. @throws InvalidValue otherwise */
export function parseKeptFor(text: string): number | 'forever' {
  // Returned as text, because commander would turn null into an empty text.
  if (text === 'forever') return text;
  const duration = readDuration(text);
  // A longer duration would exceed the range of exact timestamps.
  if (duration === undefined || duration === 0 || duration > 1e14)
    throw new InvalidValue('must be a duration such as 30d or 12h, or `forever`');
  return duration;
}

/** @throws InvalidValue if the text is not JSON that can be sent; `otherwise` is the message */
export function parseJsonValue(text: string, otherwise = 'must be JSON'): unknown {
  try {
    return parseJson(text, limits.bodyLevels);
  } catch (error) {
    throw new InvalidValue(error instanceof NestedTooDeeply ? `is nested too deeply: at most ${limits.bodyLevels} levels` : otherwise);
  }
}

/** Collects the values of an option that can be repeated or contain several comma-separated values. */
export function parseList(text: string, previous: unknown): string[] {
  return [...((previous as string[] | undefined) ?? []), ...splitList(text)];
}

/** Makes a parser for a list of these words. */
export function parseListOf(known: readonly string[]): (text: string, previous: unknown) => string[] {
  const check = parseChoice(known);
  return (text, previous) => {
    for (const word of splitList(text)) check(word);
    return parseList(text, previous);
  };
}

/** Wraps a list parser so that an empty text is an empty list. */
export function orEmpty(parse: Parse): Parse {
  return (text, previous) => (text === '' ? [] : parse(text, previous));
}

/** Collects the values of an option that can be repeated. */
export function parseRepeated(text: string, previous: unknown): string[] {
  return [...((previous as string[] | undefined) ?? []), text];
}

/** Matches a list item: quoted, with doubled quotes inside, or everything up to the next comma. */
const listItem = /(?:^|,)(?:\s*"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))/g;

/**
 * Splits a comma-separated list. Items that contain a comma must be quoted, as in CSV.
 * @throws InvalidValue if an item is empty: an unset shell variable must not widen what is selected
 */
export function splitList(text: string): string[] {
  const items: string[] = [];
  for (const [, quoted, plain = ''] of text.matchAll(listItem)) items.push(quoted?.replaceAll('""', '"') ?? plain.trim());
  if (items.includes('')) throw new InvalidValue(text.trim() === '' ? 'must not be empty' : 'must not have an empty item');
  return items;
}

/** @throws CliError 2 if both values are given */
export function checkExclusive(one: unknown, other: unknown, what: string): void {
  if (one !== undefined && other !== undefined) throw usageError(`Two values are given for ${what}`, 'Give only one.');
}

/** The name under which commander stores the value of a flag: `dueAt` for `due-at`. */
export function camelCase(flag: string): string {
  return flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
