import { dayLength } from '../../../contract/time/days.ts';
import { dayOfLocalTime, startOfDay, type Zone } from '../../../contract/time/zones.ts';
import type { BookingPage } from '../events/table.ts';

/** The most bookings to come of a number (rule bookings.7). */
export const bookingsToCome = 3;

/** The longest range of slots in a request, in days. */
export const daysMax = 31;

/** The instants between which slots of a page begin (rule bookings.4). */
export function offeredBetween(page: Pick<BookingPage, 'days_ahead' | 'notice_minutes'>, zone: Zone, now: number) {
  const today = dayOfLocalTime(zone.localTime(now));
  const end = zone.instantFrom(startOfDay(today + page.days_ahead + 1));
  return { from: now + page.notice_minutes * 60_000, last: end - 1 };
}

/** The instants of a request for slots, at most a month, within those that are offered. */
export function requestedBetween(
  offered: { readonly from: number; readonly last: number },
  { from, to }: { readonly from?: number | undefined; readonly to?: number | undefined },
) {
  const first = from ?? offered.from;
  return { from: Math.max(first, offered.from), last: Math.min(to ?? first + daysMax * dayLength - 1, offered.last) };
}
