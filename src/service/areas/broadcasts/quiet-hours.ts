import { dayOfLocalTime, type FindZone, startOfDay, timeOfDay } from '../../../contract/time/zones.ts';
import { dayLength } from '../../../contract/time/days.ts';
import type { Account } from '../../identity/accounts.ts';

/**
 * When the quiet hours of an account end that an instant is in; null outside of them. Their start belongs to them, their end does not,
 * and they may pass midnight (rule config.8).
 */
export function quietUntil(
  { quietHours, timezone }: Pick<Account, 'quietHours' | 'timezone'>,
  now: number,
  findZone: FindZone,
): number | null {
  if (!quietHours) return null;
  const { start_time: start, end_time: end } = quietHours;
  const zone = findZone(timezone);
  const local = zone.localTime(now);
  const time = timeOfDay(local);
  const passesMidnight = start > end;
  const isQuiet = passesMidnight ? time >= start || time < end : time >= start && time < end;
  if (!isQuiet) return null;
  const [hours = 0, minutes = 0] = end.split(':').map(Number);
  const day = startOfDay(dayOfLocalTime(local)) + (passesMidnight && time >= start ? dayLength : 0);
  // Where a clock is set back, the first of two equal times can be over.
  return Math.max(zone.instantFrom(day + (hours * 60 + minutes) * 60_000), now + 1);
}
