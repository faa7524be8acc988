import type { NamedColumn } from '../../lookups/named.ts';
import { localTime } from '../../output/times.ts';

/** When tasks run next, in the time zone of each. */
export const nextRunField: NamedColumn = {
  field: 'next_run',
  id: 'next_run_at',
  add: async (_, rows) =>
    rows.map((row) => {
      const { next_run_at: next, timezone } = row as { readonly next_run_at: string | null; readonly timezone: string };
      return { ...row, next_run: next === null ? null : timeOfTask(Date.parse(next), timezone) };
    }),
};

/** A time of a task in its time zone, with the weekday: `Mon 2027-03-01 09:00`. @param at epoch milliseconds */
export function timeOfTask(at: number, timeZone: string): string {
  const day = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone }).format(at);
  return `${day} ${localTime(at, timeZone).replace(/:00$/, '')}`;
}
