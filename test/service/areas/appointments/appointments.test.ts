import { describe, expect } from 'vitest';
import { weekdays } from '../../../../src/contract/time/weekdays.ts';
import { it } from '../../../support/account-test.ts';
import { Events } from '../../../support/events.ts';
import { TestService } from '../../../support/test-service.ts';
let contactId: string;

// The tests' clock starts at noon UTC on Monday, 2027-03-01.
const hours = Object.fromEntries(weekdays.slice(0, 5).map((day) => [day, { start_time: '09:00', end_time: '11:00' }]));

it.beforeEach(async ({ service }) => {
  contactId = await contact(service, '+14155550123');
});

async function contact(service: TestService, phone_number: string, more: object = {}): Promise<string> {
  return (await service.post('/contacts', { phone_number, ...more })).body.contact.id as string;
}

async function eventType(service: TestService, more: object = {}): Promise<string> {
  const answer = await service.post('/events', { name: 'Consultation', availability: hours, slot_minutes: 60, ...more });
  expect(answer.status).toBe(201);
  return answer.body.event.id as string;
}

const slots = (service: TestService, event: string, start: string, end = start) =>
  service.get(
    `/appointments/available-slots?event_id=${event}&start_time=${encodeURIComponent(start)}&end_time=${encodeURIComponent(end)}`,
  );

const book = (service: TestService, event: string, start_time: string, more: object = {}) =>
  service.post('/appointments', { contact_id: contactId, event_id: event, start_time, ...more });

async function booked(service: TestService, event: string, start_time: string, more: object = {}) {
  const answer = await book(service, event, start_time, more);
  expect(answer.status).toBe(201);
  return answer.body.appointment;
}

const free = (start_time: string, end_time: string) => ({ start_time, end_time, available: true });

