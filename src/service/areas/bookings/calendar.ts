import type { Appointment } from '../appointments/table.ts';

/** The booking of a guest for calendars (RFC 5545). @param now by the service's clock */
export async function calendarText(title: string, { id, start_time: start, end_time: end, status }: Appointment, url: string, now: number) {
  const { default: ICAL } = await import('ical.js');
  const utc = (at: number) => ICAL.Time.fromJSDate(new Date(at), true);
  const event = new ICAL.Component('vevent');
  for (const [name, value] of Object.entries({ uid: id, dtstamp: utc(now), dtstart: utc(start), dtend: utc(end), summary: title, url }))
    event.addPropertyWithValue(name, value);
  event.addPropertyWithValue('status', status === 'Canceled' ? 'CANCELLED' : 'CONFIRMED');
  const calendar = new ICAL.Component('vcalendar');
  calendar.addPropertyWithValue('version', '2.0');
  calendar.addPropertyWithValue('prodid', '-//msgctl//msgctl//EN');
  calendar.addSubcomponent(event);
  return `${calendar.toString()}\r\n`;
}
