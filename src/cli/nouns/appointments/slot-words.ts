import { dayLength } from '../../../contract/time/days.ts';
import { iso, parseInstant } from '../../../contract/time/instants.ts';
import { dayOfLocalTime, startOfDay, timeOfDay, type Zone } from '../../../contract/time/zones.ts';
import { parseWhen } from '../../verb/when.ts';
import { InvalidValue } from '../../invalid-value.ts';

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const minute = 60_000;

/** A slot or an appointment, in epoch milliseconds. */
interface Period {
  readonly start: number;
  readonly end: number;
}

/** A period in words, in the local time of a zone. */
export interface PeriodWords {
  /** The start as `book` reads it: `Tue 2 Mar 09:00`. */
  readonly words: string;
  /** The time of day at which it starts. */
  readonly start: string;
  /** The time of day at which it ends; with the day if it lasts a day or longer. */
  readonly end: string;
}

/**
 * A period in words. Times have their offsets (`02:00 +01:00`) if that of the zone changes meanwhile, or if the start is a local
 * time that occurs twice.
 * @param now the service's time, which decides whether the year is left out
 */
export function periodWords({ start, end }: Period, zone: Zone, now: number): PeriodWords {
  const today = dayOfLocalTime(zone.localTime(now));
  const hasOffsets = offsetAt(zone, start) !== offsetAt(zone, end) || occursTwice(zone, start);
  const timeAt = (instant: number) => timeOfDay(zone.localTime(instant)) + (hasOffsets ? ` ${offsetText(offsetAt(zone, instant))}` : '');
  const wordsAt = (instant: number) => `${dayInWords(dayOfLocalTime(zone.localTime(instant)), today)} ${timeAt(instant)}`;
  return { words: wordsAt(start), start: timeAt(start), end: end - start < dayLength ? timeAt(end) : wordsAt(end) };
}

/** A day as a column heading of the grid: `Tue 2 Mar`, or `Tue 2 Mar 2027`. */
export function dayWords(day: number, withYear: boolean): string {
  const date = new Date(startOfDay(day));
  return `${weekdayOf(day)} ${date.getUTCDate()} ${months[date.getUTCMonth()]}${withYear ? ` ${date.getUTCFullYear()}` : ''}`;
}

/** A day in words. The year is left out of the days of this year that are not over, so that words without one have one meaning. */
function dayInWords(day: number, today: number): string {
  return dayWords(day, day < today || yearOf(day) !== yearOf(today));
}

export function weekdayOf(day: number): string {
  return weekdays[((day % 7) + 10) % 7] as string;
}

function yearOf(day: number): number {
  return new Date(startOfDay(day)).getUTCFullYear();
}

function offsetAt(zone: Zone, instant: number): number {
  return zone.localTime(instant) - instant;
}

/** Whether the local time at an instant occurs twice, because the clocks are set back around it. */
function occursTwice(zone: Zone, instant: number): boolean {
  const localTime = zone.localTime(instant);
  if (zone.firstInstant(localTime) !== instant) return true;
  const back = offsetAt(zone, instant) - offsetAt(zone, instant + dayLength);
  return back > 0 && zone.localTime(instant + back) === localTime;
}

/** An offset such as `+02:00`. */
function offsetText(offset: number): string {
  return `${offset < 0 ? '-' : '+'}${timeOfDay(Math.abs(offset))}`;
}

/**
 * Parses the start of a slot, or its end: as shown in the grid, with or without weekday, year, offset and free places; as date and time in
 * the zone; or as a readable time, such as `tomorrow 9:00`.
 * @param now epoch milliseconds
 * @param start for an end, the start: a time of day such as `15:00`, a day of the week or a duration is after it
 * @returns the time as ISO 8601
 * @throws InvalidValue for anything else, if the weekday does not match the date, or if the clock change skips the time
 */
export function readSlot(text: string, now: number, zone: Zone, timezone: string, start?: number): string {
  const { localTime, offset } = readGridTime(text, dayOfLocalTime(zone.localTime(now))) ?? { localTime: readLocalTime(text) };
  if (localTime === undefined) return parseWhen(text, now, timezone, 'ahead', start);
  const instant = offset === undefined ? zone.firstInstant(localTime) : localTime - offset;
  if (instant === undefined) throw new InvalidValue(`does not exist in ${timezone}, because the clocks go forward then`);
  return iso(instant);
}

const gridPattern =
  /^(?:([a-z]+),?\s+)?(\d{1,2})\.?\s+([a-z]{3,})\.?(?:\s+(\d{4}))?,?\s+(\d{1,2}):(\d\d)(?:\s+([+-])(\d\d):(\d\d))?(?:\s+\(\d+\))?$/i;

/** The local time of words such as `Tue 2 Mar 09:00`, and its offset if it has one: this year, or next year if the day is over. */
function readGridTime(text: string, today: number): { readonly localTime: number; readonly offset?: number } | undefined {
  const [, weekday, date, month = '', year, hour, minutes, sign, offsetHour, offsetMinutes] = gridPattern.exec(text.trim()) ?? [];
  const number = months.findIndex((each) => month.toLowerCase().startsWith(each.toLowerCase()));
  if (number < 0) return undefined;
  const day = year === undefined ? nextDay(today, number, Number(date)) : dayOf(Number(year), number, Number(date));
  if (day === undefined) throw new InvalidValue('has a day that does not exist');
  if (weekday !== undefined && !weekday.toLowerCase().startsWith(weekdayOf(day).toLowerCase()))
    throw new InvalidValue(`does not fit its day of the week: that date is ${dayInWords(day, today)}`);
  const localTime = startOfDay(day) + timeIn(hour, minutes);
  if (sign === undefined) return { localTime };
  return { localTime, offset: timeIn(offsetHour, offsetMinutes) * (sign === '-' ? -1 : 1) };
}

/** The local time of `2027-03-02 09:00` or `02/03/2027 09:00`; undefined for a time with a zone. */
function readLocalTime(text: string): number | undefined {
  const turned = text.trim().replace(/^(\d\d)\/(\d\d)\/(\d{4})(?=[ T])/, '$3-$2-$1');
  const local = /^(\d{4}-\d\d-\d\d)[ T](\d{1,2}:\d\d)(?::00)?$/.exec(turned);
  return local ? parseInstant(`${local[1]}T${local[2]?.padStart(5, '0')}Z`) : undefined;
}

/** The day of a date without a year: this year, or next year if it is over; undefined if the date exists in neither. */
function nextDay(today: number, month: number, date: number): number | undefined {
  const thisYear = yearOf(today);
  return [thisYear, thisYear + 1].map((year) => dayOf(year, month, date)).find((day) => (day ?? 0) >= today);
}

function dayOf(year: number, month: number, date: number): number | undefined {
  const instant = Date.UTC(year, month, date);
  return new Date(instant).getUTCMonth() === month ? dayOfLocalTime(instant) : undefined;
}

function timeIn(hour = '0', minutes = '0'): number {
  if (Number(hour) > 23 || Number(minutes) > 59) throw new InvalidValue('has a time that does not exist');
  return (Number(hour) * 60 + Number(minutes)) * minute;
}
