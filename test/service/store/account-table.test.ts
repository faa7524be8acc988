import { describe, expect } from 'vitest';
import { it } from '../../support/account-test.ts';
import type { TestService } from '../../support/test-service.ts';

interface Records {
  readonly path: string;
  readonly noun: string;
  readonly rows: string;
  readonly prefix: RegExp;
  /** The required fields of a new record. */
  readonly least: Record<string, unknown>;
  /** The expected record. */
  readonly made: object;
  readonly change: Record<string, unknown>;
  readonly wrong: Record<string, unknown>[];
  readonly unknown: Record<string, unknown>[];
}

const records: Records[] = [
  {
    path: '/tasks',
    noun: 'task',
    rows: 'tasks',
    prefix: /^tsk_/,
    least: { title: 'Call back' },
    made: { title: 'Call back', description: null, contact_id: null, assignee: null, due_at: null, status: 'open' },
    change: { description: 'in the afternoon', assignee: 'Eve', due_at: '2027-03-02T15:00:00.000Z' },
    wrong: [{ title: '' }, { due_at: 'tomorrow' }, { due_at: '2027-02-30' }, { assignee: 7 }],
    unknown: [{ contact_id: 'con_x' }],
  },
  {
    path: '/campaigns',
    noun: 'campaign',
    rows: 'campaigns',
    prefix: /^cmp_/,
    least: { name: 'Spring' },
    made: { name: 'Spring', agent_id: null, channel: null, outgoing_only: false, status: 'active', tags: [] },
    change: { channel: 'sms', outgoing_only: true, status: 'paused' },
    wrong: [{ name: '' }, { channel: 'fax' }, { outgoing_only: 'yes' }, { status: 'done' }],
    unknown: [{ agent_id: 'agt_x' }],
  },
  {
    path: '/events',
    noun: 'event',
    rows: 'events',
    prefix: /^evn_/,
    least: { name: 'Consultation' },
    made: {
      name: 'Consultation',
      timezone: 'UTC',
      slot_minutes: 30,
      availability: {},
      max_bookings_per_slot: 1,
      rooms: [],
      booking_page: null,
    },
    change: {
      timezone: 'Europe/Berlin',
      slot_minutes: 45,
      availability: { monday: { start_time: '09:00', end_time: '12:30' }, friday: [{ start_time: '13:00', end_time: '24:00' }] },
      rooms: ['A', 'B'],
    },
    wrong: [
      { timezone: 'Mars/Olympus' },
      { timezone: '+01:00' },
      { slot_minutes: 0 },
      { slot_minutes: 1.5 },
      { availability: { someday: [] } },
      { availability: { monday: { start_time: '12:00', end_time: '09:00' } } },
      { availability: { monday: { start_time: '9:00', end_time: '10:00' } } },
      { availability: { monday: [{ start_time: '25:00', end_time: '26:00' }] } },
      { max_bookings_per_slot: 0 },
      { rooms: ['A', 'A'] },
      { rooms: [''] },
    ],
    unknown: [],
  },
];

