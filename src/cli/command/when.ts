import { iso, lastInstant, parseInstant } from '../../contract/instants.ts';
import { dayLength, utcDate } from '../../contract/days.ts';
import { localTime } from '../output/times.ts';
import { InvalidValue } from './invalid-value.ts';
import type { Session } from './noun.ts';
import { readDuration, whenForms } from './values.ts';

const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/**
 * Parses a time: ISO 8601, `now`, `today 18:00`, `tomorrow 3pm`, `friday 14:30`, `2027-03-02 9:00`, or a duration from now such
 * as `2h` or `in 2 hours`. Days and times are in the user's time zone, including dates without a time. A day of the week is the
 * next one.
 * @param now epoch milliseconds
 * @returns the time as ISO 8601 in UTC; ISO 8601 with a zone is returned unchanged
 * @throws InvalidValue for anything else, and for a duration that ends after the year 9999
 */
export function parseWhen(text: string, now: number, timeZone: string | undefined): string {
  const written = text.includes('T') ? parseInstant(text) : undefined;
  if (written !== undefined) return hasZone(text) ? text : iso(fromLocal(iso(written), timeZone));
  const duration = readDuration(shortened(text));
  const instant = duration === undefined ? readDayAndTime(text, now, timeZone) : now + duration;
  if (instant === undefined) throw new InvalidValue(`must be ${whenForms}`);
  if (instant > lastInstant) throw new InvalidValue('must be before the year 10000');
  return iso(instant);
}

/**
 * Parses a time (see `parseWhen`) in the user's time zone. One without a year is relative to the current time of the service,
 * which is asked only if the text is valid.
 * @throws InvalidValue if the text is not a time
 */
export async function readWhen(text: string, { serviceTime, world }: Session): Promise<string> {
  const timeZone = world.env.TZ || undefined;
  const onThisClock = parseWhen(text, world.now(), timeZone);
  return hasYear(text) ? onThisClock : parseWhen(text, await serviceTime(), timeZone);
}

/** Whether a time names its year, so that it means the same whenever it is read. */
export const hasYear = (text: string) => /^\s*\d{4}-|\d{4},? +\d{1,2}:/.test(text);

const hasZone = (text: string) => /(Z|[+-]\d\d:?\d\d)$/.test(text);

/** Shortens `in 2 hours` to `2h`; returns any other text unchanged. */
function shortened(text: string): string {
  return text
    .trim()
    .replace(/^in (\d+) ?([mhdw])(?:(?:in|inute|our|ay|eek)s?)?$/i, (_, count: string, unit: string) => count + unit.toLowerCase());
}

function readDayAndTime(text: string, now: number, timeZone: string | undefined): number | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'now') return now;
  const match = /^([a-z]+|\d{4}-\d\d-\d\d)?(?:(?:^|\s+)(\d{1,2}(?::\d\d)?\s*(?:[ap]m)?))?$/.exec(word);
  if (!match || word === '') return undefined;
  const [, day, clock] = match;
  const time = clock === undefined ? '00:00' : readClock(clock);
  if (time === undefined) return undefined;
  const today = localTime(now, timeZone).slice(0, 10);
  const date = dateOf(day, today);
  return date === undefined ? undefined : fromLocal(`${date}T${time}:00Z`, timeZone);
}

/** Parses a time of day such as `9:00`, `3pm` or `3:30 pm` to HH:MM. A number without minutes or am/pm is not a time. */
function readClock(text: string): string | undefined {
  const [, hour = '', minute, half] = /^(\d{1,2})(?::(\d\d))?\s*([ap]m)?$/.exec(text) ?? [];
  if ((minute ?? half) === undefined || Number(minute ?? 0) > 59) return undefined;
  const isValid = half === undefined ? Number(hour) < 24 : Number(hour) >= 1 && Number(hour) <= 12;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'pm' ? 12 : 0);
  return isValid ? `${String(hours).padStart(2, '0')}:${minute ?? '00'}` : undefined;
}

/** The date of a day: a named day relative to today, or a date itself. */
function dateOf(day: string | undefined, today: string): string | undefined {
  if (day !== undefined && /^\d/.test(day)) return parseInstant(day) === undefined ? undefined : day;
  const distance = day === undefined || day === 'today' ? 0 : day === 'tomorrow' ? 1 : distanceTo(day, today);
  if (distance === undefined) return undefined;
  return utcDate(Date.parse(`${today}T00:00:00Z`) + distance * dayLength);
}

/** The number of days (1 to 7) from a date to the next occurrence of a weekday. */
function distanceTo(day: string, today: string): number | undefined {
  const wanted = days.findIndex((name) => name === day || name.slice(0, 3) === day);
  if (wanted < 0) return undefined;
  return ((wanted - new Date(today).getUTCDay() + 6) % 7) + 1;
}

/**
 * Converts a local time to epoch milliseconds. A time that daylight saving time skips is moved forward.
 * @param local the local time, written as if it were UTC
 */
function fromLocal(local: string, timeZone: string | undefined): number {
  const wanted = Date.parse(local);
  // Local times have whole seconds.
  const offsetAt = (instant: number) =>
    Date.parse(`${localTime(instant, timeZone).replace(' ', 'T')}Z`) - Math.floor(instant / 1_000) * 1_000;
  // On the day of a clock change, the previous day's offset applies before the change, and the next day's offset after it.
  const before = wanted - offsetAt(wanted - dayLength);
  const after = wanted - offsetAt(wanted + dayLength);
  return before + offsetAt(before) !== wanted && after + offsetAt(after) === wanted ? after : before;
}
