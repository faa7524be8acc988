import * as z from 'zod';
import { availability, createEvent, deleteEvent, getEvent, listEvents, updateEvent } from '../../contract/areas/events/endpoints.ts';
import { fieldsOfRow } from './rows.ts';
import type { Kind } from '../kind.ts';
import { hoursInFiles, once, requestFields } from './schema.ts';
import { normalHours } from './hours.ts';

const fields = once(() => requestFields(updateEvent));

/** Bookable event types. */
export const events: Kind = {
  name: 'events',
  noun: 'event type',
  schema: () => z.strictObject({ ...fields(), availability: hoursInFiles(availability()).describe('opening hours by weekday') }),
  normalise: (record) => ('availability' in record ? { ...record, availability: normalHours(record.availability) } : record),
  endpoints: [listEvents, createEvent, getEvent, updateEvent, deleteEvent],
  identity: { key: ['name'] },
  reading: {
    list: (client) => client.all(listEvents, {}),
    get: async (client, id) => (await client.call(getEvent, { params: { id } })).event,
    fields: (row) => [fieldsOfRow(row, Object.keys(fields()))],
  },
  writing: {
    step: 1,
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
