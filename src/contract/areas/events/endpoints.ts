import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { name, nextCursor, pageQuery, recordId, timestamp } from '../../fields.ts';
import { timezone } from '../../time/timezones.ts';
import { byWeekday } from '../../time/weekly.ts';

const time = () => z.string().regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, { error: 'must be a time of day as HH:MM' });

const window = () =>
  z
    .object({ start_time: time(), end_time: time() })
    .refine((value) => value.start_time < value.end_time, { error: 'must end after it starts' });

/** Weekly availability: one or more windows for each day (rule events.2). */
export const availability = () => z.strictObject(byWeekday(window()));

const eventType = () =>
  z.object({
    id: recordId('evn_'),
    name: z.string(),
    timezone: z.string(),
    slot_minutes: z.int(),
    availability: availability(),
    max_bookings_per_slot: z.int(),
    rooms: z.array(z.string()),
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
