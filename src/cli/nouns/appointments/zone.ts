import { InterfaceError } from '../../../client/errors.ts';
import { getClock } from '../../../contract/areas/sandbox/endpoints.ts';
import { isTimezone } from '../../../contract/timezones.ts';
import { loadZones, type Zone } from '../../../contract/zones.ts';
import type { OptionSpec, Session } from '../../command/noun.ts';
import { InvalidValue } from '../../command/values.ts';

/** @throws InvalidValue unless it is an IANA time zone */
function parseTimezone(text: string): string {
  if (!isTimezone(text)) throw new InvalidValue('must be an IANA time zone, such as Europe/Berlin');
  return text;
}

/** The option that names the zone in which times are shown and read. */
export const zoneOption: OptionSpec = {
  flags: '--tz <zone>',
  summary: 'the time zone of the times, such as Europe/Berlin; by default that of the event type',
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

/** The present time of the service: that of the sandbox's clock, which may stand still, where it can be read. */
export async function presentTime({ targets, world }: Session): Promise<number> {
  const sandbox = await targets.sandboxAtHand();
  if (!sandbox) return world.now();
  try {
    return Date.parse((await sandbox.call(getClock, {})).now);
  } catch (error) {
    if (error instanceof InterfaceError) return world.now();
    throw error;
  }
}
