import * as z from 'zod';
import { filledText, id, instant, text } from '../../fields.ts';

/** The recurrence fields of an event in a series. */
const recurrence = () =>
  z.object({
    event_id: text(1_000),
    frequency: text(100),
    interval: z.int(),
    sequence: z.int(),
    count: z.int().nullable(),
  });

export const calendarEvent = () =>
  z.object({
    id: filledText(1_000),
    summary: text(),
    description: text().optional(),
    start: instant(),
    end: instant(),
    attendees: z
      .array(z.object({ email: text(200).optional(), phone: text(50).optional() }))
      .max(1_000)
      .default([]),
    recurrence: recurrence().optional(),
  });

export type CalendarEvent = z.output<ReturnType<typeof calendarEvent>>;

/** An event of iCalendar text that cannot be read, and why. */
export const leftOut = () => z.object({ uid: z.string(), reason: z.string() });

export type LeftOut = z.output<ReturnType<typeof leftOut>>;

/** The maximum number of events in a calendar. */
export const calendarEventsMax = 10_000;

export const calendar = () =>
  z.object({
    connected: z.boolean(),
    calendars: z
      .array(z.object({ id: id(), summary: text(), timeZone: text(100), accessRole: text(100), primary: z.boolean() }))
      .max(1_000),
    events: z.array(calendarEvent()),
  });

/** The calendar fields that a request can set. */
export type CalendarFixture = Partial<z.output<ReturnType<typeof calendar>>>;
