import type { Granularity } from '../../contract/areas/analytics/names.ts';
import { dayLength, utcDate } from '../../contract/time/days.ts';
import type { Days } from '../verb/days.ts';

/** Adds a number of days to a UTC day (YYYY-MM-DD). */
export function dayAfter(day: string, days: number): string {
  return utcDate(Date.parse(`${day}T00:00:00Z`) + days * dayLength);
}

/** Number of days in a range, including both ends. */
export function lengthOf({ from, to }: Days): number {
  return (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayLength + 1;
}

/**
 * Splits a range into parts of at most `most` days, oldest first. Parts end at the end of a step of the granularity, so that no
 * label is in two parts. An invalid range that ends before it begins is returned as it is, so that the service rejects it.
 * @param most at least the number of days of the longest step
 */
export function partsOf(days: Days, most: number, granularity: Granularity = 'day'): Days[] {
  const parts: Days[] = [];
  let { from } = days;
  while (lengthOf({ from, to: days.to }) > most) {
    const next = firstDayOfStep(dayAfter(from, most), granularity);
    parts.push({ from, to: dayAfter(next, -1) });
    from = next;
  }
  return [...parts, { from, to: days.to }];
}

/** The first day of the week (Monday) or month that contains a day. */
function firstDayOfStep(day: string, granularity: Granularity): string {
  if (granularity === 'month') return `${day.slice(0, 7)}-01`;
  if (granularity === 'week') return dayAfter(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7));
  return day;
}

/**
 * The period before a range. For whole months, the same number of months; for the first days of a month, the same days of the
 * previous month; otherwise, the same number of days.
 * @param isCounted whether the range was given as a number of days, so that its place in a month does not matter
 */
export function periodBefore(days: Days, isCounted: boolean): Days {
  const before = dayAfter(days.from, -1);
  const isOfMonth = days.from.endsWith('-01') && !isCounted && days.from !== days.to;
  const isWholeMonths = isOfMonth && dayAfter(days.to, 1).endsWith('-01');
  if (isOfMonth && !isWholeMonths && days.from.slice(0, 7) === days.to.slice(0, 7)) {
    const from = `${before.slice(0, 7)}-01`;
    const to = dayAfter(from, lengthOf(days) - 1);
    return { from, to: to < before ? to : before };
  }
  if (!isWholeMonths) return { from: dayAfter(days.from, -lengthOf(days)), to: before };
  const first = new Date(`${days.from}T00:00:00Z`);
  const last = new Date(`${days.to}T00:00:00Z`);
  const months = (last.getUTCFullYear() - first.getUTCFullYear()) * 12 + last.getUTCMonth() - first.getUTCMonth() + 1;
  const from = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() - months));
  return { from: utcDate(from.getTime()), to: before };
}
