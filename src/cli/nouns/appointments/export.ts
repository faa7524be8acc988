import { listAppointments } from '../../../contract/areas/appointments/endpoints.ts';
import { getContact } from '../../../contract/areas/contacts/endpoints.ts';
import { listEvents } from '../../../contract/areas/events/endpoints.ts';
import type { Client } from '../../../client/client.ts';
import { InterfaceError } from '../../../client/errors.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import { readFields } from '../../command/fields.ts';
import { inParallel } from '../../command/in-parallel.ts';
import type { FieldSpec, Options, Session } from '../../command/noun.ts';
import { isSelection, openOutputFile } from '../../command/output-file.ts';
import { counted } from '../../output/counted.ts';
import { type Result, wholeList } from '../../output/result.ts';

type Appointment = Answer<typeof listAppointments>['appointments'][number];
type Contact = Answer<typeof getContact>['contact'];

/** The number of contacts that are read at a time. */
const contactsAtOnce = 4;

/** What the calendar says about an appointment beside its own fields. */
interface About {
  readonly eventName: string | undefined;
  readonly contact: Contact | undefined;
}

/**
 * Exports appointments as iCalendar text, to stdout or to the file that `--out` names. `-o` lists them instead.
 * @param fields the options that choose the appointments
 * @throws CliError 1 when the file cannot be written, 2 when it exists
 */
export async function exportAppointments(session: Session, options: Options, fields: readonly FieldSpec[]): Promise<Result> {
  const { out, format } = options as { out?: string; format?: 'ics' };
  const { globals, notes, targets } = session;
  const isList = isSelection(globals, options) || globals.fields !== undefined || globals.output !== 'table';
  const path = out === '-' ? undefined : out;
  const { query } = await readFields(listAppointments, fields, options, session);
  const file = path === undefined ? undefined : openOutputFile(path, { flag: '--out', what: 'the appointments', replaces: globals.yes });
  try {
    const client = await targets.client();
    const appointments: Appointment[] = [];
    for await (const { rows } of client.pages(listAppointments, { query }, undefined)) appointments.push(...(rows as never[]));
    if (!file && format === undefined && isList) return wholeList('appointments', appointments);
    const text = await calendarText(appointments, await readAbout(client, appointments));
    if (!file) return { kind: 'value', value: text, text };
    file.commit(text);
    notes.say(`Exported ${counted(appointments.length, 'appointment')} to ${path}.`);
    const record = { file: path, exported_count: appointments.length };
    return { kind: 'record', answer: record, record, columns: [] };
  } finally {
    file?.close();
  }
}

/** Reads the event types and contacts of appointments. Those that were deleted meanwhile are left out. */
async function readAbout(client: Client, appointments: readonly Appointment[]): Promise<(appointment: Appointment) => About> {
  const names = new Map<string, string>();
  if (appointments.some(({ event_id: id }) => id !== null))
    for await (const { rows } of client.pages(listEvents, {}, undefined))
      for (const { id, name } of rows) names.set(id as string, name as string);
  const ids = [...new Set(appointments.flatMap(({ contact_id: id }) => id ?? []))];
  const contacts = new Map<string, Contact>();
  await inParallel(ids, contactsAtOnce, async (id) => {
    const found = await client.call(getContact, { params: { id } }).catch((error: unknown) => {
      if (error instanceof InterfaceError && error.status === 404) return undefined;
      throw error;
    });
    if (found) contacts.set(id, found.contact);
  });
  return ({ event_id: eventId, contact_id: contactId }) => ({
    eventName: names.get(eventId ?? ''),
    contact: contacts.get(contactId ?? ''),
  });
}

/** Appointments as iCalendar text, in the order of their times. */
async function calendarText(appointments: readonly Appointment[], about: (appointment: Appointment) => About): Promise<string> {
  const { default: ical } = await import('ical.js');
  const calendar = new ical.Component('vcalendar');
  calendar.addPropertyWithValue('version', '2.0');
  calendar.addPropertyWithValue('prodid', '-//msgctl//appointments//EN');
  for (const appointment of appointments.toSorted((a, b) => (a.start_time < b.start_time ? -1 : 1))) {
    const event = new ical.Component('vevent');
    const { eventName, contact } = about(appointment);
    const time = (at: string) => ical.Time.fromDateTimeString(`${at.slice(0, 19)}Z`);
    const set = (name: string, value: unknown) => value !== null && value !== undefined && event.addPropertyWithValue(name, value);
    set('uid', appointment.id);
    set('dtstamp', time(appointment.last_modified_at));
    set('created', time(appointment.created_at));
    set('last-modified', time(appointment.last_modified_at));
    set('dtstart', time(appointment.start_time));
    set('dtend', time(appointment.end_time));
    set('summary', appointment.summary ?? titleOf(eventName, contact));
    set('description', appointment.description);
    set('location', appointment.room_name);
    set('status', appointment.status === 'Canceled' ? 'CANCELLED' : 'CONFIRMED');
    if (contact?.email)
      event.addPropertyWithValue('attendee', `mailto:${contact.email}`).setParameter('cn', nameOf(contact) || contact.email);
    else if (contact?.phone_number) event.addPropertyWithValue('attendee', `tel:${contact.phone_number}`);
    calendar.addSubcomponent(event);
  }
  return `${calendar.toString()}\r\n`;
}

function titleOf(eventName: string | undefined, contact: Contact | undefined): string {
  const who = contact && (nameOf(contact) || contact.phone_number || contact.identity);
  return [eventName ?? 'Appointment', who].filter(Boolean).join(': ');
}

function nameOf({ first_name: first, last_name: last }: Contact): string {
  return [first, last].filter(Boolean).join(' ');
}