describe('available slots', () => {
  // Proves rules appointments.3, appointments.12, appointments.14.
  it('are listed by day, leaving out days without slots', async ({ service }) => {
    const event = await eventType(service);
    const { status, body } = await slots(service, event, '2027-03-05', '2027-03-08');
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      data: [
        { date: '05/03/2027', day: 'friday', available_slots: [free('09:00', '10:00'), free('10:00', '11:00')] },
        { date: '08/03/2027', day: 'monday', available_slots: [free('09:00', '10:00'), free('10:00', '11:00')] },
      ],
    });
  });

  // Proves rules appointments.3, appointments.11.
  it.for([
    ['start_time=2027-03-02&end_time=2027-03-02', 400],
    ['event_id=EVENT&end_time=2027-03-02', 400],
    ['event_id=EVENT&start_time=2027-03-02', 400],
    ['event_id=EVENT&start_time=soon&end_time=2027-03-02', 400],
    ['event_id=EVENT&start_time=2027-03-03&end_time=2027-03-02', 400],
    ['event_id=EVENT&start_time=2027-03-02&end_time=2028-04-06', 400],
    ['event_id=EVENT&start_time=1999-03-02&end_time=2028-04-03', 200],
    ['event_id=evn_none&start_time=2027-03-02&end_time=2027-03-02', 404],
  ] as const)('with %s return %i', async ([query, status], { service }) => {
    expect((await service.get(`/appointments/available-slots?${query.replace('EVENT', await eventType(service))}`)).status).toBe(status);
  });

  // Proves rule appointments.11.
  it('may be asked for from an instant until the end of its own day', async ({ service }) => {
    const event = await eventType(service, { timezone: 'Europe/Berlin' });
    const { status, body } = await slots(service, event, '2027-03-05T08:30:00Z', '2027-03-05');
    expect([status, body.data]).toEqual([200, [{ date: '05/03/2027', day: 'friday', available_slots: [free('10:00', '11:00')] }]]);
    expect((await slots(service, event, '2027-03-05T08:30:00Z', '2027-03-04')).status).toBe(400);
  });

  // Proves rule appointments.11.
  it('are limited to 100,000', async ({ service }) => {
    const availability = Object.fromEntries(weekdays.map((day) => [day, { start_time: '00:00', end_time: '24:00' }]));
    const event = await eventType(service, { availability, slot_minutes: 1 });
    expect((await slots(service, event, '2027-03-02', '2027-03-03')).body.data[1].available_slots).toHaveLength(1440);
    expect((await slots(service, event, '2027-03-02', '2027-06-01')).body.error).toMatch(/^end_time: .*ask for fewer days$/);
  });

  // Proves rule appointments.9.
  it('start now or later', async ({ service }) => {
    const event = await eventType(service, { availability: { monday: { start_time: '10:00', end_time: '14:00' } }, slot_minutes: 30 });
    const { data } = (await slots(service, event, '2027-02-01', '2027-03-01')).body;
    expect(data).toHaveLength(1);
    expect(data[0].available_slots[0]).toEqual(free('12:00', '12:30'));
    expect((await book(service, event, '2027-03-01T11:30:00Z')).status).toBe(400);
    expect((await book(service, event, '2027-03-01T12:00:00Z')).status).toBe(201);
  });

  // Proves rule appointments.10.
  it.for([
    ['2027-03-02', '2027-03-02', ['02/03/2027 09:00', '02/03/2027 10:00']],
    ['2027-03-02T09:00:00-05:00', '2027-03-02T09:00:00-05:00', ['02/03/2027 09:00', '02/03/2027 10:00']],
    ['2027-03-02T09:30:00-05:00', '2027-03-02T00:30:00-05:00', []],
    ['2027-03-02T09:30:00-05:00', '2027-03-02T23:00:00-05:00', ['02/03/2027 10:00']],
    ['2027-03-02T15:00:00Z', '2027-03-03T03:00:00Z', ['02/03/2027 10:00']],
    ['2027-03-02T15:00:00Z', '2027-03-03T06:00:00Z', ['02/03/2027 10:00', '03/03/2027 09:00', '03/03/2027 10:00']],
  ] as const)(
    "from %s to %s cover whole days in the event type's zone, or start at the given instant",
    async ([from, to, expected], { service }) => {
      const event = await eventType(service, { timezone: 'America/New_York' });
      const { status, body } = await slots(service, event, from, to);
      if (status === 400) return expect(expected).toEqual([]);
      const days = body.data as { date: string; available_slots: { start_time: string }[] }[];
      expect(days.flatMap(({ date, available_slots: all }) => all.map(({ start_time: time }) => `${date} ${time}`))).toEqual(expected);
    },
  );

  // Proves rules appointments.13, appointments.15, appointments.16.
  it('show how many places are left if a slot has several', async ({ service }) => {
    const event = await eventType(service, { max_bookings_per_slot: 2 });
    const first = await booked(service, event, '2027-03-02T09:00:00Z');
    const free = async () =>
      (await slots(service, event, '2027-03-02')).body.data[0].available_slots.map((slot: { spots_left: number }) => slot.spots_left);
    expect(await free()).toEqual([1, 2]);
    await booked(service, event, '2027-03-02T09:00:00Z');
    expect((await slots(service, event, '2027-03-02')).body.data[0].available_slots).toEqual([
      { start_time: '10:00', end_time: '11:00', available: true, spots_left: 2 },
    ]);
    expect((await book(service, event, '2027-03-02T09:00:00Z')).status).toBe(409);
    await service.post(`/appointments/${first.id}/cancel`);
    expect(await free()).toEqual([1, 2]);
  });

  // Proves rules appointments.12, appointments.15, appointments.20.
  it('are listed for each room, and a booking takes the first room with a free place', async ({ service }) => {
    const event = await eventType(service, { rooms: ['Blue', 'Red'] });
    expect((await slots(service, event, '2027-03-02')).body.data.map(({ room_name: room }: { room_name: string }) => room)).toEqual([
      'Blue',
      'Red',
    ]);
    const at = '2027-03-02T09:00:00Z';
    expect((await booked(service, event, at)).room_name).toBe('Blue');
    const { data } = (await slots(service, event, '2027-03-02')).body;
    expect(data).toEqual([
      { date: '02/03/2027', day: 'tuesday', room_name: 'Blue', available_slots: [free('10:00', '11:00')] },
      { date: '02/03/2027', day: 'tuesday', room_name: 'Red', available_slots: [free('09:00', '10:00'), free('10:00', '11:00')] },
    ]);
    expect((await book(service, event, at, { room_name: 'Blue' })).status).toBe(409);
    expect((await book(service, event, at, { room_name: 'Green' })).body.error).toMatch(/^room_name: .*Blue, Red/);
    expect((await booked(service, event, at)).room_name).toBe('Red');
    expect((await book(service, event, at)).status).toBe(409);
    expect((await booked(service, event, '2027-03-02T10:00:00Z', { room_name: 'Red' })).room_name).toBe('Red');
  });

  // Proves rule appointments.16.
  it('are blocked by all overlapping appointments, also after the event type has changed', async ({ service }) => {
    const event = await eventType(service);
    await booked(service, event, '2027-03-02T10:00:00Z');
    await service.put(`/events/${event}`, { slot_minutes: 30, availability: { tuesday: { start_time: '09:15', end_time: '11:15' } } });
    expect((await slots(service, event, '2027-03-02')).body.data[0].available_slots).toEqual([free('09:15', '09:45')]);
    expect((await book(service, event, '2027-03-02T10:45:00Z')).status).toBe(409);
    expect((await book(service, event, '2027-03-02T09:45:00Z')).status).toBe(409);
    expect((await book(service, event, '2027-03-02T09:15:00Z')).status).toBe(201);
  });
});

