import { parseInstant } from '../../../contract/time/instants.ts';
import type { Options, Session } from '../../verb/noun.ts';
import { contactName } from '../../lookups/contacts.ts';
import type { Page, Result, ResultRow } from '../../output/result.ts';
import { type About, type Appointment, readAbout, appointmentTitle } from './about.ts';
import { periodWords } from './slot-words.ts';
import { openZone } from './zone.ts';

/** Adds readable fields to appointments: the time in the zone of the event type or `--tz`, the contact and the event type. */
export async function withNames(session: Session, result: Result, { tz }: Options): Promise<Result> {
  // The change was made, so the time of the machine will do when the service does not tell its own.
  const now = await session.serviceTime().catch(() => session.world.now());
  const zones = new Set<string>();
  const readAll = async (appointments: readonly Appointment[]): Promise<ResultRow[]> => {
    const about = await readAbout(session, appointments);
    return await Promise.all(appointments.map(async (each) => await named(each, about(each))));
  };
  const named = async (appointment: Appointment, about: About): Promise<ResultRow> => {
    const zone = await openZone((tz as string | undefined) ?? about.event?.timezone ?? 'UTC');
    zones.add(zone.timezone);
    const [start, end] = [parseInstant(appointment.start_time) as number, parseInstant(appointment.end_time) as number];
    const { words: when, end: until } = periodWords({ start, end }, zone, now);
    return {
      ...appointment,
      when,
      until,
      timezone: zone.timezone,
      contact: about.contact ? contactName(about.contact) : appointment.contact_id,
      event: about.event?.name ?? appointment.event_id,
      title: appointmentTitle(about),
    };
  };
  async function* pages(all: AsyncIterable<Page>): AsyncGenerator<Page> {
    for await (const page of all) yield { ...page, rows: await readAll(page.rows as unknown as Appointment[]) };
  }
  if (result.kind === 'list') {
    return { ...result, pages: pages(result.pages), closing: () => zonesNote([...zones]) };
  }
  if (result.kind !== 'record') return result;
  const [record = {}] = await readAll([result.record as unknown as Appointment]);
  return { ...result, record, answer: { ...result.answer, appointment: record } };
}

function zonesNote(zones: readonly string[]): string | undefined {
  if (zones.length === 0) return undefined;
  if (zones.length === 1) return `Times are in ${zones[0]}.`;
  return `Times are in the time zones of the event types: ${zones.join(', ')}. --tz shows all of them in one zone.`;
}
