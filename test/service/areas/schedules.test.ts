import { describe, expect } from 'vitest';
import { it as base } from '../../support/account-test.ts';
import type { TestService } from '../../support/test-service.ts';

/** The number of occurrences whose transaction fails, before the others. */
let failing = 0;

const it = base.extend(
  'options',
  { scope: 'file' },
  {
    failpoint: (name: string) => {
      if (name === 'schedule.running' && failing-- > 0) throw new Error('The process ends');
    },
  },
);

interface Task {
  readonly id: string;
  readonly status: string;
  readonly run_at: string;
  readonly next_run_at: string | null;
  readonly last_run: {
    readonly at: string;
    readonly ok: boolean;
    readonly error: { code: string } | null;
    readonly message_id: string;
  } | null;
}

/** A Monday at 8:00, from which the times of a test count. */
let start = '';

/** Freezes the clock at the next Monday at 8:00, or at another instant. */
async function begin(service: TestService, wanted?: string): Promise<void> {
  const { now } = (await service.sandbox('GET', '/clock')).body;
  const monday = new Date(`${String(now).slice(0, 10)}T08:00:00.000Z`);
  monday.setUTCDate(monday.getUTCDate() + 8 - (monday.getUTCDay() || 7));
  start = wanted ?? monday.toISOString();
  await service.sandbox('POST', '/clock', { now: start });
  await service.sandbox('PATCH', `/accounts/${service.accountId}`, { credits: 2_000 });
}

const at = (hours: number) => new Date(Date.parse(start) + hours * 3_600_000).toISOString();

const advance = (service: TestService, hours: number) => service.sandbox('POST', '/clock/advance', { seconds: hours * 3_600 });

const toDo = { type: 'task', title: 'Call back' } as const;

async function create(service: TestService, body: object = {}): Promise<Task> {
  const answer = await service.post('/scheduled-tasks', { name: 'Reminder', action: toDo, run_at: at(1), timezone: 'UTC', ...body });
  expect(answer.status, JSON.stringify(answer.body) + String(service.errors.at(-1))).toBe(201);
  return answer.body.scheduled_task as Task;
}

const get = async (service: TestService, id: string) => (await service.get(`/scheduled-tasks/${id}`)).body.scheduled_task as Task;

/** When the tasks of the account were created. */
const created = async (service: TestService) =>
  ((await service.get('/tasks?limit=100')).body.tasks as { created_at: string }[]).map(({ created_at: time }) => time).reverse();

async function contactOf(service: TestService): Promise<string> {
  await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
  return ((await service.post('/contacts', { phone_number: '+14155550123' })).body.contact as { id: string }).id;
}

const errorsOf = async (service: TestService) => (await service.get('/error-log?source=scheduled_task')).body.errors as object[];

const told = async (service: TestService) =>
  ((await service.get('/notifications?kind=scheduled_task_failed')).body.notifications as object[]).length;

