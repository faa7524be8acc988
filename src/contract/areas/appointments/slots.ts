import type * as z from 'zod';
import { weekdays, type Weekday } from '../../time/weekdays.ts';
import { changeBetween, startOfDay, type Zone } from '../../time/zones.ts';
import type { availability } from '../events/endpoints.ts';

const minute = 60_000;

/** The hours at which an event type can be booked. */
export interface Bookable {
  readonly slot_minutes: number;
  readonly availability: z.output<ReturnType<typeof availability>>;
}

/** A time that can be booked, in epoch milliseconds. */
export interface Slot {
  readonly start: number;
  readonly end: number;
}

/**
 * The slots of a local day, in order (rules appointments.4, appointments.5, appointments.6, appointments.7, appointments.8). They
 * lie within the windows of the day and do not overlap.
 * @param day the number of days since 1970-01-01
 */
export function slotsOfDay({ slot_minutes: minutes, availability: hours }: Bookable, zone: Zone, day: number): Slot[] {
  const length = minutes * minute;
  const slots: Slot[] = [];
  for (const { from, to } of windowsOf(hours, day)) {
    for (let localTime = from; localTime + length <= to; localTime += length) {
      const start = zone.firstInstant(localTime);
      if (start === undefined || start < (slots.at(-1)?.end ?? -Infinity)) continue;
      const end = start + length;
      if (liesWithin(zone, { start, end }, from, to)) slots.push({ start, end });
    }
  }
  return slots;
}

/** The weekday of a day, given as the number of days since 1970-01-01, a Thursday. */
export function weekdayOf(day: number): Weekday {
  return weekdays[((day % 7) + 10) % 7] as Weekday;
}

interface Window {
  readonly from: number;
  readonly to: number;
}

/** The windows of a day as local times, in order. */
function windowsOf(hours: Bookable['availability'], day: number): Window[] {
  const windows = hours[weekdayOf(day)] ?? [];
  const at = (time: string) => startOfDay(day) + (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * minute;
  return (Array.isArray(windows) ? windows : [windows])
    .map(({ start_time: from, end_time: to }) => ({ from: at(from), to: at(to) }))
    .sort((a, b) => a.from - b.from || a.to - b.to);
}

/** Whether all local times of a slot lie within a window, even when the time zone's offset changes during the slot. */
function liesWithin({ localTime }: Zone, { start, end }: Slot, from: number, to: number): boolean {
  const last = end - 1;
  if (localTime(last) - last === localTime(start) - start) return true;
  const change = changeBetween(localTime, start, last);
  return [change - 1, change, last].every((instant) => localTime(instant) >= from && localTime(instant) < to);
}
