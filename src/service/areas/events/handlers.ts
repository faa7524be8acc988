import type { Body } from '../../../contract/endpoint.ts';
import type { availability, updateEvent } from '../../../contract/areas/events/endpoints.ts';
import { AccountRecords, type Fields, type Stored } from '../../store/account-records.ts';
import { iso } from '../../clock/clock.ts';
import type { AreaHandlers } from '../../http/context.ts';
import { ApiError } from '../../errors.ts';
import type * as z from 'zod';

const eventTypes = new AccountRecords('event_types', 'evn', 'Event');

/** A bookable event type as answers show it (5/B, Event types). */
function eventTypeRecord(row: Stored<'event_types'>) {
  return {
    id: row.id,
    name: row.name,
    timezone: row.timezone,
    slot_minutes: row.slot_minutes,
    availability: JSON.parse(row.availability) as z.output<ReturnType<typeof availability>>,
    max_bookings_per_slot: row.max_bookings_per_slot,
    rooms: JSON.parse(row.rooms) as string[],
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

/** The columns that a request's fields change; availability and rooms are replaced as a whole (ruling, Appointments). */
function columnsOf({ availability: weekly, rooms, ...fields }: Body<typeof updateEvent>): Partial<Fields<'event_types'>> {
  return {
    ...fields,
    ...(weekly && { availability: JSON.stringify(weekly) }),
    ...(rooms && { rooms: JSON.stringify(rooms) }),
  };
}

const usual = { timezone: 'UTC', slot_minutes: 30, availability: '{}', max_bookings_per_slot: 1, rooms: '[]' };

export const eventHandlers: AreaHandlers<'events'> = {
  'events.list': async ({ db, account, page }) => {
    const { rows, next_cursor } = await page((before, take) => eventTypes.list(db, account.id, before, take));
    return { events: rows.map(eventTypeRecord), next_cursor };
  },

  'events.create': async ({ db, account, body, now }) => {
    const fields = { name: body.name, ...usual, ...columnsOf(body) };
    return { event: eventTypeRecord(await eventTypes.insert(db, account.id, fields, now)) };
  },

  'events.get': async ({ db, account, params }) => ({
    event: eventTypeRecord(await eventTypes.require(db, account.id, params.id)),
  }),

  'events.update': async ({ db, account, params, body, now }) => {
    if (Object.keys(body).length === 0) throw new ApiError(400, 'No fields to update');
    return { event: eventTypeRecord(await eventTypes.change(db, account.id, params.id, columnsOf(body), now)) };
  },

  'events.delete': async ({ db, account, params }) => {
    await eventTypes.remove(db, account.id, params.id);
    return {};
  },
};
