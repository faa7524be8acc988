import { listAppointments } from '../../../contract/areas/appointments/endpoints.ts';
import { compareTexts } from '../../../contract/text/compare-texts.ts';
import { readFields } from '../../verb/fields.ts';
import type { FieldSpec, Options, Session } from '../../verb/noun.ts';
import { usageError } from '../../errors.ts';
import { isSelection, openOutputFile } from '../../verb/output-file.ts';
import { counted } from '../../../contract/text/counted.ts';
import { type Result, wholeList } from '../../output/result.ts';
import { fullName } from '../../lookups/contacts.ts';
import { type About, type Appointment, readAbout, appointmentTitle } from './about.ts';

/**
 * Exports appointments in iCalendar format to stdout or the file given with `--out`. With `-o`, lists them instead.
 * @param fields the filter options
 * @throws CliError 1 if the file cannot be written, 2 if it already exists or its name does not end in `.ics`
 */
export async function exportAppointments(session: Session, options: Options, fields: readonly FieldSpec[]): Promise<Result> {
  const { out, format } = options as { out?: string; format?: 'ics' };
  const { globals, notes, targets } = session;
  const isList = isSelection(globals, options) || globals.fields !== undefined || globals.output !== 'table';
  const path = out === '-' ? undefined : out;
  const { query } = await readFields(listAppointments, fields, options, session);
  if (path !== undefined && format === undefined && !/\.(ics|ical|icalendar)$/i.test(path))
    throw usageError(
      `--out ${path}: appointments are exported as iCalendar, so the file name must end in .ics`,
      'Add --format ics to use this name. For another format, redirect stdout: msgctl appointments export -o csv > FILE',
    );
  const file = path === undefined ? undefined : openOutputFile(path, { flag: '--out', what: 'the appointments', replaces: globals.yes });
  try {
    const client = await targets.client();
    const appointments: Appointment[] = await client.all(listAppointments, { query });
    if (!file && format === undefined && isList) return wholeList('appointments', appointments);
    const text = await calendarText(appointments, await readAbout(session, appointments));
    if (!file) return { kind: 'value', value: text, text };
    file.commit(text);
    notes.say(`Exported ${counted(appointments.length, 'appointment')} to ${path}.`);
    const record = { file: path, exported_count: appointments.length };
    return { kind: 'record', answer: record, record, columns: [] };
  } finally {
    file?.close();
  }
}

/** Appointments in iCalendar format, sorted by time. */
async function calendarText(appointments: readonly Appointment[], about: (appointment: Appointment) => About): Promise<string> {
  const { default: ical } = await import('ical.js');
  const calendar = new ical.Component('vcalendar');
  calendar.addPropertyWithValue('version', '2.0');
  calendar.addPropertyWithValue('prodid', '-//msgctl//appointments//EN');
  for (const appointment of appointments.toSorted((a, b) => compareTexts(a.start_time, b.start_time))) {
    const event = new ical.Component('vevent');
    const { event: type, contact } = about(appointment);
    const time = (at: string) => ical.Time.fromDateTimeString(`${at.slice(0, 19)}Z`);
    const set = (name: string, value: string | typeof ical.Time.prototype | null) =>
      value !== null && event.addPropertyWithValue(name, typeof value === 'string' ? calendarSafe(value) : value);
    set('uid', appointment.id);
    set('dtstamp', time(appointment.last_modified_at));
    set('created', time(appointment.created_at));
    set('last-modified', time(appointment.last_modified_at));
    set('dtstart', time(appointment.start_time));
    set('dtend', time(appointment.end_time));
    set('summary', appointment.summary ?? appointmentTitle({ event: type, contact }));
    set('description', appointment.description);
    set('location', appointment.room_name);
    set('status', appointment.status === 'Canceled' ? 'CANCELLED' : 'CONFIRMED');
    if (contact?.email)
      event
        .addPropertyWithValue('attendee', addressSafe(`mailto:${contact.email}`))
        .setParameter('cn', calendarSafe(fullName(contact) || contact.email));
    else if (contact?.phone_number) event.addPropertyWithValue('attendee', addressSafe(`tel:${contact.phone_number}`));
    calendar.addSubcomponent(event);
  }
  return `${calendar.toString()}\r\n`;
}

/**
 * A text without control characters, which could end a line of the file and begin a forged one. Line breaks are kept as LF, which
 * is escaped when the text is written.
 */
function calendarSafe(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g, '');
}

/** An address without control characters and white space. Nothing is escaped in it when it is written. */
function addressSafe(address: string): string {
  return calendarSafe(address).replace(/\s/g, '');
}
