import { iso, lastInstant, parseInstant } from '../../contract/instants.ts';
import { dayLength } from '../../contract/zones.ts';
import { localTime } from '../output/times.ts';
import { InvalidValue, readDuration } from './values.ts';

const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** The forms in which people write a time, for errors and help. */
export const whenForms = 'an ISO 8601 date, a time such as `tomorrow 9:00` or `friday 14:30`, or a duration such as 2d or 12h';

/**
 * Reads a time as people write it: ISO 8601, `now`, `today 18:00`, `tomorrow 9:00`, `friday 14:30`, or a duration from now.
 * Days and times are those of the user's zone; a day of the week is the next one.
 * @param now epoch milliseconds
 * @returns the time as ISO 8601 in UTC; what is ISO 8601 already is not changed
 * @throws InvalidValue for anything else, and for a duration beyond the year 9999
 */
export function parseWhen(text: string, now: number, timeZone: string | undefined): string {
  if (parseInstant(text) !== undefined) return text;
  const instant = readDuration(text) === undefined ? readDayAndTime(text, now, timeZone) : now + (readDuration(text) ?? 0);
  if (instant === undefined) throw new InvalidValue(`must be ${whenForms}`);
  if (instant > lastInstant) throw new InvalidValue('must be before the year 10000');
  return iso(instant);
}

function readDayAndTime(text: string, now: number, timeZone: string | undefined): number | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'now') return now;
  const match = /^([a-z]+)?(?:(?:^|\s+)(\d{1,2}):(\d\d))?$/.exec(word);
  if (!match || word === '') return undefined;
  const [, day, hour = '0', minute = '00'] = match;
  if (Number(hour) > 23 || Number(minute) > 59) return undefined;
  const today = localTime(now, timeZone).slice(0, 10);
  const distance = day === undefined || day === 'today' ? 0 : day === 'tomorrow' ? 1 : distanceTo(day, today);
  if (distance === undefined) return undefined;
  const date = new Date(Date.parse(`${today}T00:00:00Z`) + distance * dayLength).toISOString().slice(0, 10);
  return fromLocal(`${date}T${hour.padStart(2, '0')}:${minute}:00Z`, timeZone);
}

/** The days from a date to the next such day of the week, 1 to 7. */
function distanceTo(day: string, today: string): number | undefined {
  const wanted = days.findIndex((name) => name === day || name.slice(0, 3) === day);
  if (wanted < 0) return undefined;
  return ((wanted - new Date(today).getUTCDay() + 6) % 7) + 1;
}

/** The instant of a local time. A time that the change to summer time skips is moved forward. @param local as if it were UTC */
function fromLocal(local: string, timeZone: string | undefined): number {
  const wanted = Date.parse(local);
  const offsetAt = (instant: number) => Date.parse(`${localTime(instant, timeZone).replace(' ', 'T')}Z`) - instant;
  // On the day of a change, the offset of the day before is in force before it, and that of the day after behind it.
  const before = wanted - offsetAt(wanted - dayLength);
  const after = wanted - offsetAt(wanted + dayLength);
  return before + offsetAt(before) !== wanted && after + offsetAt(after) === wanted ? after : before;
}
