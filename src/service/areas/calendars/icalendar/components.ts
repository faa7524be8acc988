import type ICAL from 'ical.js';
import type { CalendarEvent } from '../../../../contract/areas/sandbox/calendar.ts';
import { iso } from '../../../../contract/instants.ts';

// Converts components and properties of iCalendar text into calendar events.

type Property = ICAL.Property;
type Component = ICAL.Component;

/** A component with its time, in epoch milliseconds. */
export interface Occasion {
  readonly component: Component;
  readonly start: number;
  readonly end: number;
}

/** @throws Error when the event has no start */
export function requireStart(component: Component): Property {
  const property = component.getFirstProperty('dtstart');
  if (property) return property;
  throw new Error(`the event '${String(component.getFirstPropertyValue('uid'))}' has no DTSTART`);
}

/** The dates and times of a property, as 2027-03-01 or 2027-03-01T09:00:00, with Z in UTC. For periods, their starts. */
export function textsOf(property: Property): string[] {
  const values = (property.jCal as unknown[]).slice(3) as (string | string[])[];
  return values.map((value) => (Array.isArray(value) ? (value[0] ?? '') : value));
}

/** The first time of a property, as a local time in its zone. @throws Error when it is not a date */
export function localTimeOf(property: Property): number {
  return localTimeOfText(textsOf(property)[0] ?? '');
}

/** Parses a date, or a date and time, as a local time. @throws Error when it is neither */
export function localTimeOfText(text: string): number {
  const localTime = Date.parse(text.includes('T') ? `${text.slice(0, 19)}Z` : `${text}T00:00:00Z`);
  if (Number.isNaN(localTime)) throw new Error(`'${text}' is not a date`);
  return localTime;
}

/** Whether an event, or an occurrence of one, is canceled. */
export function isCanceled(component: Component): boolean {
  return String(component.getFirstPropertyValue('status') ?? '').toUpperCase() === 'CANCELLED';
}

/** The id of an occurrence: the id of the series and the original start of the occurrence by the rule. */
export function idOf(uid: string, start: number): string {
  return `${uid}_${new Date(start).toISOString().replace(/[-:]|\.\d+/g, '')}`;
}

/** Creates a calendar event from a component. */
export function eventOf(id: string, { component, start, end }: Occasion): CalendarEvent {
  const description = component.getFirstPropertyValue('description');
  return {
    id,
    summary: String(component.getFirstPropertyValue('summary') ?? ''),
    ...(description !== null && { description: String(description) }),
    start: iso(start),
    end: iso(Math.max(start, end)),
    attendees: component.getAllProperties('attendee').flatMap(attendeeOf),
  };
}

function attendeeOf(property: Property): CalendarEvent['attendees'] {
  const address = String(property.getFirstValue());
  const named = property.getFirstParameter('email');
  const phone = /^tel:(.+)$/i.exec(address)?.[1];
  const email = named || /^mailto:(.+)$/i.exec(address)?.[1];
  return email || phone ? [{ ...(email && { email }), ...(phone && { phone }) }] : [];
}

/** The recurrence fields of an occurrence. @param sequence the number of the occurrence in the series, from 1 */
export function recurrenceOf(uid: string, master: Component, sequence: number): CalendarEvent['recurrence'] {
  const rule = master.getFirstPropertyValue('rrule') as ICAL.Recur | null;
  return { event_id: uid, frequency: rule?.freq ?? '', interval: rule?.interval ?? 1, sequence, count: rule?.count ?? null };
}
