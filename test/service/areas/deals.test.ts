import { describe, expect } from 'vitest';
import { it } from '../../support/account-test.ts';
import type { TestService } from '../../support/test-service.ts';

interface Stage {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly deal_count: number;
}

interface Pipeline {
  readonly id: string;
  readonly name: string;
  readonly stages: readonly Stage[];
}

interface Deal {
  readonly id: string;
  readonly pipeline_id: string;
  readonly stage_id: string;
}

const pipelineOf = async (service: TestService, name: string, stages: readonly object[]) =>
  (await service.post('/pipelines', { name, stages })).body.pipeline as Pipeline;

const dealOf = async (service: TestService, body: object = {}) =>
  (await service.post('/deals', { title: 'Order', ...body })).body.deal as Deal;

const contactOf = async (service: TestService) =>
  ((await service.post('/contacts', { phone_number: '+14155550123' })).body.contact as { id: string }).id;

const stagesOf = async (service: TestService, id: string) =>
  ((await service.get(`/pipelines/${id}`)).body.pipeline as Pipeline).stages.map(({ name, kind, deal_count: count }) => [
    name,
    kind,
    count,
  ]);

describe('a pipeline', () => {
  // Proves rules pipelines.1, pipelines.2, pipelines.3.
  it('has stages, whose names differ like those of pipelines', async ({ service }) => {
    const { status, body } = await service.post('/pipelines', { name: ' Sales ', stages: [{ name: 'New' }, { name: 'Won', kind: 'won' }] });
    const pipeline = {
      id: expect.stringMatching(/^ppl_/),
      name: 'Sales',
      stages: [
        { id: expect.stringMatching(/^stg_/), name: 'New', kind: 'open', deal_count: 0 },
        { id: expect.stringMatching(/^stg_/), name: 'Won', kind: 'won', deal_count: 0 },
      ],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    };
    expect([status, body.pipeline]).toEqual([201, pipeline]);
    const other = await pipelineOf(service, 'Other', [{ name: 'New' }]);
    expect((await service.get('/pipelines')).body).toMatchObject({ pipelines: [{ name: 'Other' }, pipeline], next_cursor: null });
    expect(await service.post('/pipelines', { name: 'sales', stages: [{ name: 'New' }] })).toMatchObject({
      status: 409,
      body: { reason: 'name_taken' },
    });
    expect((await service.put(`/pipelines/${other.id}`, { name: 'Sales' })).status).toBe(409);
    expect((await service.put(`/pipelines/${other.id}`, { name: 'other' })).body.pipeline).toMatchObject({ name: 'other' });
    for (const stages of [
      [],
      [{ name: 'New' }, { name: 'new' }],
      Array.from({ length: 31 }, (_, n) => ({ name: `${n}` })),
      [{ name: 'x', kind: 'y' }],
    ])
      expect((await service.post('/pipelines', { name: 'x', stages })).status).toBe(400);
  });

  // Proves rules pipelines.4, pipelines.5, pipelines.6.
  it('keeps stages with deals, and their kind', async ({ service }) => {
    const { id, stages } = await pipelineOf(service, 'Sales', [{ name: 'New' }, { name: 'Talk' }, { name: 'Won', kind: 'won' }]);
    const [first, second, won] = stages;
    for (const stage of [first, first, won]) await dealOf(service, { stage_id: stage?.id });
    expect(await stagesOf(service, id)).toEqual([
      ['New', 'open', 2],
      ['Talk', 'open', 0],
      ['Won', 'won', 1],
    ]);
    const put = async (list: readonly object[]) => await service.put(`/pipelines/${id}`, { stages: list });
    expect(await put([{ name: 'New' }])).toMatchObject({ status: 409, body: { blocking_deal_count: 3 } });
    const kept = { id: won?.id };
    expect(await put([{ id: first?.id, name: 'New', kind: 'lost' }, kept])).toMatchObject({
      status: 409,
      body: { blocking_deal_count: 2 },
    });
    expect((await put([{ id: 'stg_none', name: 'x' }])).status).toBe(404);
    expect((await put([kept, { ...kept, name: 'Again' }])).status).toBe(400);
    expect(await stagesOf(service, id)).toHaveLength(3);
    expect((await put([kept, { id: first?.id, name: 'Fresh' }, { name: 'Later' }])).status).toBe(200);
    expect(await stagesOf(service, id)).toEqual([
      ['Won', 'won', 1],
      ['Fresh', 'open', 2],
      ['Later', 'open', 0],
    ]);
    expect((await service.get(`/deals?stage_id=${second?.id}`)).status).toBe(404);
    expect(await service.delete(`/pipelines/${id}`)).toMatchObject({ status: 409, body: { blocking_deal_count: 3 } });
    const { deals } = (await service.get('/deals')).body as { deals: Deal[] };
    for (const deal of deals) await service.delete(`/deals/${deal.id}`);
    expect((await service.delete(`/pipelines/${id}`)).status).toBe(200);
  });
});

