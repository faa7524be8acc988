import { listAppointments } from '../../../contract/areas/appointments/endpoints.ts';
import { parseInstant } from '../../../contract/time/instants.ts';
import { dayOfLocalTime, startOfDay } from '../../../contract/time/zones.ts';
import { usageError } from '../../errors.ts';
import { type Result, wholeList } from '../../output/result.ts';
import type { Options, Session } from '../../verb/noun.ts';
import type { Appointment } from './about.ts';
import { readDay } from './read-day.ts';
import { openZone } from './zone.ts';

/** Number of days to show unless they are given. */
const defaultDays = 7;

/**
 * The confirmed appointments of some days, in the order in which they start. The interface lists the newest booking first and
 * filters by day for one contact only, so every appointment is read, and those of the days are kept.
 * @param named the first day, which is also the last one unless `--to` is given; undefined for the next seven days
 * @throws CliError 2 if a day is invalid
 */
export async function readAgenda(session: Session, named: string | undefined, { to, tz }: Options): Promise<Result> {
  const { world, targets } = session;
  const own = (world.env.TZ ?? '') || Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zone = await openZone((tz as string | undefined) ?? own);
  const now = await session.serviceTime();
  const first = named === undefined ? dayOfLocalTime(zone.localTime(now)) : await readDay('<day>', named, now, zone);
  const whole = named === undefined ? first + defaultDays - 1 : first;
  const last = to === undefined ? whole : await readDay('--to', to as string, now, zone, first);
  if (last < first) throw usageError('--to must not be before <day>');
  const [start, end] = [zone.instantFrom(startOfDay(first)), zone.instantFrom(startOfDay(last + 1))];
  const found: { readonly at: number; readonly appointment: Appointment }[] = [];
  for await (const { rows } of (await targets.client()).pages(listAppointments, { query: { status: 'Confirmed' } })) {
    for (const appointment of rows) {
      const at = parseInstant(appointment.start_time) ?? 0;
      if (at >= start && at < end) found.push({ at, appointment });
    }
  }
  const sorted = found.sort((a, b) => a.at - b.at).map(({ appointment }) => appointment);
  return wholeList('appointments', sorted);
}
