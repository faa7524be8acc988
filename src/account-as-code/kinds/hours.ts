import { weekdays } from '../../contract/time/weekdays.ts';
import { isFields } from '../values.ts';

/** Opening hours with sorted weekdays. A day with a list of one window becomes that window. */
export function normalHours(availability: unknown): unknown {
  if (!isFields(availability)) return availability;
  const days = weekdays.filter((day) => availability[day] !== undefined && availability[day] !== null);
  return Object.fromEntries(
    days.map((day) => {
      const windows = availability[day];
      return [day, Array.isArray(windows) && windows.length === 1 ? (windows[0] as unknown) : windows];
    }),
  );
}