describe('a deal', () => {
  // Proves rules deals.1, deals.2.
  it('is in the first stage of the oldest pipeline, and an account without one gets Sales', async ({ service }) => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => service.post('/deals', { title: 'Order' })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const { pipelines } = (await service.get('/pipelines')).body as { pipelines: Pipeline[] };
    expect(pipelines.map(({ name }) => name)).toEqual(['Sales']);
    expect(await stagesOf(service, pipelines[0]?.id ?? '')).toEqual([
      ['New', 'open', 10],
      ['Qualified', 'open', 0],
      ['Proposal', 'open', 0],
      ['Won', 'won', 0],
      ['Lost', 'lost', 0],
    ]);
    const { now } = (await service.sandbox('POST', '/clock', { frozen: true })).body;
    const made = (await service.post('/deals', { title: 'Order', value: 1_234.56 })).body.deal;
    expect(made).toEqual({
      id: expect.stringMatching(/^dea_/),
      title: 'Order',
      pipeline_id: pipelines[0]?.id,
      stage_id: pipelines[0]?.stages[0]?.id,
      contact_id: null,
      value: 1_234.56,
      currency: 'USD',
      assignee: null,
      expected_close_at: null,
      status: 'open',
      stage_changed_at: now,
      closed_at: null,
      created_at: now,
      updated_at: now,
    });
    await service.sandbox('POST', '/clock', { frozen: false });
  });

  it.for([
    { value: -1 },
    { value: 1.005 },
    { value: 600_000.126 },
    { value: 1e14 },
    { currency: 'EURO' },
    { currency: 'eur' },
    { title: ' ' },
  ])('refuses %j', async (body, { service }) => {
    expect((await service.post('/deals', { title: 'Order', ...body })).status).toBe(400);
  });

  // Proves rules deals.3, deals.5.
  it('goes to the stage or the pipeline that a request names', async ({ service }) => {
    const sales = await pipelineOf(service, 'Sales', [{ name: 'New' }, { name: 'Talk' }]);
    const other = await pipelineOf(service, 'Other', [{ name: 'First' }, { name: 'Second' }]);
    const placeOf = ({ pipeline_id: pipeline, stage_id: stage }: Deal) => {
      const found = [sales, other].find(({ id }) => id === pipeline);
      return `${found?.name} ${found?.stages.find(({ id }) => id === stage)?.name}`;
    };
    const deal = await dealOf(service, { pipeline_id: other.id });
    expect(placeOf(deal)).toBe('Other First');
    const put = async (body: object) => await service.put(`/deals/${deal.id}`, body);
    const placed = async (body: object) => placeOf((await put(body)).body.deal as Deal);
    expect(await placed({ stage_id: sales.stages[1]?.id })).toBe('Sales Talk');
    expect(await placed({ pipeline_id: other.id })).toBe('Other First');
    expect(await placed({ stage_id: other.stages[1]?.id, pipeline_id: other.id })).toBe('Other Second');
    expect((await put({ stage_id: sales.stages[1]?.id, pipeline_id: other.id })).status).toBe(400);
    for (const body of [{ stage_id: 'stg_none' }, { pipeline_id: 'ppl_none' }, { contact_id: 'con_none' }]) {
      expect((await put(body)).status).toBe(404);
      expect((await service.post('/deals', { title: 'x', ...body })).status).toBe(404);
    }
    expect(await stagesOf(service, other.id)).toEqual([
      ['First', 'open', 0],
      ['Second', 'open', 1],
    ]);
  });

  // Proves rule deals.4.
  it('has the status of its stage, and is closed while that is not open', async ({ service }) => {
    const { stages } = await pipelineOf(service, 'Sales', [
      { name: 'New' },
      { name: 'Talk' },
      { name: 'Won', kind: 'won' },
      { name: 'Lost', kind: 'lost' },
    ]);
    await service.sandbox('POST', '/clock', { frozen: true });
    const deal = await dealOf(service);
    const times: string[] = [];
    const seen: unknown[] = [];
    for (const index of [1, 2, 3, 3, 0]) {
      const { now } = (await service.sandbox('POST', '/clock/advance', { seconds: 60 })).body;
      times.push(String(now));
      const body = (await service.put(`/deals/${deal.id}`, { stage_id: stages[index]?.id })).body.deal as Record<string, unknown>;
      seen.push([body.status, body.stage_changed_at, body.closed_at]);
    }
    expect(seen).toEqual([
      ['open', times[0], null],
      ['won', times[1], times[1]],
      ['lost', times[2], times[1]],
      ['lost', times[2], times[1]],
      ['open', times[4], null],
    ]);
    const created = (await service.post('/deals', { title: 'x', stage_id: stages[2]?.id })).body.deal;
    expect(created).toMatchObject({ status: 'won', closed_at: times[4] });
    await service.sandbox('POST', '/clock', { frozen: false });
  });

  // Proves rule deals.5.
  it('is found by filters that combine', async ({ service }) => {
    const { id: sales, stages } = await pipelineOf(service, 'Sales', [{ name: 'New' }, { name: 'Won', kind: 'won' }]);
    const contact = await contactOf(service);
    await dealOf(service, { title: 'Straße', contact_id: contact });
    await dealOf(service, { title: 'Big order', contact_id: contact, stage_id: stages[1]?.id });
    await dealOf(service, { title: 'Small ORDER' });
    const other = await pipelineOf(service, 'Other', [{ name: 'First' }]);
    const found = async (query: string) => {
      const { status, body } = await service.get(`/deals?${query}`);
      return status === 200 ? (body.deals as { title: string }[]).map(({ title }) => title) : status;
    };
    expect(await found('')).toEqual(['Small ORDER', 'Big order', 'Straße']);
    expect(await found('search=order')).toEqual(['Small ORDER', 'Big order']);
    expect(await found('search=stRAßE')).toEqual(['Straße']);
    expect(await found(`contact_id=${contact}`)).toEqual(['Big order', 'Straße']);
    expect(await found(`contact_id=${contact}&status=won`)).toEqual(['Big order']);
    expect(await found(`stage_id=${stages[0]?.id}&search=order`)).toEqual(['Small ORDER']);
    expect(await found(`pipeline_id=${sales}&status=open`)).toEqual(['Small ORDER', 'Straße']);
    expect(await found(`pipeline_id=${other.id}&contact_id=${contact}`)).toEqual([]);
    expect(await Promise.all(['pipeline_id=x', 'stage_id=x', 'contact_id=x', 'status=x'].map(found))).toEqual([404, 404, 404, 400]);
    const first = (await service.get('/deals?search=order&limit=1')).body;
    expect(await found(`search=order&limit=1&cursor=${String(first.next_cursor)}`)).toEqual(['Big order']);
  });

  // Proves rule deals.6.
  it('outlives its contact', async ({ service }) => {
    const contact = await contactOf(service);
    const deal = await dealOf(service, { contact_id: contact });
    await service.delete(`/contacts/${contact}`);
    expect((await service.get(`/deals/${deal.id}`)).body.deal).toMatchObject({ contact_id: null });
  });
});