describe('a schedule', () => {
  // Proves rules schedules.1, schedules.2, schedules.3, schedules.16.
  it('runs once without a rule', async ({ service }) => {
    await begin(service);
    const task = await create(service);
    expect(task).toEqual({
      id: expect.stringMatching(/^sch_/),
      name: 'Reminder',
      action: toDo,
      run_at: at(1),
      rrule: null,
      timezone: 'UTC',
      status: 'active',
      next_run_at: at(1),
      last_run: null,
      created_at: start,
      updated_at: start,
    });
    expect((await service.get('/scheduled-tasks')).body).toMatchObject({ scheduled_tasks: [task], next_cursor: null });
    await advance(service, 3);
    expect(await created(service)).toEqual([at(1)]);
    const last = { at: at(1), ok: true, error: null, message_id: null, task_id: expect.stringMatching(/^tsk_/), broadcast_id: null };
    expect(await get(service, task.id)).toMatchObject({ status: 'done', next_run_at: null, last_run: last });
  });

  // Proves rules schedules.2, schedules.16.
  it('begins at run_at, which counts', async ({ service }) => {
    await begin(service);
    const { id } = await create(service, { rrule: 'FREQ=WEEKLY;BYDAY=WE;BYHOUR=10;COUNT=3' });
    await advance(service, 24 * 30);
    expect(await created(service)).toEqual([at(1), at(50), at(50 + 168)]);
    expect(await get(service, id)).toMatchObject({ status: 'done', next_run_at: null });
  });

  // Proves rules schedules.3, schedules.5.
  it('keeps the local time, leaves out times that do not exist, and takes the first of two', async ({ service }) => {
    await begin(service, '2040-03-23T00:00:00Z');
    const daily = { rrule: 'FREQ=DAILY', timezone: 'Europe/Berlin' };
    await create(service, { ...daily, run_at: '2040-03-23T01:30:00Z' });
    await advance(service, 24 * 4);
    expect(await created(service)).toEqual(['2040-03-23T01:30', '2040-03-24T01:30', '2040-03-26T00:30'].map((time) => `${time}:00.000Z`));
    await service.freshAccount();
    await begin(service, '2040-10-27T00:00:00Z');
    await create(service, { ...daily, run_at: '2040-10-27T00:30:00Z' });
    await advance(service, 24 * 3);
    expect(await created(service)).toEqual(['2040-10-27T00:30', '2040-10-28T00:30', '2040-10-29T01:30'].map((time) => `${time}:00.000Z`));
  });

  // Proves rules schedules.1, schedules.2, schedules.4.
  it.for([
    [{ run_at: '2020-01-01T08:00:00Z' }, 'run_at: must be in the future'],
    [{ run_at: '2020-01-01' }, 'run_at: must be in the future'],
    [{ rrule: 'FREQ=MINUTELY' }, 'rrule: has occurrences that are less than an hour apart'],
    [{ rrule: 'FREQ=DAILY;BYHOUR=9;BYMINUTE=0,30' }, 'rrule: has occurrences that are less than an hour apart'],
    // Only where the clocks go forward, more than a thousand occurrences later.
    [
      { rrule: 'FREQ=MINUTELY;INTERVAL=90', run_at: '2041-03-20T13:00:00Z', timezone: 'America/New_York' },
      'rrule: has occurrences that are less than an hour apart',
    ],
    [
      { rrule: `FREQ=YEARLY;BYHOUR=9,10;BYMINUTE=${Array.from({ length: 60 }, (_, minute) => minute).join()};BYDAY=MO;BYSETPOS=1` },
      'rrule: must not name more than 24 times of a day',
    ],
    // Its only local time does not exist.
    [
      {
        rrule: 'FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=10;BYHOUR=2;BYMINUTE=30;UNTIL=20410401T000000Z',
        run_at: '2041-03-09T17:00:00Z',
        timezone: 'America/New_York',
      },
      'rrule: has no occurrence from run_at on',
    ],
    [{ rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }, 'rrule: has no occurrence from run_at on'],
    [{ rrule: 'FREQ=DAILY;UNTIL=20300101T000000Z' }, 'rrule: has no occurrence from run_at on'],
    [{ rrule: 'DTSTART:20300101T000000Z' }, 'rrule: '],
    [{ rrule: 'FREQ=WEEKLY;BYDAY=1MO' }, 'rrule: must have days such as 1MO only with FREQ=MONTHLY'],
    [{ rrule: 'FREQ=MONTHLY;BYDAY=0MO' }, "rrule: has an invalid BYDAY: '0MO'"],
    [{ rrule: 'FREQ=YEARLY;BYDAY=1MO;BYWEEKNO=3' }, 'rrule: must not have days such as 1MO beside BYWEEKNO'],
    [{ rrule: 'FREQ=DAILY;BYWEEKNO=3' }, 'rrule: must have BYWEEKNO only with FREQ=YEARLY'],
    [{ rrule: 'FREQ=MONTHLY;BYYEARDAY=3' }, 'rrule: must not have BYYEARDAY with FREQ=MONTHLY'],
    [{ rrule: 'FREQ=WEEKLY;BYMONTHDAY=3' }, 'rrule: must not have BYMONTHDAY with FREQ=WEEKLY'],
    [{ rrule: 'FREQ=DAILY;BYSETPOS=1' }, 'rrule: must have BYSETPOS only beside another BY part'],
    [{ rrule: 'FREQ=SOMETIMES' }, "rrule: has an invalid FREQ: 'SOMETIMES'"],
    [{ rrule: 'FREQ=DAILY;COUNT=2;UNTIL=20310101' }, 'rrule: must not have both COUNT and UNTIL'],
    [{ timezone: 'Mars' }, 'timezone: '],
    [{ name: ' ' }, 'name: '],
    [{ action: { type: 'message', contact_id: 'x' } }, "action: give either 'body' or 'template_id'"],
    [{ action: { type: 'message', contact_id: 'x', body: 'x', template_id: 'y' } }, "action: give either 'body' or 'template_id'"],
    [{ action: { type: 'message', contact_id: 'x', body: 'x', variables: {} } }, "action: give 'variables' only with 'template_id'"],
    [{ action: { type: 'message', body: 'x' } }, 'action.contact_id: is required'],
    [{ action: { type: 'tag', tag_id: 'x', contact_id: 'x', list_id: 'x' } }, "action: give either 'contact_id' or 'list_id'"],
    [{ action: { type: 'task', title: 'x', due_in_hours: 8_761 } }, 'action.due_in_hours: '],
    [{ action: { type: 'dance' } }, 'action.type: '],
  ] as const)('refuses %j', async ([body, error], { service }) => {
    await begin(service);
    const answer = await service.post('/scheduled-tasks', { name: 'x', action: toDo, run_at: at(1), timezone: 'UTC', ...body });
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(error)]);
  });

  // Proves rules schedules.12, schedules.17.
  it('makes up only the latest of what it missed, and nothing of a pause', async ({ service }) => {
    await begin(service);
    const { id } = await create(service, { rrule: 'FREQ=DAILY;COUNT=10' });
    await service.sandbox('POST', '/jobs', { hold: ['scheduled_task'] });
    await advance(service, 24 * 3 + 5);
    await service.sandbox('POST', '/jobs', { hold: [] });
    await service.sandbox('POST', '/settle');
    expect(await created(service)).toEqual([at(77)]);
    expect(await get(service, id)).toMatchObject({ status: 'active', next_run_at: at(1 + 96) });
    const post = async (step: string) => await service.post(`/scheduled-tasks/${id}/${step}`);
    expect((await post('pause')).body.scheduled_task).toMatchObject({ status: 'paused', next_run_at: null });
    expect((await post('pause')).status).toBe(200);
    await advance(service, 48);
    expect((await post('resume')).body.scheduled_task).toMatchObject({ status: 'active', next_run_at: at(1 + 144) });
    expect((await post('resume')).status).toBe(200);
    await advance(service, 24 * 30);
    expect(await created(service)).toHaveLength(1 + 4);
    expect((await get(service, id)).status).toBe('done');
    expect([(await post('pause')).status, (await post('resume')).status]).toEqual([409, 409]);
  });

  // Proves rules schedules.12, schedules.14.
  it('fails when it runs once and is more than a day late', async ({ service }) => {
    await begin(service);
    const once = await create(service);
    const late = await create(service, { run_at: at(20) });
    const daily = await create(service, { rrule: 'FREQ=DAILY;COUNT=1' });
    await service.sandbox('POST', '/jobs', { hold: ['scheduled_task'] });
    await advance(service, 40);
    await service.sandbox('POST', '/jobs', { hold: [] });
    await service.sandbox('POST', '/settle');
    expect(await created(service)).toEqual([at(40)]);
    expect(await get(service, once.id)).toMatchObject({ status: 'failed', last_run: { ok: false, error: { code: 'missed' } } });
    expect(await get(service, late.id)).toMatchObject({ status: 'done', last_run: { ok: true } });
    expect(await get(service, daily.id)).toMatchObject({ status: 'done', last_run: null });
    expect(await errorsOf(service)).toMatchObject([{ code: 'missed', entity: { type: 'scheduled_task', id: once.id }, count: 1 }]);
    expect(await told(service)).toBe(1);
  });

  // Proves rule schedules.12.
  it('takes effect once, whatever ends the process', async ({ service }) => {
    await begin(service);
    await create(service, { rrule: 'FREQ=DAILY;COUNT=3' });
    failing = 2;
    await advance(service, 24 * 4);
    expect(service.errors.splice(0)).toHaveLength(2);
    expect(await created(service)).toHaveLength(3);
  });

  // Proves rule schedules.18.
  it('becomes active again with another time or rule', async ({ service }) => {
    await begin(service);
    const { id } = await create(service);
    await advance(service, 2);
    const put = async (body: object) => await service.put(`/scheduled-tasks/${id}`, body);
    expect((await put({ name: 'Other' })).body.scheduled_task).toMatchObject({ name: 'Other', status: 'done' });
    expect((await put({ rrule: 'FREQ=DAILY' })).body.scheduled_task).toMatchObject({ status: 'active', next_run_at: at(25) });
    expect((await put({ rrule: null })).body.error).toContain('rrule: leaves no occurrence after now');
    expect((await put({ run_at: at(1) })).status).toBe(400);
    expect((await put({})).status).toBe(400);
    const moved = await put({ run_at: at(5), rrule: null, action: { type: 'task', title: 'Other' } });
    expect(moved.body.scheduled_task).toMatchObject({ status: 'active', next_run_at: at(5), action: { title: 'Other' } });
    await advance(service, 40);
    expect(await created(service)).toEqual([at(1), at(5)]);
    expect((await service.delete(`/scheduled-tasks/${id}`)).status).toBe(200);
    expect((await service.delete(`/scheduled-tasks/${id}`)).status).toBe(404);
    const waiting = async () => ((await service.sandbox('GET', '/jobs')).body.waiting as Record<string, number>).scheduled_task ?? 0;
    const before = await waiting();
    const doomed = await create(service, { run_at: at(100) });
    expect(await waiting()).toBe(before + 1);
    await service.delete(`/scheduled-tasks/${doomed.id}`);
    expect(await waiting()).toBe(before);
  });
});