describe.each(records)('$path', ({ path, noun, rows, prefix, least, made, change, wrong, unknown }) => {
  const create = async (service: TestService) => (await service.post(path, least)).body[noun] as { id: string; created_at: string };

  // Proves rules conventions.9, conventions.10, conventions.11, conventions.12, conventions.58, campaigns.1
  // and rules campaigns.6, events.1, events.10, tasks.1, tasks.11.
  it('creates a record with 201, and returns it alone and in the list', async ({ service }) => {
    const { status, body } = await service.post(path, least);
    const now = new Date(service.clock.now).toISOString();
    expect([status, body[noun]]).toEqual([201, { id: expect.stringMatching(prefix), ...made, created_at: now, updated_at: now }]);
    expect((await service.get(`${path}/${body[noun].id}`)).body).toEqual({ success: true, [noun]: body[noun] });
    const other = await create(service);
    expect((await service.get(path)).body).toEqual({ success: true, [rows]: [other, body[noun]], next_cursor: null });
    expect((await service.get(`${path}?limit=1`)).body.next_cursor).toEqual(expect.any(String));
  });

  // Proves rule conventions.64.
  it('accepts an update with unchanged values', async ({ service }) => {
    const record = await create(service);
    service.clock.now += 1000;
    const { body } = await service.put(`${path}/${record.id}`, least);
    expect(body[noun]).toEqual({ ...record, updated_at: new Date(service.clock.now).toISOString() });
  });

  // Proves rules conventions.62, conventions.64, events.2, events.5.
  it('changes the given fields and keeps the others', async ({ service }) => {
    const record = await create(service);
    service.clock.now += 1000;
    const { body } = await service.put(`${path}/${record.id}`, change);
    expect(body[noun]).toEqual({ ...record, ...change, updated_at: new Date(service.clock.now).toISOString() });
    expect((await service.get(`${path}/${record.id}`)).body[noun]).toEqual(body[noun]);
  });

  // Proves rule conventions.56.
  it('never reuses an id, not even after deletion', async ({ service }) => {
    const ids = new Set<string>();
    for (let count = 0; count < 5; count++) {
      const { id } = await create(service);
      expect(ids).not.toContain(id);
      ids.add(id);
      await service.delete(`${path}/${id}`);
    }
  });

  // Proves rule conventions.14.
  it('deletes a record once', async ({ service }) => {
    const { id } = await create(service);
    expect((await service.delete(`${path}/${id}`)).body).toEqual({ success: true });
    for (const answer of [
      await service.delete(`${path}/${id}`),
      await service.get(`${path}/${id}`),
      await service.put(`${path}/${id}`, change),
    ])
      expect(answer.status).toBe(404);
  });

  // Proves rules conventions.25, conventions.55, conventions.60, conventions.63, campaigns.2, campaigns.3, events.3
  // and rules events.4, events.6, events.7, events.9, tasks.4.
  it('rejects invalid fields and changes nothing', async ({ service }) => {
    const record = await create(service);
    for (const fields of wrong) {
      expect([fields, (await service.post(path, { ...least, ...fields })).status]).toEqual([fields, 400]);
      expect([fields, (await service.put(`${path}/${record.id}`, fields)).status]).toEqual([fields, 400]);
    }
    for (const fields of unknown) {
      expect((await service.post(path, { ...least, ...fields })).status).toBe(404);
      expect((await service.put(`${path}/${record.id}`, fields)).status).toBe(404);
    }
    for (const empty of [{}, { id: 'x' }])
      expect((await service.put(`${path}/${record.id}`, empty)).body.error).toBe('No fields to update');
    expect((await service.post(path, {})).status).toBe(400);
    expect((await service.get(path)).body[rows]).toEqual([record]);
  });

  // Proves rule conventions.21.
  it('hides records from other accounts', async ({ service }) => {
    const { id } = await create(service);
    const { api_key: key } = await service.makeAccount();
    expect((await service.get(path, { key })).body[rows]).toEqual([]);
    for (const answer of [
      await service.get(`${path}/${id}`, { key }),
      await service.put(`${path}/${id}`, change, { key }),
      await service.delete(`${path}/${id}`, { key }),
    ])
      expect(answer.status).toBe(404);
  });
});

it('the ids of a process are in the order of creation, even within a millisecond', async ({ service }) => {
  const ids: string[] = [];
  while (ids.length < 100) ids.push((await service.post('/tasks', { title: 'Call back' })).body.task.id);
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
});

// Proves rules campaigns.4, campaigns.5.
it('two campaigns may have the same name, and null clears their agent and channel', async ({ service }) => {
  const make = async () => (await service.post('/campaigns', { name: 'Spring', channel: 'sms' })).body.campaign;
  const [one, two] = [await make(), await make()];
  expect([one.name, one.channel, two.name]).toEqual(['Spring', 'sms', 'Spring']);
  const { body } = await service.put(`/campaigns/${one.id}`, { channel: null, agent_id: null });
  expect(body.campaign).toEqual({ ...one, channel: null, agent_id: null });
  expect((await service.put(`/campaigns/${one.id}`, { status: null })).status).toBe(400);
});

