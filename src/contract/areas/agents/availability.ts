import * as z from 'zod';
import { type Weekday, weekdays } from '../../time/weekdays.ts';
import { byWeekday } from '../../time/weekly.ts';

const start = () => z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time of day as HH:MM' });

const end = () => z.string().regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, { error: 'must be a time of day as HH:MM' });

/** The windows of an agent may end on the next day, unlike the windows of event types (rule agents.23). */
const window = () => z.object({ start_time: start(), end_time: end() });

/** When an agent answers: one or more windows for each day of the week (rules agents.21, agents.22). */
export const agentAvailability = () =>
  z.strictObject(byWeekday(window()), {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `Invalid availability keys: ${issue.keys.join(', ')}. Allowed keys: ${weekdays.join(', ')}`
        : undefined,
  });

export type AgentAvailability = z.output<ReturnType<typeof agentAvailability>>;

type Window = z.output<ReturnType<typeof window>>;

/** A local time: the day of the week, counted from Monday, and the minutes since midnight. */
interface LocalTime {
  readonly day: number;
  readonly minutes: number;
}

/** Cached formatters of time zones. Creating one takes longer than the rest of the work. */
const formats = new Map<string, Intl.DateTimeFormat>();

const shortDays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

function localTime(timezone: string, instant: number): LocalTime {
  let format = formats.get(timezone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    formats.set(timezone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  return { day: shortDays.indexOf(parts.weekday ?? ''), minutes: Number(parts.hour) * 60 + Number(parts.minute) };
}

function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return (hours ?? 0) * 60 + (minutes ?? 0);
}

const dayMinutes = 24 * 60;

/**
 * Whether an agent answers at an instant, that is, whether a window of today or yesterday is open in local time. An agent without
 * any windows always answers.
 * @param timezone an IANA time zone
 * @param instant in epoch milliseconds
 */
export function isAvailable(availability: AgentAvailability, timezone: string, instant: number): boolean {
  if (Object.values(availability).every((windows) => windows === undefined)) return true;
  const { day, minutes } = localTime(timezone, instant);
  const isOpen = (ofDay: number, at: number) =>
    windowsOf(availability, ofDay).some(({ start_time: from, end_time: to }) => {
      const [opens, closes] = [minutesOf(from), minutesOf(to)];
      return at >= opens && at < (closes <= opens ? closes + dayMinutes : closes);
    });
  return isOpen(day, minutes) || isOpen((day + 6) % 7, minutes + dayMinutes);
}

function windowsOf(availability: AgentAvailability, day: number): readonly Window[] {
  const windows = availability[weekdays[day] as Weekday] ?? [];
  return Array.isArray(windows) ? windows : [windows];
}
