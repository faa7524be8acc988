import { dayLength, utcDate } from '../../contract/time/days.ts';
import { parseInstant } from '../../contract/time/instants.ts';
import { InvalidValue, invalidValueError } from '../invalid-value.ts';
import type { Options, Session } from './noun.ts';
import { parseWhen } from './when.ts';
import type { CliError } from '../errors.ts';

/** The supported formats for days, for errors and help. */
export const dayForms = 'YYYY-MM-DD, a number of days such as 7d, today, yesterday, this-month, last-month, 2026-Q3, 2026-08 or 2026';

/** A range of days, as YYYY-MM-DD. Both ends are included. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/**
 * Parses a range of UTC days. `7d` are the last seven days including today; `today` and `yesterday` are a single day.
 * @param now epoch milliseconds
 * @returns undefined for anything else
 */
export function parseDays(text: string, now: number): Days | undefined {
  const word = text.trim().toLowerCase();
  if (/^\d{4}-\d\d-\d\d$/.test(word)) return parseInstant(word) === undefined ? undefined : { from: word, to: word };
  const today = new Date(now);
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth()];
  const [, count] = /^(\d{1,4})d$/.exec(word) ?? [];
  if (count !== undefined && Number(count) > 0) return { from: utcDate(now - (Number(count) - 1) * dayLength), to: utcDate(now) };
  if (word === 'today') return { from: utcDate(now), to: utcDate(now) };
  if (word === 'yesterday') return { from: utcDate(now - dayLength), to: utcDate(now - dayLength) };
  if (word === 'this-month') return months(year, month, 1);
  if (word === 'last-month') return months(year, month - 1, 1);
  const [, ofYear, quarter] = /^([1-9]\d{3})-q([1-4])$/.exec(word) ?? [];
  if (quarter !== undefined) return months(Number(ofYear), (Number(quarter) - 1) * 3, 3);
  const [, monthYear, monthNumber] = /^([1-9]\d{3})-(0[1-9]|1[0-2])$/.exec(word) ?? [];
  if (monthNumber !== undefined) return months(Number(monthYear), Number(monthNumber) - 1, 1);
  return /^[1-9]\d{3}$/.test(word) ? months(Number(word), 0, 12) : undefined;
}

function months(year: number, month: number, count: number): Days {
  return { from: utcDate(Date.UTC(year, month)), to: utcDate(Date.UTC(year, month + count) - dayLength) };
}

/**
 * The range of days given by `--from` and `--to`. `--from` alone can be a range such as `last-month`; if it is a date, the
 * range ends today.
 * @throws CliError 2 if one of them is invalid
 */
export function daysOf(options: { readonly from?: string | undefined; readonly to?: string | undefined }, now: number): Partial<Days> {
  const from = options.from === undefined ? undefined : read('--from', options.from, now);
  const to = options.to === undefined ? undefined : read('--to', options.to, now);
  const isOneDay = isDate(options.from);
  // A month, quarter or year that is not over ends today.
  const end = from && from.from <= utcDate(now) && from.to > utcDate(now) ? utcDate(now) : from?.to;
  const last = to?.to ?? (isOneDay ? undefined : end);
  return { ...(from && { from: from.from }), ...(last !== undefined && { to: last }) };
}

/**
 * The days that `--from` and `--to` mean (rule conventions.61); the last 30 days if neither is given.
 * @throws CliError 2 if one of them is invalid, before a request is sent
 */
export async function daysInForce(options: Options, { serviceTime, world }: Session): Promise<Days> {
  const asGiven = daysOf(options, world.now());
  if (isDate(options.from as string | undefined) && isDate(options.to as string | undefined)) return withDefaultDays(asGiven, 0);
  const now = await serviceTime();
  return withDefaultDays(daysOf(options, now), now);
}

function read(flag: string, text: string, now: number): Days {
  const days = parseDays(text, now);
  if (!days) throw notDaysError(flag, text, now);
  return days;
}

/** The error for what names no days. For a time, it says which day to write. @param others further values of the option */
export function notDaysError(flag: string, text: string, now: number, others = ''): CliError {
  const day = dayOfTime(text, now);
  return day === undefined
    ? invalidValueError(flag, text, `must be ${others}${dayForms}`)
    : invalidValueError(flag, text, `is not a whole day, but figures are for whole days in UTC: write ${day}`);
}

/** The day of a time in UTC, such as `9:00`, `2h` or an instant; undefined for anything else. */
function dayOfTime(text: string, now: number): string | undefined {
  try {
    return utcDate(parseInstant(parseWhen(text, now, 'UTC', 'back')) as number);
  } catch (error) {
    if (error instanceof InvalidValue) return undefined;
    throw error;
  }
}

/** Whether a range is a number of days: `7d`, `today`, `yesterday`, or the last 30 days by default. */
export const isCounted = (text = 'today') => /^\s*(\d+d|today|yesterday)\s*$/i.test(text);

/** Whether an option is a date rather than the name of a range. */
export const isDate = (text: string | undefined) => /^\s*\d{4}-\d\d-\d\d\s*$/.test(text ?? '');

/** Fills in the last 30 days, for requests that need both days. */
export function withDefaultDays({ from, to }: Partial<Days>, now: number): Days {
  const last = to ?? utcDate(now);
  return { from: from ?? utcDate(Date.parse(`${last}T00:00:00Z`) - 29 * dayLength), to: last };
}
