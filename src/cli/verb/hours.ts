import { weekdays } from '../../contract/time/weekdays.ts';
import { capitalize } from '../output/capitalize.ts';
import { InvalidValue } from '../invalid-value.ts';
import type { Options, OptionSpec } from './noun.ts';

type Windows = { start_time: string; end_time: string }[];

/** The windows of the days that are given. A closed day has none. */
type Hours = Partial<Record<(typeof weekdays)[number], Windows>>;

/** Matches a window of opening hours; only its end can be 24:00. */
const times = /^\s*((?:[01]?\d|2[0-3]):[0-5]\d)\s*[-–]\s*((?:[01]?\d|2[0-3]):[0-5]\d|24:00)\s*$/;

/** Parses the windows of a day: `9:00-12:30,14:00-18:00`, or `closed`. @throws InvalidValue otherwise */
function parseWindows(text: string): Windows {
  if (text === 'closed') return [];
  return text.split(',').map((each) => {
    const window = parseWindow(each);
    if (!window) throw new InvalidValue('must be hours such as 9:00-12:30,14:00-18:00, or `closed`');
    return window;
  });
}

/** Parses `9:00-12:30`; undefined for anything else. */
export function parseWindow(text: string): Windows[number] | undefined {
  const [, start, end] = times.exec(text) ?? [];
  return start === undefined || end === undefined ? undefined : { start_time: start.padStart(5, '0'), end_time: end.padStart(5, '0') };
}

/** An option for each day of the week. @param examples of what it takes */
export function dayOptions(examples: string): OptionSpec[] {
  return weekdays.map((day) => ({
    flags: `--${day} <hours>`,
    summary: day === 'monday' ? `such as ${examples}; \`closed\` for none` : `the same for ${capitalize(day)}`,
    parse: parseWindows,
  }));
}

/** The days for which no hours are given, in words. */
export function daysWithoutHours(availability: Partial<Record<keyof Hours, unknown>>): string[] {
  return weekdays.filter((day) => availability[day] === undefined).map(capitalize);
}

/** The opening hours given by options. */
export function hoursOf(options: Options): Hours {
  return Object.fromEntries(weekdays.flatMap((day) => (options[day] === undefined ? [] : [[day, options[day] as Windows]])));
}
