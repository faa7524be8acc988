import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseTarget } from '../../../src/service/http/request.ts';
import { Events } from '../../support/events.ts';
import { TestService } from '../../support/test-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await TestService.open();
});

beforeEach(async () => {
  await service.freshAccount();
});

afterAll(() => service.close());

interface Area {
  readonly path: string;
  readonly noun: string;
  readonly rows: string;
  readonly prefix: RegExp;
  /** The least that makes one. */
  readonly least: Record<string, unknown>;
  /** What it is then. */
  readonly made: object;
  readonly change: Record<string, unknown>;
  readonly wrong: Record<string, unknown>[];
  readonly unknown: Record<string, unknown>[];
}

const areas: Area[] = [
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
    made: { name: 'Spring', agent_id: null, channel: null, outgoing_only: false, status: 'active' },
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
    made: { name: 'Consultation', timezone: 'UTC', slot_minutes: 30, availability: {}, max_bookings_per_slot: 1, rooms: [] },
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

describe.each(areas)('$path', ({ path, noun, rows, prefix, least, made, change, wrong, unknown }) => {
  const create = async () => (await service.post(path, least)).body[noun] as { id: string; created_at: string };

  it('makes a record with 201 and shows it, alone and in the list', async () => {
    const { status, body } = await service.post(path, least);
    const now = new Date(service.clock.now).toISOString();
    expect([status, body[noun]]).toEqual([201, { id: expect.stringMatching(prefix), ...made, created_at: now, updated_at: now }]);
    expect((await service.get(`${path}/${body[noun].id}`)).body).toEqual({ success: true, [noun]: body[noun] });
    const other = await create();
    expect((await service.get(path)).body).toEqual({ success: true, [rows]: [other, body[noun]], next_cursor: null });
    expect((await service.get(`${path}?limit=1`)).body.next_cursor).toEqual(expect.any(String));
  });

  it('changes what is given, and keeps the rest', async () => {
    const record = await create();
    service.clock.now += 1000;
    const { body } = await service.put(`${path}/${record.id}`, change);
    expect(body[noun]).toEqual({ ...record, ...change, updated_at: new Date(service.clock.now).toISOString() });
    expect((await service.get(`${path}/${record.id}`)).body[noun]).toEqual(body[noun]);
  });

  it('deletes, once', async () => {
    const { id } = await create();
    expect((await service.delete(`${path}/${id}`)).body).toEqual({ success: true });
    for (const answer of [
      await service.delete(`${path}/${id}`),
      await service.get(`${path}/${id}`),
      await service.put(`${path}/${id}`, change),
    ])
      expect(answer.status).toBe(404);
  });

  it('refuses what is wrong, and changes nothing', async () => {
    const record = await create();
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

  it('shows another account nothing', async () => {
    const { id } = await create();
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

it('keeps a task whose contact is deleted', async () => {
  const { contact } = (await service.post('/contacts', { phone_number: '+14155550123' })).body;
  const { task } = (await service.post('/tasks', { title: 'x', contact_id: contact.id })).body;
  expect(task.contact_id).toBe(contact.id);
  await service.delete(`/contacts/${contact.id}`);
  expect((await service.get(`/tasks/${task.id}`)).body.task.contact_id).toBeNull();
});

it('tells of a task that is made, changed and completed, once', async () => {
  const events = await Events.of(service);
  const { task } = (await service.post('/tasks', { title: 'x' })).body;
  await service.put(`/tasks/${task.id}`, { title: 'y' });
  const { body } = await service.post(`/tasks/${task.id}/complete`);
  expect(body.task).toMatchObject({ title: 'y', status: 'completed' });
  await service.post(`/tasks/${task.id}/complete`);
  await service.put(`/tasks/${task.id}`, { status: 'open' });
  await service.put(`/tasks/${task.id}`, { status: 'completed' });
  const told = await events.take();
  expect(told.map(({ event }) => event)).toEqual([
    'Task Created',
    'Task Updated',
    'Task Completed',
    'Task Updated',
    'Task Updated',
    'Task Completed',
  ]);
  expect(told[2]?.data).toEqual({ task: body.task });
  expect((await service.post('/tasks/tsk_x/complete')).status).toBe(404);
  await events.close();
});

describe('short links', () => {
  const follow = async (target: string, method = 'GET') =>
    await service.service.fetch({ method, ...parseTarget(target), header: () => undefined, readBody: async () => new Uint8Array() });
  const clicks = async () =>
    (await service.get('/short-links')).body.short_links.map((link: { clicks: number }) => link.clicks) as number[];

  it('lead on from the root and from /v1 without a key, counting each click', async () => {
    const { status, body } = await service.post('/short-links', { url: 'https://shop.example/spring?a=1', slug: 'Spring_27' });
    expect([status, body.short_link]).toEqual([
      201,
      {
        id: expect.stringMatching(/^lnk_/),
        slug: 'Spring_27',
        url: 'https://shop.example/spring?a=1',
        clicks: 0,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    for (const target of ['/l/Spring_27', '/v1/l/Spring_27']) {
      const answer = await follow(target);
      expect([answer.status, answer.headers.location, answer.body]).toEqual([302, 'https://shop.example/spring?a=1', '']);
    }
    await Promise.all(Array.from({ length: 8 }, () => follow('/l/Spring_27')));
    expect((await follow('/l/Spring_27', 'HEAD')).headers.location).toBe('https://shop.example/spring?a=1');
    expect(await clicks()).toEqual([10]);
    for (const target of ['/l/Spring_27', '/v1/l/Spring_27'])
      expect((await service.call('POST', target, {})).body).toMatchObject({ success: false, error_code: 405 });
    await service.delete(`/short-links/${body.short_link.id}`);
    expect((await follow('/l/Spring_27')).status).toBe(404);
    expect((await follow('/v1/l/nowhere')).status).toBe(404);
    expect((await service.delete(`/short-links/${body.short_link.id}`)).status).toBe(404);
  });

  it('have a slug of their own, among all accounts', async () => {
    const { slug } = (await service.post('/short-links', { url: 'https://shop.example/' })).body.short_link;
    expect(slug).toMatch(/^[A-Za-z0-9]{8}$/);
    const { api_key: key } = await service.makeAccount();
    expect((await service.post('/short-links', { url: 'https://other.example/', slug }, { key })).status).toBe(409);
    expect((await follow(`/l/${slug}`)).headers.location).toBe('https://shop.example/');
  });

  it('lead to addresses in any script', async () => {
    await service.post('/short-links', { url: 'https://shop.example/café/日本', slug: `s${Date.now()}` });
    const { slug } = (await service.get('/short-links')).body.short_links[0];
    expect((await follow(`/l/${slug}`)).headers.location).toBe('https://shop.example/caf%C3%A9/%E6%97%A5%E6%9C%AC');
  });

  it.each([
    { url: 'shop.example' },
    { url: ' https://shop.example/' },
    { url: 'https://' },
    { url: 'javascript:alert(1)' },
    { url: 'ftp://shop.example/' },
    {},
    { url: 'https://shop.example/', slug: 'a b' },
    { url: 'https://shop.example/', slug: '../x' },
    { url: 'https://shop.example/', slug: '' },
    { url: 'https://shop.example/', slug: 'x'.repeat(65) },
    { url: 'https://shop.example/\r\nset-cookie: a=b' },
  ])('are not made of %j', async (body) => {
    expect((await service.post('/short-links', body)).status).toBe(400);
  });
});
