import { getConfig } from '../../../contract/areas/config/endpoints.ts';
import { loadOccurrences } from '../../../contract/areas/schedules/occurrences.ts';
import { dayLength } from '../../../contract/time/days.ts';
import { iso } from '../../../contract/time/instants.ts';
import { dayOfLocalTime, loadZones, startOfDay } from '../../../contract/time/zones.ts';
import { InterfaceError } from '../../../client/errors.ts';
import { usageError } from '../../errors.ts';
import type { Options, Session } from '../../verb/noun.ts';
import type { Every } from './every.ts';

/** When a task runs, as a request has it. */
export interface When {
  readonly run_at?: string | undefined;
  readonly rrule?: string | null | undefined;
  readonly timezone?: string | undefined;
}

/**
 * When a task is to run: what the options say, with the first occurrence and the rule of `--every`.
 * @param zoneOf reads the time zone, if no option says it
 * @throws CliError 2 if options contradict each other
 */
export async function whenOf(session: Session, given: When, options: Options, zoneOf: () => Promise<string>): Promise<When> {
  const every = options.every as Every | undefined;
  if (!every) return given;
  if (given.rrule !== undefined) throw usageError('--every and --rrule cannot be used together');
  const timezone = given.timezone ?? (await zoneOf());
  const from = given.run_at ?? iso(await firstOf(session, every, timezone));
  return { run_at: from, rrule: every.rrule, timezone };
}

/** The time zone of the account. */
export async function timezoneOf({ targets }: Session): Promise<string> {
  try {
    return (await (await targets.client()).call(getConfig, {})).account_config.timezone;
  } catch (error) {
    if (error instanceof InterfaceError && [403, 404].includes(error.status)) return 'UTC';
    throw error;
  }
}

/** The first time at which a rule applies after now, in epoch milliseconds. */
async function firstOf(session: Session, { rrule, time }: Every, timezone: string): Promise<number> {
  const now = await session.serviceTime();
  const findZone = await loadZones();
  const hour = 3_600_000;
  if (time === null) return Math.floor(now / hour) * hour + hour;
  const zone = findZone(timezone);
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  // The rule begins before now, so that what follows now is its own occurrence. The interval counts from there.
  const pattern = rrule.replace(/;INTERVAL=\d+/, '');
  const yesterday = startOfDay(dayOfLocalTime(zone.localTime(now))) - dayLength + (hours * 60 + minutes) * 60_000;
  const find = await loadOccurrences();
  const first = find({ run_at: zone.instantFrom(yesterday), rrule: pattern, timezone }).after(now);
  if (first === undefined) throw new Error('A rule of --every has occurrences');
  return first;
}

/** The next times at which a task runs. */
export async function nextTimes({ run_at: runAt = '', rrule = null, timezone = 'UTC' }: When, most: number): Promise<number[]> {
  const find = await loadOccurrences();
  const first = Date.parse(runAt);
  const occurrences = find({ run_at: first, rrule, timezone });
  const count = Number(/COUNT=(\d+)/i.exec(rrule ?? '')?.[1] ?? Infinity);
  const times = [first];
  while (times.length < Math.min(most, count)) {
    const next = occurrences.after(times.at(-1) ?? first);
    if (next === undefined) break;
    times.push(next);
  }
  return times;
}
