import { loadOccurrences } from '../../../contract/areas/schedules/occurrences.ts';
import { readRule } from '../../../contract/areas/schedules/rule.ts';
import type { CountedOccurrences } from './rules.ts';

/** When a task occurs. */
interface Schedule {
  readonly run_at: number;
  readonly rrule: string | null;
  readonly timezone: string;
}

/** Finds the occurrences of tasks. */
export type Timing = (schedule: Schedule) => CountedOccurrences;

/** Loads what finds the occurrences of tasks. */
export async function loadTiming(): Promise<Timing> {
  const find = await loadOccurrences();
  return (schedule) => ({ occurrences: find(schedule), count: countOf(schedule.rrule) });
}

/** How many occurrences a rule has; undefined when it does not count them. */
function countOf(rrule: string | null): number | undefined {
  if (rrule === null) return 1;
  const rule = readRule(rrule);
  return typeof rule === 'string' ? undefined : rule.count;
}
