import ical from 'ical.js';
import type { CalendarEvent } from '../../../../contract/areas/sandbox/calendar.ts';
import { dateOf, dayOfLocalTime } from '../../../../contract/time/zones.ts';
import { iso } from '../../../../contract/time/instants.ts';
import type { ContentComponent } from './content.ts';

// Reads components and properties of iCalendar text, and converts them into calendar events.

type Property = ical.Property;
type Component = ical.Component;

/** A component with its time, in epoch milliseconds. */
export interface Occasion {
  readonly component: Component;
  readonly start: number;
  readonly end: number;
}

/** An event cannot be read. The message says why, to the one who wrote the calendar. */
export class UnreadableEvent extends Error {}

/** The properties that are read. The first ones decide when an event takes place: when one cannot be read, the event is not. */
const timeProperties = new Set(['dtstart', 'dtend', 'recurrence-id', 'exdate', 'rdate']);
const decisiveProperties: Readonly<Record<string, (value: string) => string | undefined>> = {
  rrule: ruleText,
  duration: (value) => (/^[+-]?P(?=\w)(?:\d+W)?(?:\d+D)?(?:T(?=\w)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?$/.test(value) ? value : undefined),
  tzoffsetfrom: offsetText,
  tzoffsetto: offsetText,
};
const otherProperties = new Set(['uid', 'summary', 'description', 'status', 'attendee', 'tzid']);

type PropertyData = [name: string, parameters: Record<string, string>, type: string, ...values: unknown[]];

/** Reads a component. Lines that are not needed are left out. @throws UnreadableEvent when a line about its time cannot be read */
export function componentOf(content: ContentComponent): Component {
  return new ical.Component(dataOf(content) as never);
}

function dataOf({ name, lines, components }: ContentComponent): unknown[] {
  // An alarm has times of its own.
  const inner = name === 'vtimezone' ? components.map(dataOf) : [];
  const properties = lines.map(propertyOf).filter((property) => property !== undefined);
  return [name, properties, inner];
}

function propertyOf(line: string): PropertyData | undefined {
  const [, written = '', rest = ''] = /^([\w-]+)(?=[;:])(.*)$/s.exec(line) ?? [];
  const name = written.toLowerCase();
  const value = rest.replace(/^[^:]*:/, '').trim();
  if (value === '') return undefined;
  if (timeProperties.has(name)) return timeProperty(name, rest);
  const readDecisive = decisiveProperties[name];
  if (readDecisive) return parsed(`${name}:${readDecisive(value.toUpperCase()) ?? unreadable(name)}`) ?? unreadable(name);
  return otherProperties.has(name) ? (parsed(line) ?? parsed(`${name}:${value}`)) : undefined;
}

function unreadable(name: string): never {
  throw new UnreadableEvent(`its ${name.toUpperCase()} cannot be read`);
}

/** The text of a rule; undefined when it has no frequency, or an end that is not one. */
function ruleText(value: string): string | undefined {
  const parts = value.replace(/\s/g, '').split(';');
  const read = parts.map((part) => {
    const [name, text = ''] = part.split('=');
    if (name === 'UNTIL') return timeText(text) && `UNTIL=${text.replace(/[-:]/g, '')}`;
    return name === 'COUNT' && !/^0*[1-9]\d*$/.test(text) ? undefined : part;
  });
  return parts.some((part) => part.startsWith('FREQ=')) && !read.includes(undefined) ? read.join(';') : undefined;
}

function offsetText(value: string): string | undefined {
  return /^[+-]\d{4}(?:\d\d)?$/.test(value) ? value : undefined;
}

/** Parses a line with the library. */
function parsed(line: string): PropertyData | undefined {
  try {
    return ical.parse.property(line, ical.design.icalendar) as PropertyData;
  } catch {
    return undefined;
  }
}

/**
 * Reads a line with dates or times. The library takes a date without VALUE for a time, a name with a colon for its part before that,
 * and whatever stands there for a time.
 */
function timeProperty(name: string, rest: string): PropertyData {
  const [, given = '', values = ''] = /^((?:;.*?)?):\s*(\d{4}-?\d\d-?\d\d.*)$/s.exec(rest) ?? unreadable(name);
  const texts = values.split(',').map((value) => timeText(value.trim()) ?? unreadable(name));
  const parameters = Object.fromEntries(
    [...given.matchAll(/;(tzid|range)=("[^"]*"|.*?)(?=;[\w-]+=|$)/gis)].map(([, key = '', value = '']) => [
      key.toLowerCase(),
      value.replace(/^"|"$/g, ''),
    ]),
  );
  return [name, parameters, texts.some((text) => text.includes('T')) ? 'date-time' : 'date', ...texts];
}

/** A date or a time, or the start of a period, as 2027-03-01 or 2027-03-01T09:00:00, with Z in UTC. */
function timeText(value: string): string | undefined {
  const match = /^(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d)(?::?(\d\d))?(Z?))?(?:\/.*)?$/is.exec(value);
  if (!match) return undefined;
  const [, year = '', month = '', day = '', hour, minute = '', second = '00', utc = ''] = match;
  const date = `${year}-${month}-${day}`;
  const localTime = Date.parse(`${date}T00:00:00Z`);
  // The platform reads the 30th of February as the 2nd of March.
  if (Number.isNaN(localTime) || dateOf(dayOfLocalTime(localTime)) !== date) return undefined;
  if (hour === undefined) return date;
  const text = `${date}T${hour}:${minute}:${second}${utc.toUpperCase()}`;
  return Number.isNaN(Date.parse(text)) ? undefined : text;
}

/** @throws UnreadableEvent when the event has no start */
export function requireStart(component: Component): Property {
  const property = component.getFirstProperty('dtstart');
  if (property) return property;
  throw new UnreadableEvent('it has no DTSTART');
}

/** The dates and times of a property, as 2027-03-01 or 2027-03-01T09:00:00, with Z in UTC. */
export function textsOf(property: Property): string[] {
  return (property.jCal as unknown[]).slice(3) as string[];
}

/** The first time of a property, as a local time in its zone. @throws Error when it is not a date */
export function localTimeOf(property: Property): number {
  return localTimeOfText(textsOf(property)[0] ?? '');
}

/** Parses a date, or a date and time, as a local time. @throws UnreadableEvent when it is neither */
export function localTimeOfText(text: string): number {
  const localTime = Date.parse(text.includes('T') ? `${text.slice(0, 19)}Z` : `${text}T00:00:00Z`);
  if (Number.isNaN(localTime)) throw new UnreadableEvent('it has a time that cannot be read');
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
  const rule = master.getFirstPropertyValue('rrule') as ical.Recur | null;
  return { event_id: uid, frequency: rule?.freq ?? '', interval: rule?.interval ?? 1, sequence, count: rule?.count ?? null };
}
