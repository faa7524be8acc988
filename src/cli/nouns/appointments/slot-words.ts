import { iso, parseInstant } from '../../../contract/instants.ts';
import { dayOfLocalTime, startOfDay, timeOfDay, type Zone } from '../../../contract/zones.ts';
import { parseWhen } from '../../command/when.ts';
import { InvalidValue } from '../../command/invalid-value.ts';

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const minute = 60_000;

/** A day as a column heading of the grid: `Tue 2 Mar`, or `Tue 2 Mar 2027`. */
export function dayWords(day: number, withYear = false): string {
  const date = new Date(startOfDay(day));
  return `${weekdayOf(day)} ${date.getUTCDate()} ${months[date.getUTCMonth()]}${withYear ? ` ${date.getUTCFullYear()}` : ''}`;
}

/**
 * The start of a slot as shown in the grid: `Tue 2 Mar 09:00`. Includes the year if it would otherwise be read as another one.
 * @param today the day on which the words are read
 */
export function slotWords(localTime: number, today: number): string {
  const day = dayOfLocalTime(localTime);
  const date = new Date(localTime);
  return `${dayWords(day, nextDay(today, date.getUTCMonth(), date.getUTCDate()) !== day)} ${timeOfDay(localTime)}`;
}

function weekdayOf(day: number): string {
  return weekdays[((day % 7) + 10) % 7] as string;
}

/**
 * Parses the start of a slot: as shown in the grid, with or without weekday, year and free places; as date and time in the
 * zone; or as a readable time, such as `tomorrow 9:00`.
 * @param now epoch milliseconds
 * @returns the time as ISO 8601
 * @throws InvalidValue for anything else, if the weekday does not match the date, or if the clock change skips the time
 */
export function readSlot(text: string, now: number, zone: Zone, timezone: string): string {
  const localTime = readGridTime(text, dayOfLocalTime(zone.localTime(now))) ?? readLocalTime(text);
  if (localTime === undefined) return parseWhen(text, now, timezone);
  const instant = zone.firstInstant(localTime);
  if (instant === undefined) throw new InvalidValue(`does not exist in ${timezone}: the clocks skip it`);
  return iso(instant);
}

const gridPattern = /^(?:([a-z]+),?\s+)?(\d{1,2})\.?\s+([a-z]{3,})\.?(?:\s+(\d{4}))?,?\s+(\d{1,2}):(\d\d)(?:\s+\(\d+\))?$/i;

/** The local time of words such as `Tue 2 Mar 09:00`: this year, or next year if the day is over. */
function readGridTime(text: string, today: number): number | undefined {
  const [, weekday, date, month = '', year, hour, minutes] = gridPattern.exec(text.trim()) ?? [];
  const number = months.findIndex((each) => month.toLowerCase().startsWith(each.toLowerCase()));
  if (number < 0) return undefined;
  const day = year === undefined ? nextDay(today, number, Number(date)) : dayOf(Number(year), number, Number(date));
  if (day === undefined) throw new InvalidValue('has a day that does not exist');
  if (weekday !== undefined && !weekday.toLowerCase().startsWith(weekdayOf(day).toLowerCase()))
    throw new InvalidValue(`names another day of the week: it is ${dayWords(day)}`);
  return startOfDay(day) + timeIn(hour, minutes);
}

/** The local time of `2027-03-02 09:00` or `02/03/2027 09:00`; undefined for a time with a zone. */
function readLocalTime(text: string): number | undefined {
  const turned = text.trim().replace(/^(\d\d)\/(\d\d)\/(\d{4})(?=[ T])/, '$3-$2-$1');
  const local = /^(\d{4}-\d\d-\d\d)[ T](\d{1,2}:\d\d)(?::00)?$/.exec(turned);
  return local ? parseInstant(`${local[1]}T${local[2]?.padStart(5, '0')}Z`) : undefined;
}

/** The day of a date without a year: this year, or next year if it is over; undefined if the date exists in neither. */
function nextDay(today: number, month: number, date: number): number | undefined {
  const thisYear = new Date(startOfDay(today)).getUTCFullYear();
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
