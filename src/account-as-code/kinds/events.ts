import * as z from 'zod';
import {
  availability,
  createEvent,
  deleteEvent,
  getEvent,
  initialBookingPage,
  listEvents,
  newBookingPage,
  updateEvent,
} from '../../contract/areas/events/endpoints.ts';
import type { AnswerRow, Kind } from '../kind.ts';
import { type Fields, isFields } from '../values.ts';
import { fieldsOfRow } from './rows.ts';
import { hoursInFiles, once, requestFields } from './schema.ts';
import { normalHours } from './hours.ts';

const fields = once(() => requestFields(updateEvent));

const bookingPage = once(() => newBookingPage().strict());

/** The booking page in files, without its address. */
function bookingPageOf({ booking_page: page }: AnswerRow): Fields {
  if (page === undefined) return {};
  if (!isFields(page)) return { booking_page: null };
  return { booking_page: Object.fromEntries(Object.keys(bookingPage().shape).map((field) => [field, page[field]])) };
}

/** Bookable event types. */
export const events: Kind = {
  name: 'events',
  noun: 'event type',
  schema: () =>
    z.strictObject({
      ...fields(),
      availability: hoursInFiles(availability()).describe('opening hours by weekday'),
      booking_page: bookingPage().nullable().optional().describe('the public page on which guests book; null for none'),
    }),
  normalise: (record) => ({
    ...record,
    ...('availability' in record && { availability: normalHours(record.availability) }),
    // A page in files is a whole one: what it omits is as by default.
    ...(isFields(record.booking_page) && { booking_page: { ...initialBookingPage, ...record.booking_page } }),
  }),
  endpoints: [listEvents, createEvent, getEvent, updateEvent, deleteEvent],
  identity: { key: ['name'] },
  reading: {
    list: (client) => client.all(listEvents, {}),
    get: async (client, id) => (await client.call(getEvent, { params: { id } })).event,
    fields: (row) => [{ ...fieldsOfRow(row, Object.keys(fields())), ...bookingPageOf(row) }],
  },
  writing: {
    step: 1,
    nulls: ['booking_page'],
    create: async ({ client, fields: body }) => ({ id: (await client.call(createEvent, { body })).event.id }),
    update: async ({ client, fields: body, live: { id } }) => {
      await client.call(updateEvent, { params: { id }, body });
      return undefined;
    },
    remove: async ({ client, live: { id } }) => {
      await client.call(deleteEvent, { params: { id } });
    },
  },
};
