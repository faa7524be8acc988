import { afterAll, expect } from 'vitest';
import { book } from '../../../../src/service/areas/appointments/booking.ts';
import { contacts } from '../../../../src/service/areas/contacts/table.ts';
import { eventTypes } from '../../../../src/service/areas/events/table.ts';
import { ApiError } from '../../../../src/service/errors.ts';
import type { Store } from '../../../../src/service/store/store.ts';
import { it } from '../../../support/service-test.ts';
import { epoch } from '../../../support/test-service.ts';
const stores: Store[] = [];

it.beforeAll(async ({ service }) => {
  stores.push(await service.database.open(), await service.database.open());
});

afterAll(async () => {
  for (const store of stores) await store.close();
});

// Proves rule appointments.19.
it('the database assigns each place once, even if transactions do not wait for each other', async ({ service }) => {
  const { contact } = (await service.post('/contacts', { phone_number: '+14155550123' })).body;
  const { event } = (await service.post('/events', { name: 'x', max_bookings_per_slot: 10, rooms: ['Blue', 'Red'] })).body;
  const slot = { start: epoch + 3_600_000, end: epoch + 7_200_000 };
  // Does not name the account: its lock would make the transactions run one after another.
  const attempt = async (index: number) =>
    await stores[index % 2]?.write(async (db) => {
      const [who, type] = [
        await contacts.require(db, service.accountId, contact.id),
        await eventTypes.require(db, service.accountId, event.id),
      ];
      return await book(db, who, type, slot, { room: 'Red', campaignId: null }, epoch);
    });
  const outcomes = await Promise.allSettled(Array.from({ length: 200 }, (_, index) => attempt(index)));
  const booked = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : undefined) ?? []);
  expect(booked.map(({ place }) => place).sort((a, b) => (a ?? 0) - (b ?? 0))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(outcome.reason instanceof ApiError && outcome.reason.status).toBe(409);
  expect((await service.get('/appointments')).body.appointments).toHaveLength(10);
});
