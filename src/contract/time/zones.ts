import { dayLength, utcDate } from './days.ts';

/**
 * A time zone. A local time is represented as a number: epoch milliseconds as if the local time were UTC. Days are counted from
 * 1970-01-01.
 */
export interface Zone {
  /** The local time at an instant. */
  readonly localTime: (instant: number) => number;
  /** The first instant at which the local time occurs; undefined for a local time that a change of the offset skips. */
  readonly firstInstant: (localTime: number) => number | undefined;
  /**
   * Same as `firstInstant`, but for a skipped local time it returns the instant at which that time would have occurred without
   * the change.
   */
  readonly instantFrom: (localTime: number) => number;
}

/** Finds a time zone by its IANA name. @throws RangeError when there is no such zone */
export type FindZone = (timezone: string) => Zone;

let found: Promise<FindZone> | undefined;

/** Loads the time zone rules on first use, because loading them is slow. */
export function loadZones(): Promise<FindZone> {
  return (found ??= makeZones());
}

/** The maximum number of cached zones, and of cached offsets (one per day) for each. Both are far more than a request needs. */
const zonesMax = 100;
const daysMax = 2_000;

async function makeZones(): Promise<FindZone> {
  const { Temporal } = await import('temporal-polyfill');
  const zones = new Map<string, Zone>();

  function makeZone(timezone: string): Zone {
    const offsets = new Map<number, number>();
    const zoned = (instant: number) => Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timezone);
    const exactOffset = (instant: number) => zoned(instant).offsetNanoseconds / 1e6;
    // Looking up an offset is slower than everything else here, and offsets rarely change.
    const offsetOfDay = (day: number): number => {
      let offset = offsets.get(day);
      if (offset === undefined) {
        if (offsets.size >= daysMax) offsets.clear();
        offsets.set(day, (offset = exactOffset(day * dayLength)));
      }
      return offset;
    };
    /** The offset of a whole local day; undefined when the offset changes around that day. */
    const constantOffset = (localTime: number): number | undefined => {
      const day = Math.floor(localTime / dayLength);
      const offset = offsetOfDay(day - 1);
      return offset === offsetOfDay(day + 2) ? offset : undefined;
    };
    const findFirst = (localTime: number, ifSkipped: 'earlier' | 'later') => {
      const local = new Date(localTime).toISOString().slice(0, -1);
      return Temporal.PlainDateTime.from(local).toZonedDateTime(timezone, { disambiguation: ifSkipped }).epochMilliseconds;
    };
    const localTime = (instant: number) => {
      const day = Math.floor(instant / dayLength);
      const offset = offsetOfDay(day);
      return instant + (offset === offsetOfDay(day + 1) ? offset : exactOffset(instant));
    };
    return {
      localTime,
      firstInstant: (wanted) => {
        const offset = constantOffset(wanted);
        if (offset !== undefined) return wanted - offset;
        const first = findFirst(wanted, 'earlier');
        return localTime(first) === wanted ? first : undefined;
      },
      instantFrom: (wanted) => {
        const offset = constantOffset(wanted);
        if (offset !== undefined) return wanted - offset;
        const first = findFirst(wanted, 'earlier');
        return localTime(first) === wanted ? first : findFirst(wanted, 'later');
      },
    };
  }

  return (timezone) => {
    let zone = zones.get(timezone);
    if (!zone) {
      if (zones.size >= zonesMax) zones.clear();
      zones.set(timezone, (zone = makeZone(timezone)));
    }
    return zone;
  };
}

/** Finds the change of the offset between two instants, assuming at most one: the first instant with the new offset. */
export function changeBetween(localTime: Zone['localTime'], from: number, to: number): number {
  const offsetAt = (instant: number) => localTime(instant) - instant;
  let [before, after] = [from, to];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(middle) === offsetAt(from)) before = middle;
    else after = middle;
  }
  return after;
}

/** The day of a local time, counted from 1970-01-01. */
export function dayOfLocalTime(localTime: number): number {
  return Math.floor(localTime / dayLength);
}

/** The first local time of a day. */
export function startOfDay(day: number): number {
  return day * dayLength;
}

/** The time of day of a local time, as HH:MM. */
export function timeOfDay(localTime: number): string {
  // Much faster than creating a Date, and a year can have many slots.
  const minutes = Math.floor((localTime - startOfDay(dayOfLocalTime(localTime))) / 60_000);
  return `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

function twoDigits(number: number): string {
  return number < 10 ? `0${number}` : `${number}`;
}

/** The date of a day, as YYYY-MM-DD. */
export function dateOf(day: number): string {
  return utcDate(startOfDay(day));
}