// Proves rules appointments.16, appointments.24.
it('a long appointment takes a place in each slot until it ends', async ({ service }) => {
  const event = await eventType(service);
  const { id } = await booked(service, event, '2027-03-02T09:00:00Z');
  expect((await service.put(`/appointments/${id}`, { end_time: '2027-03-04T10:00:00Z' })).status).toBe(200);
  await booked(service, event, '2027-03-05T09:00:00Z');
  for (const start of ['2027-03-02T10:00:00Z', '2027-03-03T09:00:00Z', '2027-03-04T09:00:00Z'])
    expect((await book(service, event, start)).status).toBe(409);
  const { data } = (await slots(service, event, '2027-03-04', '2027-03-05')).body;
  expect(data.map((day: { date: string; available_slots: object[] }) => [day.date, day.available_slots])).toEqual([
    ['04/03/2027', [free('10:00', '11:00')]],
    ['05/03/2027', [free('10:00', '11:00')]],
  ]);
  await service.put(`/appointments/${id}`, { end_time: '2027-03-02T10:00:00Z' });
  expect((await book(service, event, '2027-03-03T09:00:00Z')).status).toBe(201);
});

// Proves rule appointments.16.
it('a slot has as many places as its event type has now', async ({ service }) => {
  const event = await eventType(service, { max_bookings_per_slot: 3 });
  const [first] = [await booked(service, event, '2027-03-02T09:00:00Z'), await booked(service, event, '2027-03-02T09:00:00Z')];
  await service.put(`/events/${event}`, { max_bookings_per_slot: 1 });
  expect((await slots(service, event, '2027-03-02')).body.data[0].available_slots).toEqual([free('10:00', '11:00')]);
  await service.post(`/appointments/${first.id}/cancel`);
  expect((await book(service, event, '2027-03-02T09:00:00Z')).status).toBe(409);
  await service.put(`/events/${event}`, { max_bookings_per_slot: 2 });
  expect((await book(service, event, '2027-03-02T09:00:00Z')).status).toBe(201);
  expect((await book(service, event, '2027-03-02T09:00:00Z')).status).toBe(409);
});

