import * as z from 'zod';
import { type Weekday, weekdays } from './weekdays.ts';

type DayWindows<Window extends z.ZodType> = z.ZodUnion<readonly [Window, z.ZodArray<Window>]>;

/** The maximum number of windows in a day: one for each half hour. */
const windowsMax = 48;

/** The shape of availability: one or more windows for each day of the week. */
export function byWeekday<Window extends z.ZodType>(window: Window): Record<Weekday, z.ZodOptional<DayWindows<Window>>> {
  const windows = z.union([window, z.array(window).max(windowsMax)]).optional();
  return Object.fromEntries(weekdays.map((day) => [day, windows])) as Record<Weekday, typeof windows>;
}
