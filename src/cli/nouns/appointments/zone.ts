import { isTimezone } from '../../../contract/time/timezones.ts';
import { loadZones, type Zone } from '../../../contract/time/zones.ts';
import type { OptionSpec } from '../../verb/noun.ts';
import { InvalidValue } from '../../invalid-value.ts';

/** @throws InvalidValue unless the text is an IANA time zone */
function parseTimezone(text: string): string {
  if (!isTimezone(text)) throw new InvalidValue('must be an IANA time zone, such as Europe/Berlin');
  return text;
}

/** The option for the time zone in which times are shown and read. */
export const zoneOption: OptionSpec = {
  flags: '--tz <zone>',
  summary: 'the time zone of local times, such as Europe/Berlin (default: that of the event type)',
  parse: parseTimezone,
};

/** A zone with its name. */
export interface NamedZone extends Zone {
  readonly timezone: string;
}

/** The rules of a time zone. */
export async function openZone(timezone: string): Promise<NamedZone> {
  return { timezone, ...(await loadZones())(timezone) };
}