describe('a booking', () => {
  // Proves rules appointments.1, appointments.18, appointments.22, activity.1.
  it('creates an appointment with the length of the slot', async ({ service }) => {
    const event = await eventType(service, { timezone: 'Europe/Berlin' });
    const events = await Events.of(service);
    const { status, body } = await book(service, event, '2027-03-02T09:00:00+01:00');
    expect(status).toBe(201);
    expect(body.appointment_id).toBe(body.appointment.id);
    expect(body.appointment).toEqual({
      id: expect.stringMatching(/^apt_/),
      contact_id: contactId,
      event_id: event,
      status: 'Confirmed',
      start_time: '2027-03-02T08:00:00.000Z',
      end_time: '2027-03-02T09:00:00.000Z',
      created_at: '2027-03-01T12:00:00.000Z',
      last_modified_at: '2027-03-01T12:00:00.000Z',
      room_name: null,
      description: null,
      summary: null,
      cancelation_reason: null,
      ext_calendar_event_id: null,
      calendar_synced: false,
      imported: false,
      is_recurring: false,
      recurrence_frequency: null,
      recurring_event_id: null,
      recurring_interval: null,
      recurring_sequence: null,
      end_after_x_occurrences: null,
      booking_provider: null,
    });
    expect((await service.get(`/appointments/${body.appointment_id}`)).body.appointment).toEqual(body.appointment);
    expect(await events.take()).toMatchObject([{ event: 'Appointment Booked', data: { appointment: body.appointment } }]);
    await events.close();
    const counts = await service.write((db) =>
      db
        .selectFrom('daily_counts')
        .select(['booked', 'channel'])
        .where('account_id', '=', service.accountId)
        .where('booked', '>', 0)
        .execute(),
    );
    expect(counts).toEqual([{ booked: 1, channel: 'chatapp' }]);
  });

  // Proves rules appointments.17, appointments.18, appointments.19.
  it.for<[object, number]>([
    [{ contact_id: undefined }, 400],
    [{ event_id: undefined }, 400],
    [{ start_time: undefined }, 400],
    [{ start_time: 'tomorrow' }, 400],
    [{ room_name: null }, 400],
    [{ contact_id: 'con_none' }, 404],
    [{ event_id: 'evn_none' }, 404],
    [{ event_id: 'evn_none', start_time: '2027-03-02T08:00:00Z' }, 404],
    [{ start_time: '2027-03-02T08:00:00Z' }, 400],
    [{ start_time: '2027-03-02T09:30:00Z' }, 409],
    [{ start_time: '2027-03-02T09:00:00.001Z' }, 409],
    [{ start_time: '2027-03-02T10:59:59Z' }, 409],
    [{ start_time: '2027-03-02T11:00:00Z' }, 400],
    [{ start_time: '2027-03-03T09:30:00Z' }, 400],
    [{ start_time: '2027-03-06T09:00:00Z' }, 400],
    [{ start_time: '2027-02-23T09:00:00Z' }, 400],
    [{ start_time: '2027-03-02T10:00:00Z' }, 409],
  ])('with %j returns %i and creates nothing', async ([change, status], { service }) => {
    const event = await eventType(service);
    await booked(service, event, '2027-03-02T10:00:00Z');
    expect((await book(service, event, '2027-03-02T09:00:00Z', change)).status).toBe(status);
    expect((await service.get('/appointments')).body.appointments).toHaveLength(1);
  });

  // Proves rule appointments.21.
  it('stores any room if the event type has no rooms', async ({ service }) => {
    const event = await eventType(service);
    expect((await booked(service, event, '2027-03-02T09:00:00Z', { room_name: 'Upstairs' })).room_name).toBe('Upstairs');
    const taken = await book(service, event, '2027-03-02T09:00:00Z', { room_name: 'Downstairs' });
    expect([taken.status, taken.body.error]).toEqual([409, 'All places at this time are taken']);
  });

  // Proves rule appointments.5.
  it('at a time that occurs twice takes the first occurrence', async ({ service }) => {
    const event = await eventType(service, {
      timezone: 'Europe/Berlin',
      availability: { sunday: { start_time: '02:00', end_time: '03:00' } },
    });
    expect((await slots(service, event, '2027-10-31')).body.data[0].available_slots).toEqual([free('02:00', '02:00')]);
    expect((await slots(service, event, '2027-03-28')).body.data).toEqual([]);
    expect((await book(service, event, '2027-10-31T01:00:00Z')).status).toBe(400);
    expect((await booked(service, event, '2027-10-31T00:00:00Z')).end_time).toBe('2027-10-31T01:00:00.000Z');
  });
});

