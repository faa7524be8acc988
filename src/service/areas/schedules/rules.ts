import type { Occurrences } from '../../../contract/areas/schedules/occurrences.ts';

/** An occurrence, and the number of those before it. */
export interface Occurrence {
  readonly at: number;
  readonly passed: number;
}

/** The occurrences of a schedule, with the end that COUNT sets; undefined for none. */
export interface CountedOccurrences {
  readonly occurrences: Occurrences;
  readonly count: number | undefined;
}

/** The shortest time between two occurrences, in milliseconds (rule schedules.4). */
const shortestGap = 3_600_000;

/** How many occurrences of a rule are looked at. Rules repeat long before. */
const lookedAt = 1_000;

/** How late an occurrence is made up at most, in milliseconds (rule schedules.12). */
export const latest = 24 * 3_600_000;

/** The number of failures in a row that pause a task (rule schedules.14). */
export const failuresMax = 10;

/** What is wrong with the rule of a schedule that begins at an instant; undefined when it is right. */
export function ruleFlaw({ occurrences, count }: CountedOccurrences, runAt: number): string | undefined {
  if (!occurrences.hasAny()) return 'has no occurrence from run_at on';
  let at = runAt;
  for (let number = 1; number < Math.min(count ?? lookedAt, lookedAt); number++) {
    const next = occurrences.after(at);
    if (next === undefined) return undefined;
    if (next - at < shortestGap) return 'has occurrences that are less than an hour apart';
    at = next;
  }
  return undefined;
}

/** The occurrence after another one; undefined when none is left. */
export function following({ occurrences, count }: CountedOccurrences, { at, passed }: Occurrence): Occurrence | undefined {
  if (count !== undefined && passed + 1 >= count) return undefined;
  const next = occurrences.after(at);
  return next === undefined ? undefined : { at: next, passed: passed + 1 };
}

/** The first occurrence after an instant, from a given one on; undefined when none is left. */
export function firstAfter(counted: CountedOccurrences, from: Occurrence, instant: number): Occurrence | undefined {
  let next: Occurrence | undefined = from;
  while (next && next.at <= instant) next = following(counted, next);
  return next;
}

/** The last occurrence up to an instant, from one on that is not after it. Those before were missed, and are not made up. */
export function lastUntil(counted: CountedOccurrences, from: Occurrence, instant: number): Occurrence {
  let last = from;
  for (let next = following(counted, from); next && next.at <= instant; next = following(counted, next)) last = next;
  return last;
}