describe('a note', () => {
  // Proves rules notes.1, notes.2, notes.3, notes.4.
  it('is on a contact, a deal or a task, and goes with it', async ({ service }) => {
    const contact = await contactOf(service);
    const deal = await dealOf(service);
    const task = ((await service.post('/tasks', { title: 'Call' })).body.task as { id: string }).id;
    const paths = { contact: `/contacts/${contact}`, deal: `/deals/${deal.id}`, task: `/tasks/${task}` };
    const member = await service.signIn(['contacts.edit', 'contacts.view'], { email: 'ann@shop.example' });
    for (const [type, path] of Object.entries(paths)) {
      const id = path.split('/')[2];
      const record = { entity_type: type, entity_id: id };
      const first = await service.post('/notes', { ...record, text: 'first' });
      const note = { id: expect.stringMatching(/^nte_/), ...record, author: null, text: 'first' };
      expect([first.status, first.body.note]).toEqual([201, { ...note, created_at: expect.any(String), updated_at: expect.any(String) }]);
      await service.post('/notes', { ...record, text: 'second' }, { key: member });
      const list = async () => await service.get(`/notes?entity_type=${type}&entity_id=${id}`);
      expect((await list()).body.notes).toMatchObject([{ text: 'second', author: 'ann@shop.example' }, { text: 'first' }]);
      const { id: noteId } = first.body.note as { id: string };
      expect((await service.delete(`/notes/${noteId}`)).status).toBe(200);
      expect((await service.delete(`/notes/${noteId}`)).status).toBe(404);
      expect((await list()).body.notes).toHaveLength(1);
      await service.delete(path);
      expect((await list()).status).toBe(404);
    }
    const left = await service.write(
      async (db) => await db.selectFrom('notes').select('id').where('account_id', '=', service.accountId).execute(),
    );
    expect(left).toEqual([]);
    for (const body of [{ entity_type: 'deal', entity_id: 'dea_none', text: 'x' }])
      expect((await service.post('/notes', body)).status).toBe(404);
    expect((await service.post('/notes', { entity_type: 'task', entity_id: deal.id, text: 'x' })).status).toBe(404);
    expect((await service.get('/notes')).status).toBe(400);
    expect((await service.get('/notes?entity_type=task')).status).toBe(400);
  });
});