// Proves rule appointments.19.
it('200 concurrent bookings of 10 places in two processes create 10 appointments', async ({ service }) => {
  const other = await TestService.on(service.database, {}, service);
  other.key = service.key;
  const event = await eventType(service, { max_bookings_per_slot: 10 });
  const of = (index: number) => (index % 2 === 0 ? service : other);
  const body = { contact_id: contactId, event_id: event, start_time: '2027-03-02T09:00:00Z' };
  const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => of(index).post('/appointments', body)));
  expect(Map.groupBy(answers, ({ status }) => status).get(201)).toHaveLength(10);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
  expect((await service.get('/appointments?limit=100')).body.appointments).toHaveLength(10);
  await other.service.close();
});

describe('updating an appointment', () => {
  // Proves rules appointments.23, appointments.24, appointments.28.
  it('moves it and keeps its length', async ({ service }) => {
    const event = await eventType(service);
    const { id } = await booked(service, event, '2027-03-02T09:00:00Z');
    const events = await Events.of(service);
    service.clock.now += 1000;
    const { status, body } = await service.put(`/appointments/${id}`, { start_time: '2027-03-03T10:00:00Z' });
    expect([status, body.appointment_id]).toEqual([200, id]);
    expect(body.appointment).toMatchObject({
      start_time: '2027-03-03T10:00:00.000Z',
      end_time: '2027-03-03T11:00:00.000Z',
      last_modified_at: '2027-03-01T12:00:01.000Z',
    });
    expect(await events.take()).toMatchObject([{ event: 'Appointment Rescheduled', data: { appointment: body.appointment } }]);
    expect((await book(service, event, '2027-03-02T09:00:00Z')).status).toBe(201);
    expect((await book(service, event, '2027-03-03T10:00:00Z')).status).toBe(409);
    await events.close();
    service.clock.now -= 1000;
  });

  // Proves rules appointments.23, appointments.28.
  it('emits no event for changed texts, and null clears them', async ({ service }) => {
    const { id } = await booked(service, await eventType(service), '2027-03-02T09:00:00Z');
    const events = await Events.of(service);
    const change = { room_name: 'Upstairs', description: 'Bring the X-ray', summary: 'Check-up' };
    expect((await service.put(`/appointments/${id}`, change)).body.appointment).toMatchObject(change);
    expect((await service.put(`/appointments/${id}`, { description: null, summary: null })).body.appointment).toMatchObject({
      room_name: 'Upstairs',
      description: null,
      summary: null,
    });
    await service.put(`/appointments/${id}`, { start_time: '2027-03-02T09:00:00Z', end_time: '2027-03-02T10:00:00Z' });
    expect(await events.names()).toEqual([]);
    await events.close();
  });

  // Proves rules appointments.23, appointments.24, appointments.25.
  it.for<[object, number]>([
    [{}, 400],
    [{ start_time: null }, 400],
    [{ room_name: null }, 400],
    // It overlaps the slot at 10 o'clock, whose only place is taken.
    [{ start_time: '2027-03-02T09:15:00Z' }, 409],
    [{ start_time: '2027-03-03T09:15:00Z' }, 400],
    [{ start_time: '2027-02-23T09:00:00Z' }, 400],
    [{ end_time: '2027-03-02T09:00:00Z' }, 400],
    [{ end_time: '2027-03-02T08:00:00Z' }, 400],
    [{ start_time: '2027-03-03T09:00:00Z', end_time: '2027-03-03T09:00:00Z' }, 400],
    [{ start_time: '2027-03-02T10:00:00Z' }, 409],
    [{ end_time: '2027-03-02T10:30:00Z' }, 409],
    [{ end_time: '2027-03-02T09:30:00Z' }, 200],
    [{ start_time: '2027-03-03T10:00:00Z', end_time: '2027-03-03T13:30:00Z' }, 200],
  ])('with %j returns %i', async ([change, status], { service }) => {
    const event = await eventType(service);
    const { id } = await booked(service, event, '2027-03-02T09:00:00Z');
    await booked(service, event, '2027-03-02T10:00:00Z');
    expect((await service.put(`/appointments/${id}`, change)).status).toBe(status);
    expect((await service.put('/appointments/apt_none', change)).status).toBe(isRefusedByItself(change) ? 400 : 404);
  });

  const isRefusedByItself = (change: { start_time?: string; end_time?: string }) =>
    Object.keys(change).length === 0 ||
    Object.values(change).includes(null as never) ||
    (change.start_time !== undefined && change.start_time === change.end_time);

  // Proves rule appointments.29.
  it('allows any time, even a taken one, once the event type is deleted', async ({ service }) => {
    const event = await eventType(service);
    const first = await booked(service, event, '2027-03-02T09:00:00Z');
    const second = await booked(service, event, '2027-03-02T10:00:00Z');
    expect((await service.delete(`/events/${event}`)).status).toBe(200);
    for (const start_time of [first.start_time, '2027-03-02T09:07:00Z', first.start_time])
      expect((await service.put(`/appointments/${second.id}`, { start_time })).status).toBe(200);
    expect((await service.get(`/appointments/${second.id}`)).body.appointment).toMatchObject({
      start_time: first.start_time,
      event_id: null,
    });
  });

  // Proves rule appointments.26.
  it('does not check an unchanged time in the past', async ({ service }) => {
    const event = await eventType(service, { availability: { monday: { start_time: '12:00', end_time: '13:00' } } });
    const { id } = await booked(service, event, '2027-03-01T12:00:00Z');
    service.clock.now += 60_000;
    const change = { start_time: '2027-03-01T12:00:00Z', end_time: '2027-03-01T12:30:00Z', summary: 'Shorter' };
    expect((await service.put(`/appointments/${id}`, change)).status).toBe(200);
    service.clock.now -= 60_000;
  });

  // Proves rules appointments.25, appointments.30.
  it('takes a place in the new room', async ({ service }) => {
    const event = await eventType(service, { rooms: ['Blue', 'Red'] });
    const { id } = await booked(service, event, '2027-03-02T09:00:00Z');
    const other = await booked(service, event, '2027-03-02T09:00:00Z');
    expect((await service.put(`/appointments/${id}`, { room_name: 'Red' })).status).toBe(409);
    expect((await service.put(`/appointments/${id}`, { room_name: 'Green' })).status).toBe(400);
    await service.delete(`/appointments/${other.id}`);
    expect((await service.put(`/appointments/${id}`, { room_name: 'Red' })).body.appointment.room_name).toBe('Red');
    expect((await booked(service, event, '2027-03-02T09:00:00Z')).room_name).toBe('Blue');
    await service.put(`/events/${event}`, { rooms: ['Blue'] });
    const moved = await service.put(`/appointments/${id}`, { start_time: '2027-03-02T10:00:00Z' });
    expect(moved.body.appointment.room_name).toBe('Blue');
  });

  // Proves rules appointments.15, appointments.25.
  it('requires a free place at each moment of a longer time, but not one for each overlapping appointment', async ({ service }) => {
    const event = await eventType(service, { max_bookings_per_slot: 2 });
    const { id } = await booked(service, event, '2027-03-02T09:00:00Z');
    for (const start of ['2027-03-02T09:00:00Z', '2027-03-02T10:00:00Z']) await booked(service, event, start);
    const longer = { end_time: '2027-03-02T11:00:00Z' };
    expect((await service.put(`/appointments/${id}`, longer)).body.appointment).toMatchObject({ end_time: '2027-03-02T11:00:00.000Z' });
    expect((await book(service, event, '2027-03-02T10:00:00Z')).status).toBe(409);
    expect((await service.put(`/appointments/${id}`, { end_time: '2027-03-02T10:00:00Z' })).status).toBe(200);
    await booked(service, event, '2027-03-02T10:00:00Z');
    expect((await service.put(`/appointments/${id}`, longer)).status).toBe(409);
  });

  // Proves rules appointments.13, appointments.15.
  it('a changed slot length counts only simultaneous appointments', async ({ service }) => {
    const event = await eventType(service, { max_bookings_per_slot: 2, slot_minutes: 30 });
    for (const start of ['2027-03-02T09:00:00Z', '2027-03-02T09:30:00Z']) await booked(service, event, start);
    await service.put(`/events/${event}`, { slot_minutes: 60 });
    const [day] = (await slots(service, event, '2027-03-02')).body.data;
    expect(day.available_slots.map((slot: { spots_left: number }) => slot.spots_left)).toEqual([1, 2]);
    await booked(service, event, '2027-03-02T09:00:00Z');
    expect((await book(service, event, '2027-03-02T09:00:00Z')).status).toBe(409);
  });

  // Proves rules appointments.29, appointments.34.
  it('clears the event type and allows any time once the event type is deleted', async ({ service }) => {
    const event = await eventType(service);
    const { id } = await booked(service, event, '2027-03-02T09:00:00Z');
    expect((await service.delete(`/events/${event}`)).status).toBe(200);
    expect((await service.get(`/appointments/${id}`)).body.appointment.event_id).toBeNull();
    expect((await service.get('/appointments')).body.appointments[0].event_id).toBeNull();
    const moved = await service.put(`/appointments/${id}`, { start_time: '2027-03-06T03:07:00Z' });
    expect(moved.body.appointment).toMatchObject({ event_id: null, end_time: '2027-03-06T04:07:00.000Z' });
    await service.delete(`/contacts/${contactId}`);
    expect((await service.get(`/appointments/${id}`)).body.appointment.contact_id).toBeNull();
  });
});

