import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { id, instant, name, nextCursor, pageQuery, recordId, text, timestamp } from '../../fields.ts';
import { oneOf } from '../../issues.ts';

export const appointmentStatuses = ['Confirmed', 'Canceled'] as const;

/** How a calendar import finds the contact of an event. */
export const attendeeIdentifiers = ['EMAIL', 'PHONE_NUMBER'] as const;

export const importStatuses = ['queued', 'processing', 'completed', 'failed'] as const;

const appointment = () =>
  z.object({
    id: recordId('apt_'),
    contact_id: z.string().nullable().describe('the id of the contact who comes; null once the contact is deleted'),
    event_id: z
      .string()
      .nullable()
      .describe('the id of the event type; null for an imported appointment, and once the event type is deleted'),
    status: z.enum(appointmentStatuses),
    start_time: timestamp().describe('when it starts, in UTC'),
    end_time: timestamp().describe('when it ends, in UTC'),
    created_at: timestamp(),
    last_modified_at: timestamp(),
    room_name: z.string().nullable(),
    description: z.string().nullable(),
    summary: z.string().nullable(),
    cancelation_reason: z.string().nullable().describe('the reason that was given when it was canceled'),
    ext_calendar_event_id: z
      .string()
      .nullable()
      .describe('the id of the event in the connected calendar; null while it is being synced, and when none is connected'),
    calendar_synced: z.boolean().describe('whether it is linked with an event of the connected calendar'),
    imported: z.boolean().describe('whether it was imported from the calendar'),
    is_recurring: z.boolean().describe('whether it was imported from a recurring event'),
    recurrence_frequency: z.string().nullable().describe('how often the event recurs: DAILY, WEEKLY, MONTHLY and so on'),
    recurring_event_id: z.string().nullable().describe('the id of the recurring event'),
    recurring_interval: z.int().nullable().describe('the interval of the rule of the event'),
    recurring_sequence: z.int().nullable().describe('which occurrence of the event it is, from 1'),
    end_after_x_occurrences: z.int().nullable().describe('how many occurrences the event has, where its rule says so'),
    booking_provider: z.string().nullable().describe('always null: no reservation system is connected'),
  });

/** A day as a date without a time. */
const date = () =>
  z
    .string()
    .refine((value) => /^\d{4}-\d\d-\d\d$/.test(value) && instant().safeParse(value).success, { error: 'must be a date as YYYY-MM-DD' })
    .meta({ format: 'date' });

const slot = () =>
  z.object({
    start_time: z.string(),
    end_time: z.string(),
    available: z.literal(true),
    spots_left: z.int().optional(),
  });

const shared = { section: 'Appointments', access: 'account' } as const;
const edit = { ...shared, permission: 'appointments.edit' } as const;
const changed = () => z.object({ appointment_id: z.string(), appointment: appointment() });

/** A year of slots is a large answer. */
const slotLimits = { bytes: 64 * 1024 * 1024, milliseconds: 120_000 };

export const availableSlots = endpoint({
  ...shared,
  name: 'appointments.slots',
  hasLargeAnswer: true,
  method: 'GET',
  path: '/appointments/available-slots',
  summary: 'List the times at which an event type can be booked',
  query: () =>
    z.object({
      event_id: id().describe('the event type'),
      start_time: instant().describe('the first day, or the first instant'),
      end_time: instant().describe('the last day'),
    }),
  answerLimits: slotLimits,
  responses: {
    200: () =>
      z.object({
        data: z.array(z.object({ date: z.string(), day: z.string(), room_name: z.string().optional(), available_slots: z.array(slot()) })),
      }),
  },
  errors: [404],
});

export const bookAppointment = endpoint({
  ...edit,
  name: 'appointments.book',
  method: 'POST',
  path: '/appointments',
  summary: 'Book a slot for a contact',
  body: () =>
    z.object({
      contact_id: id().describe('the contact who comes'),
      event_id: id().describe('the event type'),
      start_time: instant().describe('when the slot starts'),
      room_name: name().optional().meta({ description: 'the room', defaultText: 'the first one with a free place' }),
    }),
  responses: { 201: changed },
  errors: [404, 409],
});

export const getAppointment = endpoint({
  ...shared,
  name: 'appointments.get',
  method: 'GET',
  path: '/appointments/{appointmentId}',
  summary: 'Show an appointment',
  responses: { 200: () => z.object({ appointment: appointment() }) },
  errors: [404],
});

