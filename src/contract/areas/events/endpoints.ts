import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { distinctList, name, nextCursor, pageQuery, recordId, text, timestamp } from '../../fields.ts';
import { pageLanguage, pageLanguages } from '../widgets/page-languages.ts';
import { timezone } from '../../time/timezones.ts';
import { byWeekday } from '../../time/weekly.ts';

const time = () => z.string().regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, { error: 'must be a time of day as HH:MM' });

const window = () =>
  z
    .object({ start_time: time(), end_time: time() })
    .refine((value) => value.start_time < value.end_time, { error: 'must end after it starts' });

/** Weekly availability: one or more windows for each day (rule events.2). */
export const availability = () => z.strictObject(byWeekday(window()));

/** What a guest can be asked, beside the name and the phone number. */
export const askedGuests = ['email', 'company', 'note'] as const;

const bookingPage = () =>
  z.object({
    enabled: z.boolean().describe('whether the page is public'),
    title: z.string().nullable().describe('what stands above it; null for the name of the event type'),
    intro: z.string().nullable().describe('the text below the title'),
    ask: z.array(z.enum(askedGuests)).describe('what guests are asked, beside the name and the phone number'),
    language: z.enum(pageLanguages).describe('the language of the page'),
    days_ahead: z.int().describe('how many days ahead can be booked'),
    notice_minutes: z.int().describe('how many minutes before it begins a slot is no longer offered'),
    public_id: z.string().describe('the last part of its address'),
    page_url: z.string().describe('the address of the page'),
    embed_code: z.string().describe('the line to paste into a site'),
  });

/** A booking page as it is by default. */
export const initialBookingPage = {
  enabled: true,
  title: null,
  intro: null,
  ask: [],
  language: 'en',
  days_ahead: 60,
  notice_minutes: 0,
} as const;

/** The booking page of an event type, in a request. */
export const newBookingPage = () =>
  z.object({
    enabled: z
      .boolean()
      .optional()
      .meta({ description: 'whether the page is public', defaultText: String(initialBookingPage.enabled) }),
    title: name().nullable().optional().describe('what stands above it; null for the name of the event type'),
    intro: text(2_000).nullable().optional().describe('the text below the title'),
    ask: distinctList(z.enum(askedGuests)).optional().describe('what guests are asked, beside the name and the phone number'),
    language: pageLanguage(),
    days_ahead: z
      .int()
      .min(1)
      .max(365)
      .optional()
      .meta({ description: 'how many days ahead can be booked', defaultText: String(initialBookingPage.days_ahead) }),
    notice_minutes: z
      .int()
      .min(0)
      .max(10_080)
      .optional()
      .meta({
        description: 'how many minutes before it begins a slot is no longer offered',
        defaultText: String(initialBookingPage.notice_minutes),
      }),
  });

const eventType = () =>
  z.object({
    id: recordId('evn_'),
    name: z.string(),
    timezone: z.string(),
    slot_minutes: z.int(),
    availability: availability(),
    max_bookings_per_slot: z.int(),
    rooms: z.array(z.string()),
    booking_page: bookingPage().nullable().describe('the public page on which guests book; null for none'),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

const fields = () => ({
  timezone: timezone().optional().meta({ description: 'IANA time zone, such as Europe/Berlin', defaultText: 'that of the account' }),
  slot_minutes: z.int().min(1).max(1440).optional().meta({ description: 'minutes per slot', defaultText: '30' }),
  availability: availability().optional().describe('opening hours by weekday'),
  max_bookings_per_slot: z.int().min(1).max(10_000).optional().meta({ description: 'bookings allowed per slot', defaultText: '1' }),
  rooms: z
    .array(name())
    .max(200)
    .refine((rooms) => new Set(rooms).size === rooms.length, { error: 'must not name a room twice' })
    .optional()
    .describe('rooms that can be booked'),
  booking_page: newBookingPage()
    .nullable()
    .optional()
    .describe('the public page on which guests book; fields that are left out keep their values, and null takes it away'),
});

const shared = { section: 'Events', access: 'account' } as const;
const edit = { ...shared, permission: 'appointments.edit' } as const;
const answer = { 200: () => z.object({ event: eventType() }) } as const;

export const listEvents = endpoint({
  ...shared,
  name: 'events.list',
  method: 'GET',
  path: '/events',
  summary: 'List the bookable event types, newest first',
  query: () => z.object(pageQuery()),
  rows: 'events',
  responses: { 200: () => z.object({ events: z.array(eventType()), next_cursor: nextCursor() }) },
});

export const createEvent = endpoint({
  ...edit,
  name: 'events.create',
  method: 'POST',
  path: '/events',
  summary: 'Create a bookable event type',
  body: () => z.object({ name: name().describe('the name of the event type'), ...fields() }),
  responses: { 201: () => z.object({ event: eventType() }) },
});

export const getEvent = endpoint({
  ...shared,
  name: 'events.get',
  method: 'GET',
  path: '/events/{id}',
  summary: 'Show a bookable event type',
  responses: answer,
  errors: [404],
});

export const updateEvent = endpoint({
  ...edit,
  name: 'events.update',
  method: 'PUT',
  path: '/events/{id}',
  summary: 'Update a bookable event type',
  body: () => z.object({ name: name().optional().describe('the name of the event type'), ...fields() }),
  responses: answer,
  errors: [404],
});

export const deleteEvent = endpoint({
  ...edit,
  name: 'events.delete',
  method: 'DELETE',
  path: '/events/{id}',
  summary: 'Delete a bookable event type',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const eventEndpoints = [listEvents, createEvent, getEvent, updateEvent, deleteEvent] as const;