describe('ending an appointment', () => {
  // Proves rules appointments.27, appointments.31, appointments.33.
  it('keeps it and frees its place if it is canceled', async ({ service }) => {
    const event = await eventType(service);
    const { id, ...appointment } = await booked(service, event, '2027-03-02T09:00:00Z');
    const events = await Events.of(service);
    const { status, body } = await service.post(`/appointments/${id}/cancel`, { cancellation_reason: 'Ill' });
    expect([status, body]).toEqual([200, { success: true, appointment_id: id }]);
    const canceled = { ...appointment, id, status: 'Canceled', cancelation_reason: 'Ill' };
    expect((await service.get(`/appointments/${id}`)).body.appointment).toEqual(canceled);
    expect(await events.take()).toMatchObject([{ event: 'Appointment Cancelled', data: { appointment: canceled } }]);
    expect((await service.post(`/appointments/${id}/cancel`)).status).toBe(400);
    expect((await service.put(`/appointments/${id}`, { summary: 'x' })).status).toBe(400);
    expect((await service.post('/appointments/apt_none/cancel')).status).toBe(404);
    expect((await service.post(`/appointments/${id}/cancel`, { cancellation_reason: null })).status).toBe(400);
    await booked(service, event, '2027-03-02T09:00:00Z');
    expect(await events.names()).toEqual(['Appointment Booked']);
    await service.delete(`/appointments/${id}`);
    expect(await events.names()).toEqual([]);
    await events.close();
  });

  // Proves rules appointments.32, appointments.33.
  it('removes it if it is deleted, and emits a cancellation if it was confirmed', async ({ service }) => {
    const event = await eventType(service);
    const { id } = await booked(service, event, '2027-03-02T09:00:00Z');
    const events = await Events.of(service);
    expect((await service.delete(`/appointments/${id}`)).body).toEqual({ success: true });
    expect((await service.get(`/appointments/${id}`)).status).toBe(404);
    expect((await service.delete(`/appointments/${id}`)).status).toBe(404);
    expect(await events.take()).toMatchObject([{ event: 'Appointment Cancelled', data: { appointment: { id, status: 'Canceled' } } }]);
    await booked(service, event, '2027-03-02T09:00:00Z');
    await events.close();
  });
});