describe('an action', () => {
  // Proves rules schedules.6, schedules.10, schedules.14, schedules.20.
  it('sends a message, which knows its task', async ({ service }) => {
    await begin(service);
    const contact = await contactOf(service);
    const { id } = await create(service, { action: { type: 'message', contact_id: contact, body: 'Hello' } });
    await advance(service, 2);
    const { last_run: last } = await get(service, id);
    const { message } = (await service.get(`/messages/${last?.message_id}`)).body;
    expect(message).toMatchObject({ contact_id: contact, body: 'Hello', channel: 'chatapp', sender: 'automated', created_at: at(1) });
    expect((await service.get(`/messages/${last?.message_id}/trace`)).body.trace).toMatchObject({
      scheduled_task_id: id,
      broadcast_id: null,
    });
    await service.put(`/contacts/${contact}`, { do_not_disturb: true });
    const failed = await create(service, { run_at: at(3), action: { type: 'message', contact_id: contact, body: 'Hello' } });
    await advance(service, 2);
    expect(await get(service, failed.id)).toMatchObject({ status: 'failed', last_run: { ok: false, error: { code: 'recipient_dnd' } } });
    expect(await errorsOf(service)).toMatchObject([{ code: 'recipient_dnd', contact_id: contact, entity: { id: failed.id } }]);
    expect(await told(service)).toBe(1);
  });

  // Proves rule schedules.6.
  it('sends a template with variables', async ({ service }) => {
    await begin(service);
    const contact = await contactOf(service);
    const template = { name: 'hello', language: 'en', body: 'Hello {{1}}', status: 'submitted' };
    const { template_id: templateId } = (await service.post('/chatapp-templates/docs', template)).body;
    const action = { type: 'message', contact_id: contact, template_id: templateId, variables: { 1: 'Ada' } };
    const early = await create(service, { action });
    await service.sandbox('POST', '/jobs', { hold: ['template_review'] });
    await advance(service, 2);
    expect((await get(service, early.id)).last_run?.error?.code).toBe('template_not_approved');
    await service.sandbox('POST', '/jobs', { hold: [] });
    await service.sandbox('POST', `/accounts/${service.accountId}/templates/${String(templateId)}/review`, { outcome: 'approved' });
    const { id } = await create(service, { action, run_at: at(3) });
    await advance(service, 2);
    const { last_run: last } = await get(service, id);
    expect((await service.get(`/messages/${last?.message_id}`)).body.message).toMatchObject({ body: 'Hello Ada', template_id: templateId });
  });

  // Proves rules schedules.7, schedules.19.
  it('sends a copy of a broadcast, with the day in its name', async ({ service }) => {
    await begin(service);
    const contact = await contactOf(service);
    const draft = { name: 'Spring', channel: 'chatapp', body: 'Sale', contact_ids: [contact] };
    const { id: source } = (await service.post('/broadcasts', draft)).body.broadcast as { id: string };
    const { id } = await create(service, { action: { type: 'broadcast', broadcast_id: source }, rrule: 'FREQ=DAILY' });
    await advance(service, 30);
    const { broadcasts } = (await service.get('/broadcasts')).body as { broadcasts: { name: string; status: string; counts: object }[] };
    expect(broadcasts.map(({ name, status }) => [name, status])).toEqual([
      [`Spring ${at(25).slice(0, 10)}`, 'Sent'],
      [`Spring ${at(1).slice(0, 10)}`, 'Sent'],
      ['Spring', 'Draft'],
    ]);
    // 16:00 UTC is the next day in Tokyo.
    const eastern = { run_at: at(32), timezone: 'Asia/Tokyo', action: { type: 'broadcast', broadcast_id: source } };
    await create(service, eastern);
    await advance(service, 3);
    const [copy] = (await service.get('/broadcasts')).body.broadcasts as { name: string }[];
    expect(copy?.name).toBe(`Spring ${at(48).slice(0, 10)}`);
    await service.delete(`/broadcasts/${source}`);
    await advance(service, 24);
    expect(await get(service, id)).toMatchObject({ status: 'active', last_run: { ok: false, error: { code: 'not_found' } } });
  });

  // Proves rules schedules.8, schedules.9.
  it('creates tasks, and tags a contact or a list', async ({ service }) => {
    await begin(service);
    const contact = await contactOf(service);
    const { tag } = (await service.post('/tags', { name: 'VIP' })).body as { tag: { id: string } };
    const { list } = (await service.post('/lists', { name: 'All' })).body as { list: { id: string } };
    for (const part of [0, 1, 2]) {
      const people = Array.from({ length: 400 }, (_, index) => ({ phone_number: `+1415${2_000_000 + part * 400 + index}` }));
      const { contact_ids: ids } = (await service.post('/contacts/import', { contacts: people })).body;
      await service.post(`/lists/${list.id}/contacts`, { contact_ids: ids });
    }
    const tagsOf = async () => ((await service.get('/tags')).body.tags as { contact_count: number }[])[0]?.contact_count;
    const counts: unknown[] = [];
    const actions = [
      { type: 'tag', contact_id: contact, tag_id: tag.id },
      { type: 'tag', list_id: list.id, tag_id: tag.id },
      { type: 'tag', contact_id: contact, tag_id: tag.id, remove: true },
      { type: 'tag', list_id: list.id, tag_id: tag.id, remove: true },
    ];
    for (const [index, action] of actions.entries()) {
      await create(service, { action, run_at: at(index + 1) });
      await advance(service, 1);
      counts.push(await tagsOf());
    }
    expect(counts).toEqual([1, 1_201, 1_200, 0]);
    await create(service, { action: { ...toDo, contact_id: contact, due_in_hours: 2 }, run_at: at(5) });
    await advance(service, 1);
    expect((await service.get('/tasks')).body.tasks).toMatchObject([{ title: 'Call back', contact_id: contact, due_at: at(7) }]);
  });

  // Proves rules schedules.9, schedules.14.
  it('fails to tag a contact that has as many tags as it can', async ({ service }) => {
    await begin(service);
    const contact = await contactOf(service);
    for (let number = 0; number < 200; number++) await service.post(`/contacts/${contact}/tags`, { name: `Tag ${number}` });
    const { tag } = (await service.post('/tags', { name: 'VIP' })).body as { tag: { id: string } };
    const { id } = await create(service, { action: { type: 'tag', contact_id: contact, tag_id: tag.id } });
    await advance(service, 2);
    expect(await get(service, id)).toMatchObject({ status: 'failed', last_run: { ok: false, error: { code: 'too_large' } } });
    expect((await service.get('/error-log')).body.errors).toMatchObject([{ source: 'scheduled_task', code: 'too_large' }]);
  });

  // Proves rule schedules.10.
  it.for([
    { type: 'message', contact_id: 'con_none', body: 'x' },
    { type: 'broadcast', broadcast_id: 'brd_none' },
    { type: 'task', title: 'x', contact_id: 'con_none' },
    { type: 'tag', tag_id: 'tag_none', contact_id: 'con_none' },
  ])('of %j is 404', async (action, { service }) => {
    await begin(service);
    expect((await service.post('/scheduled-tasks', { name: 'x', action, run_at: at(1) })).status).toBe(404);
  });

  // Proves rule schedules.11.
  it('needs what it needs by hand', async ({ service }) => {
    await begin(service);
    const contact = await contactOf(service);
    const message = { type: 'message', contact_id: contact, body: 'x' };
    const messages = await create(service, { action: message });
    const viewer = await service.signIn(['contacts.view', 'contacts.edit']);
    const { api_key: scoped } = (await service.post('/api-keys', { scopes: { tags: ['Scheduled Tasks', 'Tasks'], read_only: false } }))
      .body;
    for (const key of [viewer, String(scoped)]) {
      const statusOf = async (method: string, path: string, body?: object) =>
        (await service.call(method, `/v1${path}`, body, { key })).status;
      expect(await statusOf('POST', '/scheduled-tasks', { name: 'x', action: toDo, run_at: at(1) })).toBe(201);
      expect(await statusOf('POST', '/scheduled-tasks', { name: 'x', action: message, run_at: at(1) })).toBe(403);
      expect(await statusOf('POST', '/scheduled-tasks', { name: 'x', action: { ...message, contact_id: 'con_none' }, run_at: at(1) })).toBe(
        404,
      );
      const path = `/scheduled-tasks/${messages.id}`;
      expect(await statusOf('GET', path)).toBe(200);
      expect(await statusOf('PUT', path, { name: 'y' })).toBe(403);
      for (const step of ['pause', 'resume', 'run']) expect(await statusOf('POST', `${path}/${step}`)).toBe(403);
      expect(await statusOf('DELETE', path)).toBe(403);
      expect(await statusOf('DELETE', '/scheduled-tasks/sch_none')).toBe(404);
    }
  });

  // Proves rule schedules.13.
  it('waits for the end of quiet hours, and then sends only the last message', async ({ service }) => {
    await begin(service);
    const contact = await contactOf(service);
    const { id } = await create(service, {
      action: { type: 'message', contact_id: contact, body: 'x' },
      rrule: 'FREQ=HOURLY;COUNT=5',
    });
    await service.put('/account-config', { timezone: 'UTC', quiet_hours: { start_time: '09:30', end_time: '12:30' } });
    await advance(service, 24);
    const sent = (await service.get('/messages')).body.messages as { created_at: string }[];
    expect(sent.map(({ created_at: time }) => time)).toEqual([at(5), at(4.5), at(1)]);
    await service.put('/account-config', { quiet_hours: { start_time: '00:00', end_time: '23:59' } });
    const run = await service.post(`/scheduled-tasks/${id}/run`);
    expect(run.body.scheduled_task).toMatchObject({ status: 'done', last_run: { ok: true, message_id: expect.stringMatching(/^msg_/) } });
    const waiting = await create(service, { action: { type: 'message', contact_id: contact, body: 'x' }, run_at: at(25) });
    await advance(service, 2);
    expect((await get(service, waiting.id)).last_run).toBeNull();
    // Another time zone does not move a task without a rule, so it goes on waiting.
    const moved = await service.put(`/scheduled-tasks/${waiting.id}`, { timezone: 'Asia/Tokyo' });
    expect(moved.body.scheduled_task).toMatchObject({ status: 'active', next_run_at: at(25), timezone: 'Asia/Tokyo' });
    const ruled = await create(service, {
      action: { type: 'message', contact_id: contact, body: 'x' },
      run_at: at(27),
      rrule: 'FREQ=DAILY;COUNT=1',
    });
    await advance(service, 2);
    // What was due before the change still goes out.
    const kept = await service.put(`/scheduled-tasks/${ruled.id}`, { timezone: 'Asia/Tokyo' });
    expect(kept.body.scheduled_task).toMatchObject({ status: 'active', next_run_at: at(27) });
    await service.put('/account-config', { quiet_hours: null });
    await service.sandbox('POST', '/settle');
    expect((await get(service, waiting.id)).last_run).toMatchObject({ at: at(28), ok: true });
  });

  // Proves rule schedules.13.
  it('sends one broadcast after quiet hours, not one for each occurrence', async ({ service }) => {
    await begin(service);
    const draft = { name: 'Sale', channel: 'chatapp', body: 'Sale', contact_ids: [await contactOf(service)] };
    const { id: source } = (await service.post('/broadcasts', draft)).body.broadcast as { id: string };
    await create(service, { action: { type: 'broadcast', broadcast_id: source }, rrule: 'FREQ=HOURLY;COUNT=4' });
    await service.put('/account-config', { timezone: 'UTC', quiet_hours: { start_time: '08:30', end_time: '13:30' } });
    await advance(service, 10);
    const sent = (await service.get('/messages')).body.messages as { created_at: string }[];
    expect(sent.map(({ created_at: time }) => time)).toEqual([at(5.5)]);
  });

  it('is done when its new time zone leaves no occurrence', async ({ service }) => {
    await begin(service);
    const until = `${at(13).slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
    const { id } = await create(service, { rrule: `FREQ=DAILY;BYHOUR=9,20;BYMINUTE=0;BYSECOND=0;UNTIL=${until}` });
    await advance(service, 7);
    expect(await get(service, id)).toMatchObject({ status: 'active', next_run_at: at(12) });
    const moved = await service.put(`/scheduled-tasks/${id}`, { timezone: 'America/New_York' });
    expect(moved.body.scheduled_task).toMatchObject({ status: 'done', next_run_at: null });
  });

  // Proves rules schedules.14, schedules.15.
  it('pauses after ten failures in a row, which running by hand does not count', async ({ service }) => {
    await begin(service);
    const contact = await contactOf(service);
    await service.put(`/contacts/${contact}`, { do_not_disturb: true });
    const { id } = await create(service, { action: { type: 'message', contact_id: contact, body: 'x' }, rrule: 'FREQ=DAILY' });
    await advance(service, 24 * 8 + 2);
    for (let count = 0; count < 3; count++) {
      const { status, body } = await service.post(`/scheduled-tasks/${id}/run`);
      expect([status, body.scheduled_task]).toMatchObject([
        200,
        { status: 'active', last_run: { ok: false, error: { code: 'recipient_dnd' } } },
      ]);
    }
    expect(await errorsOf(service)).toHaveLength(9);
    expect(await told(service)).toBe(0);
    await advance(service, 24);
    expect(await get(service, id)).toMatchObject({ status: 'paused', next_run_at: null });
    expect([await told(service), (await errorsOf(service)).length]).toEqual([1, 10]);
    await service.put(`/contacts/${contact}`, { do_not_disturb: false });
    await service.post(`/scheduled-tasks/${id}/resume`);
    await advance(service, 24);
    expect(await get(service, id)).toMatchObject({ status: 'active', last_run: { ok: true } });
    expect((await service.post('/scheduled-tasks/sch_none/run')).status).toBe(404);
  });

  // Proves rule schedules.19.
  it('goes with the contact that it names', async ({ service }) => {
    await begin(service);
    const contact = await contactOf(service);
    const { id } = await create(service, { action: { type: 'message', contact_id: contact, body: 'x' } });
    const other = await create(service);
    await service.delete(`/contacts/${contact}`);
    expect([(await service.get(`/scheduled-tasks/${id}`)).status, (await service.get(`/scheduled-tasks/${other.id}`)).status]).toEqual([
      404, 200,
    ]);
    await advance(service, 2);
    expect(await errorsOf(service)).toEqual([]);
  });
});
