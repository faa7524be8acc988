import type { RRuleTemporal } from 'rrule-temporal';
import { iso, lastInstant } from '../../time/instants.ts';
import { type FindZone, loadZones } from '../../time/zones.ts';
import { readRule } from './rule.ts';

const hour = 3_600_000;

/** How many local times in a row may not exist before a rule has none. */
const missingMax = 20;

/** When a scheduled task runs. */
export interface Schedule {
  /** The first occurrence, in epoch milliseconds. */
  readonly run_at: number;
  /** A valid rule for further occurrences (see `readRule`); null for none. */
  readonly rrule: string | null;
  readonly timezone: string;
}

/** The occurrences of a schedule, without the end that COUNT sets. */
export interface Occurrences {
  /** The first occurrence after an instant; undefined when there is none. */
  readonly after: (instant: number) => number | undefined;
  /** Whether the rule itself has an occurrence, beside the first one that `run_at` sets. */
  readonly hasAny: () => boolean;
  /** When the clocks of its time zone change in a range of instants, to the hour. */
  readonly clockChanges: (from: number, to: number) => number[];
}

/** Finds the occurrences of schedules. */
export type FindOccurrences = (schedule: Schedule) => Occurrences;

let found: Promise<FindOccurrences> | undefined;

/** Loads the library of recurrence rules on first use, because loading it is slow. */
export function loadOccurrences(): Promise<FindOccurrences> {
  return (found ??= makeFinder());
}

async function makeFinder(): Promise<FindOccurrences> {
  const [{ RRuleTemporal: Rules }, findZone] = await Promise.all([import('rrule-temporal'), loadZones()]);
  return (schedule) => (schedule.rrule === null ? once(schedule.run_at) : recurring(Rules, findZone, schedule, schedule.rrule));
}

function once(runAt: number): Occurrences {
  return { after: (instant) => (instant < runAt ? runAt : undefined), hasAny: () => true, clockChanges: () => [] };
}

/**
 * The rule is applied to local times as if they were in UTC, so that a task at 9:00 stays at 9:00 when clocks change. A local time that
 * does not exist is left out; of one that occurs twice, the first counts (rule schedules.5).
 */
function recurring(Rules: typeof RRuleTemporal, findZone: FindZone, { run_at: runAt, timezone }: Schedule, rrule: string): Occurrences {
  const read = readRule(rrule);
  if (typeof read === 'string') throw new Error(read);
  const { pattern, until } = read;
  const zone = findZone(timezone);
  const firstLocal = zone.localTime(runAt);
  // A rule has whole seconds.
  const fraction = ((firstLocal % 1_000) + 1_000) % 1_000;
  const start = iso(firstLocal - fraction).replace(/[-:]|\.\d+Z/g, '');
  const rule = new Rules({ rruleString: `DTSTART;TZID=UTC:${start}\nRRULE:${pattern}`, strict: true });
  const nextLocal = (localTime: number, isInclusive: boolean): number | undefined => {
    try {
      const next = rule.next(new Date(localTime - fraction), isInclusive)?.epochMilliseconds;
      return next === undefined || next > lastInstant ? undefined : next + fraction;
    } catch {
      // The library gives up a rule that never applies, and one whose dates are beyond those that exist.
      return undefined;
    }
  };
  const isOver = (localTime: number, instant: number) =>
    until !== undefined && ('instant' in until ? instant > until.instant : localTime - fraction > until.localTime);
  return {
    after: (instant) => {
      if (instant < runAt) return runAt;
      for (let local = nextLocal(zone.localTime(instant), false); local !== undefined; local = nextLocal(local, false)) {
        const occurrence = zone.firstInstant(local);
        if (isOver(local, occurrence ?? zone.instantFrom(local))) return undefined;
        if (occurrence !== undefined && occurrence > instant) return occurrence > lastInstant ? undefined : occurrence;
      }
      return undefined;
    },
    hasAny: () => {
      let local = nextLocal(firstLocal, true);
      for (let tries = 0; local !== undefined && tries < missingMax; tries++) {
        const occurrence = zone.firstInstant(local);
        if (isOver(local, occurrence ?? zone.instantFrom(local))) return false;
        if (occurrence !== undefined) return true;
        local = nextLocal(local, false);
      }
      return false;
    },
    clockChanges: (from, to) => {
      const offset = (instant: number) => zone.localTime(instant) - instant;
      const changes: number[] = [];
      for (let day = from; day < to; day += 24 * hour) {
        if (offset(day) === offset(day + 24 * hour)) continue;
        let change = day;
        while (offset(change) === offset(day)) change += hour;
        changes.push(change);
      }
      return changes;
    },
  };
}