describe('the availability of an event type', () => {
  const windows = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      start_time: `${String(Math.floor(index / 3)).padStart(2, '0')}:${(index % 3) * 2}0`,
      end_time: '23:59',
    }));

  // Proves rules events.2, events.4.
  it.for([
    [48, 201],
    [49, 400],
  ] as const)('with %i windows on a day returns %i', async ([count, status], { service }) => {
    expect((await service.post('/events', { name: 'x', availability: { monday: windows(count) } })).status).toBe(status);
  });

  // Proves rule events.4.
  it.for(['09:00', '08:59', '00:00'])('cannot end at %s if it starts at 09:00', async (end_time, { service }) => {
    const availability = { monday: { start_time: '09:00', end_time } };
    expect((await service.post('/events', { name: 'x', availability })).status).toBe(400);
  });

  // Proves rule events.8.
  it('is replaced as a whole, and so are the rooms', async ({ service }) => {
    const [monday, friday] = windows(2);
    const { event } = (await service.post('/events', { name: 'x', availability: { monday }, rooms: ['A', 'B'] })).body;
    expect((await service.put(`/events/${event.id}`, { availability: { friday } })).body.event).toEqual({
      ...event,
      availability: { friday },
    });
    expect((await service.put(`/events/${event.id}`, { rooms: ['C'] })).body.event).toEqual({
      ...event,
      availability: { friday },
      rooms: ['C'],
    });
  });
});

describe.each([
  { path: '/tags', noun: 'tag', rows: 'tags', prefix: /^tag_/ },
  { path: '/lists', noun: 'list', rows: 'lists', prefix: /^lst_/ },
])('$path', ({ path, noun, rows, prefix }) => {
  const create = async (service: TestService, name: string) =>
    (await service.post(path, { name })).body[noun] as { id: string; created_at: string };

  // Proves rules conventions.12, conventions.51.
  it('creates a record with 201, and lists the same record', async ({ service }) => {
    const { status, body } = await service.post(path, { name: '  Regulars ' });
    expect(status).toBe(201);
    expect(body[noun]).toMatchObject({ id: expect.stringMatching(prefix), name: 'Regulars', contact_count: 0 });
    expect((await service.get(path)).body).toEqual({ success: true, [rows]: [body[noun]], next_cursor: null });
  });

  // Proves rules tags.8, lists.10.
  it('is paginated, newest first', async ({ service }) => {
    const made = [];
    for (const name of ['b', 'c', 'a']) made.unshift(await create(service, name));
    const first = (await service.get(`${path}?limit=2`)).body;
    const second = (await service.get(`${path}?limit=2&cursor=${first.next_cursor}`)).body;
    expect([first[rows], second[rows], second.next_cursor]).toEqual([made.slice(0, 2), made.slice(2), null]);
  });

  // Proves rules conventions.62, conventions.64.
  it('renames a record, keeps created_at and changes updated_at', async ({ service }) => {
    const { id, created_at } = await create(service, 'before');
    service.clock.now += 5_000;
    const { status, body } = await service.put(`${path}/${id}`, { name: 'after' });
    expect(status).toBe(200);
    expect(body[noun]).toMatchObject({ id, name: 'after', created_at, updated_at: new Date(service.clock.now).toISOString() });
  });

  // Proves rule conventions.14.
  it('deletes a record once', async ({ service }) => {
    const { id } = await create(service, 'short-lived');
    expect((await service.delete(`${path}/${id}`)).body).toEqual({ success: true });
    expect((await service.delete(`${path}/${id}`)).status).toBe(404);
    expect((await service.get(path)).body[rows]).toEqual([]);
  });

  // Proves rules conventions.37, conventions.63.
  it('returns 400 for an empty update, even with an unknown id', async ({ service }) => {
    const { body, status } = await service.put(`${path}/unknown`, {});
    expect([status, body.error]).toEqual([400, 'No fields to update']);
  });

  // Proves rules conventions.50, conventions.51, lists.1, tags.1.
  it.for([{}, { name: '' }, { name: ' ' }, { name: 'x'.repeat(201) }, { name: 7 }, { name: 'a\0b' }])(
    'rejects %j',
    async (body, { service }) => {
      expect((await service.post(path, body)).status).toBe(400);
    },
  );

  // Proves rule conventions.21.
  it('hides records from other accounts', async ({ service }) => {
    const { id } = await create(service, 'mine');
    const { api_key: key } = await service.makeAccount();
    expect((await service.get(path, { key })).body[rows]).toEqual([]);
    expect((await service.put(`${path}/${id}`, { name: 'theirs' }, { key })).status).toBe(404);
    expect((await service.delete(`${path}/${id}`, { key })).status).toBe(404);
    expect((await service.get(path)).body[rows]).toHaveLength(1);
  });

  // Proves rule conventions.50.
  it('returns 404 for ids of any form', async ({ service }) => {
    for (const id of ['%00', '%', '%2F', '..', 'ü', "'; drop table tags; --"])
      expect((await service.put(`${path}/${encodeURI(id)}`, { name: 'x' })).status).toBe(404);
  });
});