describe('a timeline', () => {
  const itemsOf = async (service: TestService, type: string, id: string) =>
    (await service.get(`/analytics/entity-activity?entityType=${type}&entityId=${id}`)).body.items as { kind: string }[];

  // Proves rules analytics.51, analytics.52, analytics.57.
  it('has the notes and the stages of a deal', async ({ service }) => {
    const { stages } = await pipelineOf(service, 'Sales', [{ name: 'New' }, { name: 'Won', kind: 'won' }]);
    const contact = await contactOf(service);
    const deal = await dealOf(service, { contact_id: contact });
    await service.put(`/deals/${deal.id}`, { stage_id: stages[1]?.id });
    await service.post('/notes', { entity_type: 'deal', entity_id: deal.id, text: 'Paid' });
    expect(await itemsOf(service, 'deal', deal.id)).toEqual(
      expect.arrayContaining([
        { id: expect.stringMatching(/^nte_/), kind: 'note', at: expect.any(String), label: 'Note: Paid', from: null, to: null },
        { id: deal.id, kind: 'status_change', at: expect.any(String), label: 'The deal went from New to Won', from: 'New', to: 'Won' },
        { id: deal.id, kind: 'deal', at: expect.any(String), label: 'Deal created: Order', from: null, to: null },
      ]),
    );
    expect((await itemsOf(service, 'contact', contact)).map(({ kind }) => kind)).toEqual(['deal']);
    expect((await service.get('/analytics/entity-activity?entityType=deal&entityId=dea_none')).status).toBe(404);
  });

  // Proves rules analytics.53, analytics.57.
  it('has the statuses of a contact', async ({ service }) => {
    const contact = await contactOf(service);
    await service.post(`/contacts/${contact}/pause`);
    await service.put(`/contacts/${contact}`, { do_not_disturb: true });
    await service.post(`/contacts/${contact}/resume`);
    await service.put(`/contacts/${contact}`, { archived: true });
    await service.put(`/contacts/${contact}`, { do_not_disturb: false });
    await service.post(`/contacts/${contact}/unarchive`);
    const changes = (await itemsOf(service, 'contact', contact)) as unknown as { kind: string; from: string; to: string }[];
    expect(changes.filter(({ kind }) => kind === 'status_change').map(({ from, to }) => `${from} ${to}`)).toEqual([
      'archived active',
      'do_not_disturb archived',
      'paused do_not_disturb',
      'active paused',
    ]);
  });
});
