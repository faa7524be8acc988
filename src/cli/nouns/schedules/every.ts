import { type Weekday, weekdays } from '../../../contract/time/weekdays.ts';
import { InvalidValue } from '../../invalid-value.ts';
import { readClock } from '../../verb/when.ts';

/** What `--every` says: a rule, and the time of day at which it begins, as HH:MM; null for every few hours. */
export interface Every {
  readonly rrule: string;
  readonly time: string | null;
}

const forms =
  "such as 'day 9:00', 'weekday 8:30', 'monday,friday 9:00', '2 weeks monday 9:00', 'month 1 9:00', 'month last 18:00' or '6 hours'";

const frequencies = { hour: 'HOURLY', day: 'DAILY', week: 'WEEKLY', month: 'MONTHLY' } as const;

type Unit = keyof typeof frequencies;

/**
 * Reads how often something is to happen.
 * @throws InvalidValue if it is not understood
 */
export function parseEvery(text: string): Every {
  const words = text.trim().toLowerCase().replace(/,\s+/g, ',').split(/\s+/);
  const interval = /^\d{1,3}$/.test(words[0] ?? '') ? Number(words.shift()) : 1;
  const first = words.shift() ?? '';
  const unit = unitOf(first);
  const days = unit === undefined ? daysOf(first) : undefined;
  if (interval === 0 || (unit === undefined && days === undefined)) throw notUnderstood();
  const step = interval === 1 ? '' : `;INTERVAL=${interval}`;
  if (unit === 'hour' && words.length === 0) return { rrule: `FREQ=HOURLY${step}`, time: null };
  if (unit === 'hour') throw notUnderstood();
  const within = unit === 'month' ? monthDayOf(words) : unit === 'week' ? daysOf(words.shift() ?? '') : days;
  if (within === undefined && unit !== 'day') throw notUnderstood();
  const frequency = frequencies[unit ?? 'week'];
  return { rrule: `FREQ=${frequency}${step}${within === undefined ? '' : `;${within}`}`, time: timeOf(words) };
}

function notUnderstood(): InvalidValue {
  return new InvalidValue(`must be ${forms}`);
}

function unitOf(word: string): Unit | undefined {
  const unit = word === 'daily' ? 'day' : word.replace(/s$/, '');
  return Object.hasOwn(frequencies, unit) ? (unit as Unit) : undefined;
}

/** The days of the week in a rule: `weekday`, `weekend`, or names separated by commas. */
function daysOf(word: string): string | undefined {
  if (/^weekdays?$/.test(word)) return 'BYDAY=MO,TU,WE,TH,FR';
  if (/^weekends?$/.test(word)) return 'BYDAY=SA,SU';
  const found = word.split(',').map((name) => weekdays.find((day) => `${day}s` === name || (name.length >= 2 && day.startsWith(name))));
  return found.every((day): day is Weekday => day !== undefined)
    ? `BYDAY=${found.map((day) => day.slice(0, 2).toUpperCase()).join(',')}`
    : undefined;
}

/** The day of the month, which is the first word. */
function monthDayOf(words: string[]): string | undefined {
  const day = words.shift() ?? '';
  if (day === 'last') return 'BYMONTHDAY=-1';
  const number = /^\d{1,2}$/.test(day) ? Number(day) : 0;
  return number >= 1 && number <= 31 ? `BYMONTHDAY=${number}` : undefined;
}

/** The time of day, which ends the text. */
function timeOf(words: readonly string[]): string {
  if (words.length === 0) throw new InvalidValue(`has no time of day: it must be ${forms}`);
  const time = readClock(words.join(' '));
  if (time === undefined) throw notUnderstood();
  return time;
}