export const listAppointments = endpoint({
  ...shared,
  name: 'appointments.list',
  method: 'GET',
  path: '/appointments',
  summary: 'List the appointments, the newest booking first',
  query: () =>
    z
      .object({
        ...pageQuery(),
        contact_id: id().optional().describe('only confirmed appointments of this contact'),
        date: date().optional().describe('only those that start on this day, as YYYY-MM-DD; needs a contact'),
        status: z.enum(appointmentStatuses).optional().describe('only those with this status'),
      })
      .refine((query) => query.date === undefined || query.contact_id !== undefined, {
        path: ['date'],
        error: 'can only be used with a contact',
      })
      .refine((query) => query.contact_id === undefined || query.status !== 'Canceled', {
        path: ['contact_id'],
        error: 'lists only confirmed appointments: omit it to see canceled ones',
      }),
  rows: 'appointments',
  responses: { 200: () => z.object({ appointments: z.array(appointment()), next_cursor: nextCursor() }) },
  errors: [404],
});

export const updateAppointment = endpoint({
  ...edit,
  name: 'appointments.reschedule',
  method: 'PUT',
  path: '/appointments/{appointmentId}',
  summary: 'Reschedule an appointment, or change its details',
  body: () =>
    z.object({
      start_time: instant().optional().describe('when it starts, one of the slots'),
      end_time: instant().optional().describe('when it ends, unless its length stays'),
      room_name: name().optional().describe('the room'),
      description: text().nullable().optional().describe('what the appointment is about'),
      summary: text().nullable().optional().describe('the title of the appointment'),
    }),
  responses: { 200: changed },
  errors: [404, 409],
});

export const cancelAppointment = endpoint({
  ...edit,
  name: 'appointments.cancel',
  method: 'POST',
  path: '/appointments/{appointmentId}/cancel',
  summary: 'Cancel an appointment; its slot becomes free',
  body: () => z.object({ cancellation_reason: text().optional().describe('why it is canceled') }),
  responses: { 200: () => z.object({ appointment_id: z.string() }) },
  errors: [404],
});

export const deleteAppointment = endpoint({
  ...edit,
  name: 'appointments.delete',
  method: 'DELETE',
  path: '/appointments/{appointmentId}',
  summary: 'Delete an appointment for good',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const listCalendars = endpoint({
  ...shared,
  name: 'appointments.calendars',
  method: 'GET',
  path: '/appointments/external-calendars',
  summary: 'List the calendars of the connected calendar account',
  responses: {
    200: () =>
      z.object({
        data: z.array(
          z.object({ id: z.string(), summary: z.string(), timeZone: z.string(), accessRole: z.string(), primary: z.boolean() }),
        ),
      }),
  },
});

export const importCalendar = endpoint({
  ...edit,
  name: 'appointments.import',
  method: 'POST',
  path: '/appointments/import-calendar-events',
  summary: 'Import the events of the connected calendar as appointments, in the background',
  body: () =>
    z
      .object({
        campaign_id: id().optional().describe('the campaign to import for'),
        agent_id: id().optional().describe('the agent to import for'),
        identifier: z
          .enum(attendeeIdentifiers)
          .describe('what finds the contact of an event: the email address or the phone number of an attendee'),
      })
      .refine(...oneOf('campaign_id', 'agent_id')),
  responses: {
    202: () =>
      z.object({
        job_id: z.string(),
        status: z.enum(importStatuses),
        campaign_id: z.string().nullable(),
        agent_id: z.string().nullable(),
      }),
  },
  errors: [404],
});

export const getCalendarImport = endpoint({
  ...shared,
  name: 'appointments.importStatus',
  method: 'GET',
  path: '/appointments/import-calendar-events/{jobId}',
  summary: 'Show the status of a calendar import',
  responses: {
    200: () =>
      z.object({
        job_id: z.string(),
        status: z.enum(importStatuses),
        message: z.string().nullable(),
        error: z.string().nullable(),
      }),
  },
  errors: [404],
});

export const appointmentEndpoints = [
  availableSlots,
  bookAppointment,
  getAppointment,
  listAppointments,
  updateAppointment,
  cancelAppointment,
  deleteAppointment,
  listCalendars,
  importCalendar,
  getCalendarImport,
] as const;