describe('the list of appointments', () => {
  // Proves rules appointments.35, appointments.36.
  it('is filtered by status and by contact', async ({ service }) => {
    const event = await eventType(service, { max_bookings_per_slot: 10 });
    const other = await contact(service, '+14155550124');
    const ids: string[] = [];
    for (const contact_id of [contactId, other, contactId, other])
      ids.push((await booked(service, event, '2027-03-02T09:00:00Z', { contact_id })).id);
    await service.post(`/appointments/${ids[2]}/cancel`);
    const list = async (query: string) =>
      (await service.get(`/appointments?${query}`)).body.appointments.map(({ id }: { id: string }) => ids.indexOf(id));
    expect(await list('')).toEqual([3, 2, 1, 0]);
    expect(await list('status=Confirmed')).toEqual([3, 1, 0]);
    expect(await list('status=Canceled')).toEqual([2]);
    expect(await list(`contact_id=${contactId}`)).toEqual([0]);
    expect(await list(`contact_id=${other}&status=Confirmed`)).toEqual([3, 1]);
    const page = (await service.get(`/appointments?contact_id=${other}&limit=1`)).body;
    expect(await list(`contact_id=${other}&limit=1&cursor=${page.next_cursor}`)).toEqual([1]);
    expect((await service.get(`/appointments?contact_id=${contactId}&limit=1&cursor=${page.next_cursor}`)).status).toBe(400);
  });

  // Proves rules appointments.36, appointments.37.
  it.for([
    ['date=2027-03-02', 400],
    ['contact_id=CONTACT&status=Canceled', 400],
    ['contact_id=CONTACT&date=2027-02-30', 400],
    ['contact_id=CONTACT&date=2027-03-02T09:00:00Z', 400],
    ['status=canceled', 400],
    ['limit=0', 400],
    ['limit=101', 400],
    ['contact_id=con_none', 404],
    ['contact_id=CONTACT&date=2027-03-02&status=Confirmed', 200],
  ] as const)('with %s returns %i', async ([query, status], { service }) => {
    expect((await service.get(`/appointments?${query.replace('CONTACT', contactId)}`)).status).toBe(status);
  });

  // Proves rule appointments.37.
  it('uses the zone of each event type for the filter by day', async ({ service }) => {
    const availability = Object.fromEntries(weekdays.map((day) => [day, { start_time: '00:00', end_time: '24:00' }]));
    const tokyo = await eventType(service, { availability, timezone: 'Asia/Tokyo' });
    const utc = await eventType(service, { availability });
    for (const event of [tokyo, utc]) for (const hour of ['14', '15', '23']) await booked(service, event, `2027-03-02T${hour}:00:00Z`);
    const list = async (date: string, more = '') => (await service.get(`/appointments?contact_id=${contactId}&date=${date}${more}`)).body;
    const of = ({ appointments }: { appointments: { event_id: string; start_time: string }[] }) =>
      appointments.map(({ event_id: id, start_time: time }) => `${id === tokyo ? 'tokyo' : 'utc'} ${time.slice(11, 13)}`);
    expect(of(await list('2027-03-02'))).toEqual(['utc 23', 'utc 15', 'utc 14', 'tokyo 14']);
    expect(of(await list('2027-03-03'))).toEqual(['tokyo 23', 'tokyo 15']);
    expect(of(await list('2027-03-01'))).toEqual([]);
    const page = await list('2027-03-02', '&limit=3');
    expect(of(page)).toEqual(['utc 23', 'utc 15', 'utc 14']);
    expect(of(await list('2027-03-02', `&limit=3&cursor=${page.next_cursor}`))).toEqual(['tokyo 14']);
  });
});
