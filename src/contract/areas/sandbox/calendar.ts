import * as z from 'zod';
import { filledText, id, instant, text } from '../../fields.ts';

/** The recurrence fields of an event in a series. */
const recurrence = () =>
  z.object({
    event_id: text(1_000).describe('the id of the recurring event'),
    frequency: text(100).describe('how often it recurs: DAILY, WEEKLY, MONTHLY and so on'),
    interval: z.int().describe('the interval of the rule'),
    sequence: z.int().describe('which occurrence it is, from 1'),
    count: z.int().nullable().describe('how many occurrences there are; null for any number'),
  });

export const calendarEvent = () =>
  z.object({
    id: filledText(1_000).describe('the id of the event'),
    summary: text().describe('the title'),
    description: text().optional(),
    start: instant().describe('when it starts'),
    end: instant().describe('when it ends'),
    attendees: z
      .array(z.object({ email: text(200).optional(), phone: text(50).optional().describe('the phone number') }))
      .max(1_000)
      .default([])
      .describe('who takes part, besides the account'),
    recurrence: recurrence().optional().describe('how an event of a series recurs'),
  });

export type CalendarEvent = z.output<ReturnType<typeof calendarEvent>>;

/** An event of iCalendar text that cannot be read, and why. */
export const leftOut = () =>
  z.object({ uid: z.string().describe('the UID of the event'), reason: z.string().describe('why it was left out') });

export type LeftOut = z.output<ReturnType<typeof leftOut>>;

/** The maximum number of events in a calendar. */
export const calendarEventsMax = 10_000;

export const calendar = () =>
  z.object({
    connected: z.boolean().describe('whether a calendar is connected'),
    calendars: z
      .array(
        z.object({
          id: id(),
          summary: text().describe('the name of the calendar'),
          timeZone: text(100),
          accessRole: text(100),
          primary: z.boolean(),
        }),
      )
      .max(1_000)
      .describe('the calendars of the account'),
    events: z.array(calendarEvent()).describe('the events of the calendar'),
  });

/** The calendar fields that a request can set. */
export type CalendarFixture = Partial<z.output<ReturnType<typeof calendar>>>;
