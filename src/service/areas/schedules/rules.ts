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

/** How many occurrences of a rule are looked at, and how few where they are further apart than this time. Rules repeat long before. */
const lookedAt = 1_000;
const fewest = 20;
const enough = 10 * 366 * 24 * 3_600_000;

/** How long changes of the clocks are looked at, and how far around each of them, in milliseconds. */
const changesSeen = 2 * 366 * 24 * 3_600_000;
const aroundChange = 3 * 3_600_000;

/** How late an occurrence is made up at most, in milliseconds (rule schedules.12). */
export const latest = 24 * 3_600_000;

/** The number of failures in a row that pause a task (rule schedules.14). */
export const failuresMax = 10;

/** What is wrong with the rule of a schedule that begins at an instant; undefined when it is right. */
export function ruleFlaw({ occurrences, count }: CountedOccurrences, runAt: number): string | undefined {
  if (!occurrences.hasAny()) return 'has no occurrence from run_at on';
  const flaw = 'has occurrences that are less than an hour apart';
  let at = runAt;
  for (let number = 1; number < Math.min(count ?? lookedAt, lookedAt); number++) {
    if (number >= fewest && at > runAt + enough) return undefined;
    const next = occurrences.after(at);
    if (next === undefined) return undefined;
    if (next - at < shortestGap) return flaw;
    at = next;
  }
  const isEnded = count !== undefined && count <= lookedAt;
  return !isEnded && isCloserAtChange(occurrences, runAt) ? flaw : undefined;
}

/** Whether occurrences that are an hour apart otherwise are closer where the clocks go forward. */
function isCloserAtChange(occurrences: Occurrences, runAt: number): boolean {
  return occurrences.clockChanges(runAt, runAt + changesSeen).some((change) => {
    let at = occurrences.after(change - aroundChange);
    while (at !== undefined && at < change + aroundChange) {
      const next = occurrences.after(at);
      if (next !== undefined && next - at < shortestGap) return true;
      at = next;
    }
    return false;
  });
}

/** The occurrence after another one; undefined when none is left. */
export function following({ occurrences, count }: CountedOccurrences, { at, passed }: Occurrence): Occurrence | undefined {
  if (count !== undefined && passed + 1 >= count) return undefined;
  const next = occurrences.after(at);
  return next === undefined ? undefined : { at: next, passed: passed + 1 };
}

/** The first occurrence after an instant, from a given one on; undefined when none is left. */
export function firstAfter(counted: CountedOccurrences, from: Occurrence, instant: number): Occurrence | undefined {
  if (from.at > instant) return from;
  let next: Occurrence | undefined = lastUntil(counted, from, instant);
  while (next && next.at <= instant) next = following(counted, next);
  return next;
}

/** How far before an instant its last occurrence is looked for first, in milliseconds. */
const firstLook = 2 * 24 * 3_600_000;

/** The last occurrence up to an instant, from one on that is not after it. Those before were missed, and are not made up. */
export function lastUntil(counted: CountedOccurrences, from: Occurrence, instant: number): Occurrence {
  let last = from;
  // Without COUNT, how many have passed does not matter: the search begins near the instant.
  for (let back = firstLook; counted.count === undefined && instant - back > from.at && last === from; back *= 8) {
    const at = counted.occurrences.after(instant - back);
    if (at !== undefined && at <= instant) last = { at, passed: from.passed + 1 };
  }
  for (let next = following(counted, last); next && next.at <= instant; next = following(counted, next)) last = next;
  return last;
}
