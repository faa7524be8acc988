import { dateOf } from '../../../contract/time/zones.ts';
import type { Granularity } from '../../../contract/areas/analytics/names.ts';
import { invalidField } from '../../errors.ts';
import { dayLength } from '../../../contract/time/days.ts';
import { dayOf } from '../activity/counts.ts';

/** Days from `first` to `last`, both included, as the number of days since 1970-01-01. */
export interface Period {
  readonly first: number;
  readonly last: number;
}

/** The default length of a period, in days. */
const defaultDays = 30;

/** The number of a day, from a date such as `2027-03-01`. */
export function readDay(date: string): number {
  return dayOf(Date.parse(`${date}T00:00:00Z`));
}

/** The number of days of a period. */
export function lengthOf({ first, last }: Period): number {
  return last - first + 1;
}

/**
 * The period of a query (rules analytics.2 and analytics.3).
 * @param now by the service's clock
 * @param max the maximum number of days
 * @throws ApiError 400 when `from` is after `to`, or the period is too long
 */
export function periodOf({ from, to }: { from?: string | undefined; to?: string | undefined }, now: number, max: number): Period {
  const last = to === undefined ? dayOf(now) : readDay(to);
  const first = from === undefined ? last - defaultDays + 1 : readDay(from);
  if (first > last) throw invalidField('from', `must not be after ${dateOf(last)}`);
  const period = { first, last };
  if (lengthOf(period) > max) throw invalidField('from', `the range has ${lengthOf(period)} days; at most ${max} days are possible`);
  return period;
}

/** The days of a period. */
export function daysOf({ first, last }: Period): number[] {
  return Array.from({ length: lengthOf({ first, last }) }, (_, index) => first + index);
}

/** Splits a period into parts of `days` days each. The last part can be shorter. */
export function partsOf({ first, last }: Period, days: number): Period[] {
  const count = Math.ceil(lengthOf({ first, last }) / days);
  return Array.from({ length: count }, (_, part) => ({ first: first + part * days, last: Math.min(first + (part + 1) * days - 1, last) }));
}

/** The first and the last day of a period, as answers show it. */
export function showPeriod({ first, last }: Period) {
  return { from: dateOf(first), to: dateOf(last) };
}

/** The instants of a period: `start` is included, `end` is excluded. */
export function instantsOf({ first, last }: Period) {
  return { start: first * dayLength, end: (last + 1) * dayLength };
}

/** The steps of a period: a label for each step (its first day), and the step of each day. */
export interface Axis {
  readonly labels: string[];
  /** The index of the step that contains a day of the period. */
  readonly indexOf: (day: number) => number;
}

/** Divides a period into steps. Weeks start on Monday. The first step can start before the period. */
export function axisOf({ first, last }: Period, granularity: Granularity): Axis {
  const starts: number[] = [];
  const indexes: number[] = [];
  for (let day = first; day <= last; day++) {
    const start = startOf(day, granularity);
    if (starts.at(-1) !== start) starts.push(start);
    indexes.push(starts.length - 1);
  }
  return { labels: starts.map(dateOf), indexOf: (day) => indexes[day - first] ?? -1 };
}

function startOf(day: number, granularity: Granularity): number {
  if (granularity === 'day') return day;
  // 1970-01-01 was a Thursday.
  if (granularity === 'week') return day - ((((day + 3) % 7) + 7) % 7);
  const date = new Date(day * dayLength);
  return dayOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth()));
}
