import { iso, lastInstant, parseInstant } from '../../contract/time/instants.ts';
import { dayLength, utcDate } from '../../contract/time/days.ts';
import { localTime } from '../output/times.ts';
import { InvalidValue } from '../invalid-value.ts';
import type { Session } from './noun.ts';
import { pastForms, readDuration, whenForms } from './values.ts';

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

const relativeDays: ReadonlyMap<string, number> = new Map([
  ['yesterday', -1],
  ['today', 0],
  ['tomorrow', 1],
]);

/**
 * Whether an option takes times to come or times that have passed. A time of day or a day of the week is its next occurrence, or its
 * last one. A duration is from now, or ago.
 */
type Direction = 'ahead' | 'back';

/**
 * Parses a time: ISO 8601, `now`, `9:00`, `today 18:00`, `tomorrow 3pm`, `friday 14:30`, `2027-03-02 9:00`, or a duration such as `2h`
 * or `in 2 hours`. Days and times are in the user's time zone, including dates without a time.
 * @param now epoch milliseconds
 * @param start for the end of a period, its start: a time of day, a day of the week or a duration is after it
 * @returns the time as ISO 8601 in UTC; ISO 8601 with a zone is returned unchanged
 * @throws InvalidValue for anything else, and for a duration that ends after the year 9999
 */
export function parseWhen(text: string, now: number, timeZone: string | undefined, looks: Direction, start?: number): string {
  const written = text.includes('T') ? parseInstant(text) : undefined;
  if (written !== undefined) return hasZone(text) ? text : iso(firstInstant(iso(written), timeZone));
  const instant =
    readDuration(shortened(text)) === undefined ? readDayAndTime(text, now, timeZone, looks, start) : readOffset(text, now, looks, start);
  if (instant === undefined) throw new InvalidValue(`must be ${looks === 'back' ? pastForms : whenForms}`);
  if (instant > lastInstant) throw new InvalidValue('must be before the year 10000');
  return iso(instant);
}

/**
 * Parses a time (see `parseWhen`) in the user's time zone. One without a year is relative to the current time of the service,
 * which is asked only if the text is valid.
 * @throws InvalidValue if the text is not a time
 */
export async function readWhen(
  text: string,
  looks: Direction,
  { serviceTime, world }: Pick<Session, 'serviceTime' | 'world'>,
): Promise<string> {
  const timeZone = world.env.TZ || undefined;
  const onThisClock = parseWhen(text, world.now(), timeZone, looks);
  return hasYear(text) ? onThisClock : parseWhen(text, await serviceTime(), timeZone, looks);
}

/**
 * Parses a day to come: a date, or the day of a time such as `tomorrow`, in the user's time zone (see `readWhen`).
 * @returns the date as YYYY-MM-DD
 * @throws InvalidValue if the text is neither
 */
export async function readDate(text: string, session: Session): Promise<string> {
  if (/^\d{4}-\d\d-\d\d$/.test(text) && parseInstant(text) !== undefined) return text;
  const when = await readWhen(text, 'ahead', session);
  return localTime(parseInstant(when) as number, session.world.env.TZ || undefined).slice(0, 10);
}

/** Whether a time names its year, so that it means the same whenever it is read. */
export const hasYear = (text: string) => /^\s*\d{4}-|\d{4},? +\d{1,2}:/.test(text);

const hasZone = (text: string) => /(Z|[+-]\d\d:?\d\d)$/.test(text);

/** The instant at a duration from now, or from the start of a period. `in 2 hours` is always from now. */
function readOffset(text: string, now: number, looks: Direction, start = now): number {
  const duration = readDuration(text.trim());
  if (duration === undefined) return now + (readDuration(shortened(text)) as number);
  return looks === 'back' ? start - duration : start + duration;
}

/** Shortens `in 2 hours` to `2h`; returns any other text unchanged. */
function shortened(text: string): string {
  return text
    .trim()
    .replace(/^in (\d+) ?([mhdw])(?:(?:in|inute|our|ay|eek)s?)?$/i, (_, count: string, unit: string) => count + unit.toLowerCase());
}

