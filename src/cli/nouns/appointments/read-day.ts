import { parseInstant } from '../../../contract/time/instants.ts';
import { dayOfLocalTime, startOfDay } from '../../../contract/time/zones.ts';
import { orUsageError } from '../../invalid-value.ts';
import { hasYear, parseWhen } from '../../verb/when.ts';
import type { NamedZone } from './zone.ts';

/** Parses a day in a time zone: a date, or the day of a time such as `tomorrow`. @param first for a last day, the first one */
export async function readDay(what: string, text: string, now: number, zone: NamedZone, first?: number): Promise<number> {
  // The last day can be the first one, so it is after the instant before that.
  const before = first === undefined ? undefined : zone.instantFrom(startOfDay(first)) - 1;
  const when = await orUsageError(what, text, () => parseWhen(text, now, zone.timezone, 'ahead', before));
  const instant = (parseInstant(when) as number) + (before === undefined || hasYear(text) ? 0 : 1);
  return dayOfLocalTime(when.includes('T') ? zone.localTime(instant) : instant);
}