function readDayAndTime(
  text: string,
  now: number,
  timeZone: string | undefined,
  looks: Direction,
  start: number | undefined,
): number | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'now') return now;
  const match = /^([a-z]+|\d{4}-\d\d-\d\d)?(?:(?:^|\s+)(\d{1,2}(?::\d\d)?\s*(?:[ap]m)?))?$/.exec(word);
  if (!match || word === '') return undefined;
  const [, day, clock] = match;
  const time = clock === undefined ? '00:00' : readClock(clock);
  if (time === undefined) return undefined;
  const dayAt = (instant: number) => localTime(instant, timeZone).slice(0, 10);
  const dates = datesOf(day, dayAt(now), dayAt(start ?? now));
  const instants = dates.flatMap((date) => instantsOf(`${date}T${time}:00Z`, timeZone));
  if (dates.length <= 1) return instants[0];
  if (looks === 'back') return instants.findLast((instant) => instant <= now);
  return instants.find((instant) => (start === undefined ? instant >= now : instant > start));
}

/** Parses a time of day such as `9:00`, `3pm` or `3:30 pm` to HH:MM. A number without minutes or am/pm is not a time. */
export function readClock(text: string): string | undefined {
  const [, hour = '', minute, half] = /^(\d{1,2})(?::(\d\d))?\s*([ap]m)?$/.exec(text) ?? [];
  if ((minute ?? half) === undefined || Number(minute ?? 0) > 59) return undefined;
  const isValid = half === undefined ? Number(hour) < 24 : Number(hour) >= 1 && Number(hour) <= 12;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'pm' ? 12 : 0);
  return isValid ? `${String(hours).padStart(2, '0')}:${minute ?? '00'}` : undefined;
}

/**
 * The dates that a day can mean, in order: one for a date and a day relative to today, none for an unknown word.
 * @param near the date of which the next or the last day of the week is meant
 */
function datesOf(day: string | undefined, today: string, near: string): string[] {
  if (day !== undefined && /^\d/.test(day)) return parseInstant(day) === undefined ? [] : [day];
  const from = relativeDays.has(day ?? '') ? today : near;
  return distancesOf(day, from).map((distance) => utcDate(Date.parse(`${from}T00:00:00Z`) + distance * dayLength));
}

/** The numbers of days from a date to the days that a word can mean. */
function distancesOf(day: string | undefined, today: string): number[] {
  if (day === undefined) return [-1, 0, 1];
  const relative = relativeDays.get(day);
  if (relative !== undefined) return [relative];
  const weekday = weekdays.findIndex((name) => name === day || name.slice(0, 3) === day);
  if (weekday < 0) return [];
  const distance = (weekday - new Date(today).getUTCDay() + 7) % 7;
  return [distance - 7, distance, distance + 7];
}

/** The instant of a local time. One that occurs twice is its first occurrence. See `instantsOf`. */
const firstInstant = (local: string, timeZone: string | undefined) => instantsOf(local, timeZone)[0] as number;

/**
 * The instants at which a local time occurs, in epoch milliseconds: two if the clocks are set back over it. A time that daylight
 * saving time skips is moved forward.
 * @param local the local time, written as if it were UTC
 */
function instantsOf(local: string, timeZone: string | undefined): number[] {
  const wanted = Date.parse(local);
  // Local times have whole seconds.
  const offsetAt = (instant: number) =>
    Date.parse(`${localTime(instant, timeZone).replace(' ', 'T')}Z`) - Math.floor(instant / 1_000) * 1_000;
  // On the day of a clock change, the previous day's offset applies before the change, and the next day's offset after it.
  const before = wanted - offsetAt(wanted - dayLength);
  const after = wanted - offsetAt(wanted + dayLength);
  const found = [...new Set([before, after])].filter((instant) => instant + offsetAt(instant) === wanted);
  return found.length > 0 ? found : [before];
}
