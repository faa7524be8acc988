import { html, Site } from '../../support/site.ts';
import { describe, expect } from 'vitest';
import type { Writer } from '../../../src/service/areas/answers/writer.ts';
import { sources } from '../../../src/service/areas/kb/table.ts';
import { it } from '../../support/account-test.ts';
import { epoch, TestService } from '../../support/test-service.ts';

async function create(service: TestService, body: Record<string, unknown> = {}): Promise<string> {
  const answer = await service.post('/agents', { name: 'Ada', ...body });
  expect(answer.body).toMatchObject({ success: true });
  expect(answer.status).toBe(201);
  return answer.body.agent_id as string;
}

async function get(service: TestService, id: string, fields?: string) {
  return (await service.get(`/agents/${id}${fields === undefined ? '' : `?fields=${fields}`}`)).body.agent;
}

async function makeSource(service: TestService, account = service.accountId): Promise<string> {
  return await service.write(async (db) => (await sources.create(db, account, { status: 'ready' }, epoch)).id);
}

async function setPlan(service: TestService, plan: Record<string, unknown>): Promise<void> {
  await service.sandbox('PATCH', `/accounts/${service.accountId}`, { plan });
}

/** All fields of a new agent. */
const fresh = {
  name: 'Ada',
  active: true,
  language: null,
  goal: null,
  instructions: null,
  rules: null,
  personality: null,
  tags: [],
  ai_model_tier: null,
  ai_speed: null,
  ai_transparency: null,
  max_messages: null,
  alert_human_when: null,
  timezone: 'UTC',
  availability: {},
  enable_bookings: false,
  booking_provider: 'default',
  event_id: null,
  event_ids: [],
  enable_follow_ups: false,
  follow_up_config: null,
  faq_refs: [],
  faq_refs_count: 0,
  kb_source_refs: [],
  previous: null,
  custom_function_ids: [],
  mcp_server_ids: [],
  kb_source_refs_count: 0,
  draft: null,
  optimize_run: null,
  tag_generation: null,
  substrate_campaign_id: null,
  created_at: epoch,
  last_modified_at: epoch,
};

describe('an agent', () => {
  // Proves rules agents.6, agents.7.
  it('is created with a name and defaults for all other fields', async ({ service }) => {
    const answer = await service.post('/agents', { name: 'Ada' });
    expect(answer.body).toEqual({
      success: true,
      agent_id: expect.stringMatching(/^agt_/),
      substrate_campaign_id: null,
      agent_generation_queued: false,
    });
    expect(await get(service, answer.body.agent_id)).toEqual({ id: answer.body.agent_id, ...fresh });
    expect((await service.post('/agents', {})).status).toBe(400);
    expect((await service.post('/agents', { name: null })).status).toBe(400);
    const full = { active: false, goal: 'Sell', timezone: 'Europe/Berlin', max_messages: 3, follow_up_config: { after: { hours: 2 } } };
    expect(await get(service, await create(service, full))).toMatchObject(full);
  });

  // Proves rules agents.1, agents.2.
  it('has a summary with a shortened goal', async ({ service }) => {
    const long = await create(service, { goal: '🙂'.repeat(201), rules: 'none' });
    const exact = await create(service, { goal: '🙂'.repeat(200), ai_speed: 'thorough', tags: [{ name: 'VIP' }] });
    const { agents } = (await service.get('/agents?view=summary')).body;
    expect(agents.map((each: { id: string }) => each.id)).toEqual([exact, long]);
    expect(agents[1].goal).toBe(`${'🙂'.repeat(200)}…`);
    expect(agents[0]).toEqual({
      id: exact,
      name: 'Ada',
      active: true,
      language: null,
      goal: '🙂'.repeat(200),
      tags: [{ name: 'VIP', description: null, webhook: null, ai_can_remove: false, tag_id: expect.any(String) }],
      ai_model_tier: null,
      ai_speed: 'thorough',
      enable_bookings: false,
      enable_follow_ups: false,
      faq_refs_count: 0,
      kb_source_refs_count: 0,
      created_at: epoch,
      last_modified_at: epoch,
    });
    expect((await service.get('/agents?view=full')).status).toBe(400);
  });

  // Proves rules agents.3, agents.4.
  it('returns the requested fields, or all', async ({ service }) => {
    const ids: string[] = [];
    for (let number = 0; number < 9; number++) ids.unshift(await create(service, { goal: 'Sell', name: `Agent ${number}` }));
    expect(await get(service, ids[0] as string, 'goal,nothing, last_modified_at')).toEqual({
      id: ids[0],
      goal: 'Sell',
      last_modified_at: epoch,
    });
    expect(await get(service, ids[0] as string, '')).toEqual({ id: ids[0] });
    expect((await service.get('/agents?view=summary&fields=name,rules')).body.agents[0]).toEqual({ id: ids[0], name: 'Agent 8' });
    const { agents } = (await service.get('/agents?fields=name')).body;
    expect(agents.map((each: { id: string }) => each.id)).toEqual(ids);
    expect(agents[0]).toEqual({ id: ids[0], ...fresh, name: 'Agent 8', goal: 'Sell' });
    expect((await service.get('/agents/agt_none')).status).toBe(404);
  });
});

describe('an update', () => {
  // Proves rules agents.8, agents.9.
  it('changes the given fields, and ignores fields that cannot be set', async ({ service }) => {
    const id = await create(service, { goal: 'Sell', rules: 'Be kind' });
    service.clock.now += 1000;
    expect(
      (await service.put(`/agents/${id}`, { goal: null, id: 'agt_x', draft: {}, 'draft.goal': 'x', 'nothing.at': 1, name: 'Grace' })).body,
    ).toEqual({ success: true, agent_id: id });
    expect(await get(service, id)).toMatchObject({
      id,
      goal: null,
      rules: 'Be kind',
      name: 'Grace',
      draft: null,
      last_modified_at: epoch + 1000,
    });
    service.clock.now -= 1000;
    for (const body of [{}, { id: 'agt_x' }, { 'draft.goal': 'x' }]) {
      const answer = await service.put(`/agents/${id}`, body);
      expect(answer.status).toBe(400);
      expect(answer.body.error).toBe('No fields to update');
    }
    for (const body of [{ name: null }, { active: null }, { tags: null }, { timezone: null }, { max_messages: 0 }, { ai_speed: 'slow' }])
      expect((await service.put(`/agents/${id}`, body)).status, JSON.stringify(body)).toBe(400);
    expect((await service.put('/agents/agt_none', { name: 'x' })).status).toBe(404);
  });

  // Proves rules agents.10, agents.11.
  it('changes part of a field with a dotted key', async ({ service }) => {
    const monday = { start_time: '09:00', end_time: '17:00' };
    const id = await create(service, { availability: { monday, friday: [] } });
    const tuesday = [{ start_time: '22:00', end_time: '06:00' }];
    const change = { 'availability.tuesday': tuesday, 'availability.monday.end_time': '18:00', 'follow_up_config.after.hours': 2 };
    expect((await service.put(`/agents/${id}`, change)).status).toBe(200);
    expect(await get(service, id, 'availability,follow_up_config')).toEqual({
      id,
      availability: { monday: { ...monday, end_time: '18:00' }, tuesday, friday: [] },
      follow_up_config: { after: { hours: 2 } },
    });
    await service.put(`/agents/${id}`, { follow_up_config: { a: [1] }, 'follow_up_config.b': null });
    expect(JSON.stringify((await get(service, id)).follow_up_config)).toBe('{"a":[1],"b":null}');
    for (const [key, value] of [
      ['goal.x', 1],
      ['tags.0', {}],
      ['availability.funday', []],
      ['availability.funday.start_time', '10:00'],
      ['availability.monday', { start_time: '9', end_time: '10:00' }],
      ['availability.monday.end_time', 'late'],
      ['availability.tuesday.end_time', '10:00'],
      ['availability.', []],
      ['follow_up_config.a.b', 1],
      ['follow_up_config..b', 1],
      ['follow_up_config.__proto__.x', 1],
      ['follow_up_config.a\0', 1],
      ['follow_up_config', { a: [{ b: '\0' }] }],
      [`follow_up_config${'.a'.repeat(200)}`, 1],
    ] as const) {
      const answer = await service.put(`/agents/${id}`, { [key]: value });
      expect(answer.status, key).toBe(400);
      expect(answer.body.error).not.toBe('No fields to update');
    }
    expect(({} as { x?: number }).x).toBeUndefined();
    expect((await service.put('/agents/agt_none', { 'availability.funday': [] })).status).toBe(400);
  });

  // Proves rule agents.12.
  it('through bot-config accepts only undotted names of bot fields', async ({ service }) => {
    const id = await create(service, { goal: 'Sell' });
    expect((await service.put(`/agents/${id}/bot-config`, { language: 'de', ai_transparency: true, name: 'x' })).status).toBe(200);
    expect(await get(service, id)).toMatchObject({ language: 'de', ai_transparency: true, name: 'Ada', goal: 'Sell' });
    for (const body of [{}, { name: 'x' }, { 'availability.monday': [] }, { language: 'en', 'a.b': 1 }, { max_messages: -1 }])
      expect((await service.put(`/agents/${id}/bot-config`, body)).status, JSON.stringify(body)).toBe(400);
    expect((await service.put('/agents/agt_none/bot-config', { language: 'de' })).status).toBe(404);
  });

  // Proves rules agents.13, agents.21.
  it('through active-hours keeps the other days', async ({ service }) => {
    const day = { start_time: '09:00', end_time: '17:00' };
    const id = await create(service, { availability: { monday: day, tuesday: day } });
    expect((await service.put(`/agents/${id}/active-hours`, { availability: { tuesday: [], sunday: day } })).body).toEqual({
      success: true,
      agent_id: id,
    });
    expect((await get(service, id)).availability).toEqual({ monday: day, tuesday: [], sunday: day });
    const wrong = await service.put(`/agents/${id}/active-hours`, { availability: { monday: day, funday: day } });
    expect(wrong.status).toBe(400);
    expect(wrong.body.error).toContain('Invalid availability keys: funday');
    expect(wrong.body.error).toContain('monday, tuesday, wednesday, thursday, friday, saturday, sunday');
    expect((await service.put(`/agents/${id}/active-hours`, {})).status).toBe(400);
  });

  // Proves rule agents.14.
  it('through /active requires a boolean', async ({ service }) => {
    const id = await create(service);
    expect((await service.patch(`/agents/${id}/active`, { active: false })).body).toEqual({ success: true, agent_id: id, active: false });
    expect((await get(service, id)).active).toBe(false);
    for (const body of [{}, { active: 'yes' }, { active: null }])
      expect((await service.patch(`/agents/${id}/active`, body)).status).toBe(400);
    expect((await service.patch('/agents/agt_none/active', { active: true })).status).toBe(404);
  });

  // Proves rule agents.16.
  it('returns 404 and changes nothing if an event type is unknown', async ({ service }) => {
    const { event } = (await service.post('/events', { name: 'Visit' })).body;
    const id = await create(service, { event_id: event.id });
    const answer = await service.put(`/agents/${id}`, { goal: 'x', event_ids: [event.id, 'evn_none'] });
    expect(answer.status).toBe(404);
    expect(await get(service, id)).toMatchObject({ event_id: event.id, event_ids: [], goal: null });
  });
});

// Proves rule events.11.
it('deleting an event type removes it from the agents that refer to it', async ({ service }) => {
  const [gone, kept] = await Promise.all(['gone', 'kept'].map(async (name) => (await service.post('/events', { name })).body.event.id));
  const id = await create(service, { event_id: gone, event_ids: [gone, kept] });
  const other = await create(service, { event_id: kept, event_ids: [gone] });
  await service.delete(`/events/${gone}`);
  expect(await get(service, id, 'event_id,event_ids')).toEqual({ id, event_id: null, event_ids: [kept] });
  expect(await get(service, other, 'event_id,event_ids')).toEqual({ id: other, event_id: kept, event_ids: [] });
});

describe('availability', () => {
  // Proves rules agents.21, agents.23, agents.24.
  it.for([
    [{ monday: { start_time: '22:00', end_time: '06:00' } }, 201],
    [{ monday: { start_time: '00:00', end_time: '24:00' } }, 201],
    [{ monday: { start_time: '10:00', end_time: '10:00' } }, 201],
    [{ monday: { start_time: '24:00', end_time: '06:00' } }, 400],
    [{ monday: { start_time: '9:00', end_time: '17:00' } }, 400],
    [{ monday: { start_time: '09:00' } }, 400],
    [{ Monday: [] }, 400],
    [{ monday: null }, 400],
    [[], 400],
  ] as const)('%j returns %i', async ([availability, status], { service }) => {
    expect((await service.post('/agents', { name: 'Ada', availability })).status).toBe(status);
  });

  it.for(['Mars/Olympus', '+01:00', ''])('rejects the time zone %j', async (timezone, { service }) => {
    expect((await service.post('/agents', { name: 'Ada', timezone })).status).toBe(400);
  });
});

describe('plan limits', () => {
  // Proves rule agents.18.
  it('hold when ten requests arrive at the same time', async ({ service }) => {
    await setPlan(service, { max_agents: 5 });
    const first = await create(service);
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, () => service.post('/agents', { name: 'Race' })),
      ...Array.from({ length: 5 }, () => service.post(`/agents/${first}/duplicate`)),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(4).fill(201), ...Array<number>(6).fill(403)]);
    expect((await service.get('/agents?view=summary')).body.agents).toHaveLength(5);
    expect(answers.find(({ status }) => status === 403)?.body.error_code).toBe(403);
  });

  // Proves rules agents.19, agents.20.
  it('bound the size of an agent to the byte', async ({ service }) => {
    const id = await create(service);
    const settable = Object.keys(fresh).filter(
      (field) => !/_refs|_run|_generation|^draft|substrate|_at$|^(custom_function|mcp_server)_ids$|^previous$/.test(field),
    );
    const bytes = async () => {
      const agent = await get(service, id);
      return Buffer.byteLength(JSON.stringify(Object.fromEntries(settable.map((field) => [field, agent[field]]))));
    };
    await setPlan(service, { max_agent_bytes: 2000 });
    await service.put(`/agents/${id}`, { goal: 'é' });
    const room = 2000 - (await bytes());
    const filled = 'é'.repeat(1 + Math.floor(room / 2)) + 'x'.repeat(room % 2);
    expect((await service.put(`/agents/${id}/bot-config`, { goal: `${filled}x` })).status).toBe(400);
    expect((await get(service, id)).goal).toBe('é');
    expect((await service.put(`/agents/${id}/bot-config`, { goal: filled })).status).toBe(200);
    expect(await bytes()).toBe(2000);
    expect((await service.put(`/agents/${id}`, { 'follow_up_config.x': 1 })).status).toBe(400);
    expect((await service.post(`/agents/${id}/tags`, { tag: { name: 'VIP' } })).status).toBe(400);
    expect((await service.get('/tags')).body.tags).toEqual([]);
    expect((await service.post('/agents', { name: 'Ada', goal: 'x'.repeat(2000) })).status).toBe(400);
    await setPlan(service, { max_agent_bytes: 524_288 });
    expect((await service.post('/agents', { name: 'Ada', instructions: 'x'.repeat(523_000) })).status).toBe(201);
    expect((await service.post('/agents', { name: 'Ada', instructions: 'x'.repeat(524_288) })).status).toBe(400);
  });

  // Proves rule agents.15.
  it('restrict the model tiers, however the tier is set', async ({ service }) => {
    const id = await create(service, { ai_model_tier: 'max' });
    await setPlan(service, { ai_model_tiers: ['economy'] });
    expect((await service.post('/agents', { name: 'Ada', ai_model_tier: 'max' })).status).toBe(403);
    expect((await service.put(`/agents/${id}`, { ai_model_tier: 'standard' })).status).toBe(403);
    expect((await service.put(`/agents/${id}/bot-config`, { ai_model_tier: 'mini' })).status).toBe(403);
    expect((await service.put('/agents/agt_none', { ai_model_tier: 'max' })).status).toBe(404);
    expect((await service.put('/agents/agt_none/bot-config', { ai_model_tier: 'max' })).status).toBe(404);
    // Unknown ids are reported first (rule conventions.27).
    for (const unknown of [{ event_id: 'evt_none' }, { tags: [{ name: 'VIP', tag_id: 'tag_none' }] }]) {
      expect((await service.post('/agents', { name: 'Ada', ai_model_tier: 'max', ...unknown })).status).toBe(404);
      expect((await service.put(`/agents/${id}`, { ai_model_tier: 'max', ...unknown })).status).toBe(404);
    }
    expect((await service.post(`/agents/${id}/duplicate`)).status).toBe(403);
    expect((await service.put(`/agents/${id}`, { goal: 'still' })).status).toBe(200);
    expect((await service.put(`/agents/${id}`, { ai_model_tier: 'economy' })).status).toBe(200);
  });
});

// Proves rule agents.17.
it('a duplicate of an agent has its rules and sources, but not its draft', async ({ service }) => {
  const id = await create(service, { goal: 'Sell', active: false, tags: [{ name: 'VIP' }], name: '😀'.repeat(200) });
  const source = await makeSource(service);
  await service.post(`/agents/${id}/kb-sources`, { kb_source_id: source });
  const answer = await service.post(`/agents/${id}/duplicate`);
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({ success: true, agent_id: expect.stringMatching(/^agt_/), source_agent_id: id });
  const [original, copy] = [await get(service, id), await get(service, answer.body.agent_id)];
  expect(copy).toEqual({ ...original, id: answer.body.agent_id, name: `${'😀'.repeat(193)} (copy)` });
  expect(copy.kb_source_refs).toEqual([source]);
  expect((await service.post('/agents/agt_none/duplicate')).status).toBe(404);
});

describe('a tagging rule', () => {
  // Proves rules agents.25, agents.29.
  it('is linked to a tag by id or by name', async ({ service }) => {
    const { tag } = (await service.post('/tags', { name: 'vip' })).body;
    const id = await create(service);
    const named = await service.post(`/agents/${id}/tags`, { tag: { name: 'VIP', description: 'Says "big order"' } });
    expect(named.body).toEqual({
      success: true,
      agent_id: id,
      tag: { name: 'VIP', description: 'Says "big order"', webhook: null, ai_can_remove: false, tag_id: tag.id },
    });
    const made = await service.post(`/agents/${id}/tags`, { tag: { name: 'New' } });
    expect((await service.get('/tags')).body.tags.map((each: { name: string }) => each.name)).toEqual(['New', 'vip']);
    expect((await service.delete(`/agents/${id}/tags/${made.body.tag.tag_id}`)).body).toEqual({ success: true });
    const linked = await service.post(`/agents/${id}/tags`, { tag: { name: 'Else', tag_id: made.body.tag.tag_id, ai_can_remove: true } });
    expect(linked.body.tag).toMatchObject({ name: 'Else', tag_id: made.body.tag.tag_id });
    expect((await get(service, id)).tags.map((each: { name: string }) => each.name)).toEqual(['VIP', 'Else']);
    for (const [path, body] of [
      [`/agents/${id}/tags`, { tag: { name: 'x', tag_id: 'tag_none' } }],
      ['/agents/agt_none/tags', { tag: { name: 'x' } }],
    ] as const)
      expect((await service.post(path, body)).status).toBe(404);
    expect((await service.put(`/agents/${id}/tags/tag_none`, { tag: { name: 'x' } })).status).toBe(404);
    expect((await service.put(`/agents/agt_none/tags/${tag.id}`, { tag: { name: 'x' } })).status).toBe(404);
    expect((await service.delete(`/agents/${id}/tags/tag_none`)).status).toBe(404);
  });

  // Proves rules agents.26, agents.30.
  it('is unique for its tag', async ({ service }) => {
    const id = await create(service, { tags: [{ name: 'VIP' }] });
    expect((await service.post(`/agents/${id}/tags`, { tag: { name: 'vip' } })).status).toBe(409);
    const twice = { tags: [{ name: 'one' }, { name: 'ONE' }] };
    expect((await service.put(`/agents/${id}`, twice)).status).toBe(409);
    expect((await service.post('/agents', { name: 'Ada', ...twice })).status).toBe(409);
    expect((await service.put(`/agents/${id}`, { tags: [{ name: 'a' }, { name: 'b' }] })).status).toBe(200);
    expect((await get(service, id)).tags.map((each: { name: string }) => each.name)).toEqual(['a', 'b']);
  });

  // Proves rules agents.27, agents.28.
  it('is replaced as a whole and stays linked; deleting it keeps the tag', async ({ service }) => {
    const id = await create(service, { tags: [{ name: 'VIP', description: 'old', ai_can_remove: true }] });
    const [rule] = (await get(service, id)).tags;
    const { tag: other } = (await service.post('/tags', { name: 'other' })).body;
    expect((await service.put(`/agents/${id}/tags/${rule.tag_id}`, { tag: { name: 'Renamed', tag_id: other.id } })).body).toEqual({
      success: true,
    });
    expect((await get(service, id)).tags).toEqual([
      { name: 'Renamed', description: null, webhook: null, ai_can_remove: false, tag_id: rule.tag_id },
    ]);
    const { contact } = (await service.post('/contacts', { phone_number: '+14155550123' })).body;
    await service.post(`/contacts/${contact.id}/tags`, { tag_id: rule.tag_id });
    await service.delete(`/agents/${id}/tags/${rule.tag_id}`);
    expect((await get(service, id)).tags).toEqual([]);
    expect((await service.get(`/contacts/${contact.id}`)).body.contact.tags).toEqual([{ id: rule.tag_id, name: 'VIP' }]);
  });

  // Proves rules agents.26, agents.29.
  it('survives the deletion of its tag, and then applies to a tag with its name', async ({ service }) => {
    const id = await create(service, { tags: [{ name: 'VIP', description: 'Says "big order"' }, { name: 'kept' }] });
    const [rule, kept] = (await get(service, id)).tags;
    await service.delete(`/tags/${rule.tag_id}`);
    expect((await get(service, id)).tags).toEqual([rule, kept]);
    expect((await service.post(`/agents/${id}/tags`, { tag: { name: 'vip' } })).status).toBe(409);
    // A tag id that is known only from another agent's rule is unknown.
    expect((await service.post('/agents', { name: 'Bob', tags: [rule] })).status).toBe(404);
    expect((await service.put(`/agents/${id}`, { tags: [rule, kept] })).status).toBe(200);
    const { tags } = (await service.get('/tags')).body;
    expect((await get(service, id)).tags).toEqual([{ ...rule, tag_id: tags[0].id }, kept]);
    expect([tags.length, tags[0].name]).toEqual([2, 'VIP']);
  });

  // Proves rule agents.31.
  it('is limited to 100 per agent', async ({ service }) => {
    const rules = Array.from({ length: 100 }, (_, number) => ({ name: `rule ${number}` }));
    expect((await service.post('/agents', { name: 'Ada', tags: [...rules, { name: 'more' }] })).status).toBe(400);
    const id = await create(service, { tags: rules });
    expect((await service.post(`/agents/${id}/tags`, { tag: { name: 'more' } })).status).toBe(400);
  });
});

// Proves rule agents.32.
it('the webhook of a tagging rule must be an allowed webhook address', async () => {
  const resolve = async (name: string) => (name === 'inside.example' ? ['10.0.0.1'] : ['93.184.216.34']);
  const strict = await TestService.open({ receivers: { allowPrivate: false, resolve } });
  try {
    const tag = (webhook: string) => ({ tag: { name: 'VIP', webhook } });
    const id = (await strict.post('/agents', { name: 'Ada' })).body.agent_id;
    for (const webhook of ['http://hook.example', 'https://localhost', 'https://10.0.0.1', 'https://inside.example', 'nonsense', '']) {
      const added = await strict.post(`/agents/${id}/tags`, tag(webhook));
      expect([added.status, added.body.error], webhook).toEqual([400, expect.stringMatching(/^tag\.webhook: /)]);
      const set = await strict.put(`/agents/${id}`, { tags: [tag(webhook).tag] });
      expect([set.status, set.body.error]).toEqual([400, expect.stringMatching(/^tags\.0\.webhook: /)]);
    }
    expect((await strict.post(`/agents/${id}/tags`, tag('https://hook.example/tagged'))).status).toBe(200);
  } finally {
    await strict.close();
  }
});

describe('the sources of an agent', () => {
  // Proves rules agents.33, agents.34.
  it('are attached and detached', async ({ service }) => {
    const id = await create(service);
    const [one, two, three] = [await makeSource(service), await makeSource(service), await makeSource(service)];
    expect((await service.post(`/agents/${id}/kb-sources`, { kb_source_id: one })).body).toEqual({
      success: true,
      agent_id: id,
      kb_source_id: one,
      kb_source_ids: [one],
    });
    const several = await service.post(`/agents/${id}/kb-sources`, { kb_source_ids: [two, one, three] });
    expect(several.body).toMatchObject({ kb_source_id: two, kb_source_ids: [two, one, three] });
    expect(await get(service, id)).toMatchObject({ kb_source_refs: [one, two, three], kb_source_refs_count: 3 });
    expect((await service.delete(`/agents/${id}/kb-sources/${two}`)).body).toEqual({ success: true });
    expect((await service.delete(`/agents/${id}/kb-sources/${two}`)).status).toBe(200);
    expect((await service.post(`/agents/${id}/kb-sources/bulk-remove`, { kb_source_ids: [one, two] })).body).toEqual({
      success: true,
      agent_id: id,
      kb_source_ids: [one, two],
    });
    expect((await get(service, id)).kb_source_refs).toEqual([three]);
  });

  it('must belong to the same account', async ({ service }) => {
    const id = await create(service);
    const own = await makeSource(service);
    const foreign = await makeSource(service, (await service.makeAccount()).account_id);
    for (const body of [{ kb_source_ids: [own, foreign] }, { kb_source_id: 'src_none' }])
      expect((await service.post(`/agents/${id}/kb-sources`, body)).status).toBe(404);
    for (const body of [{}, { kb_source_ids: [] }, { kb_source_id: own, kb_source_ids: [own] }])
      expect((await service.post(`/agents/${id}/kb-sources`, body)).status).toBe(400);
    expect((await service.post(`/agents/${id}/kb-sources/bulk-remove`, { kb_source_ids: [own, foreign] })).status).toBe(404);
    expect((await service.delete(`/agents/${id}/kb-sources/${foreign}`)).status).toBe(404);
    expect((await get(service, id)).kb_source_refs).toEqual([]);
  });
});

describe('deleting an agent', () => {
  // Proves rules agents.35, agents.36.
  it('is refused while something refers to it', async ({ service }) => {
    const id = await create(service);
    const { campaign } = (await service.post('/campaigns', { name: 'Spring', agent_id: id })).body;
    const { contact } = (await service.post('/contacts', { phone_number: '+14155550123' })).body;
    const body = { name: 'Offer', channel: 'chatapp', body: 'Hi', contact_ids: [contact.id], agent_id: id };
    const { broadcast } = (await service.post('/broadcasts', body)).body;
    const refused = await service.delete(`/agents/${id}`);
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({
      error_code: 409,
      blocking_campaign_ids: [campaign.id],
      blocking_broadcast_ids: [broadcast.id],
      blocking_entry_point_ids: [],
    });
    await service.put(`/campaigns/${campaign.id}`, { agent_id: null });
    await service.post(`/broadcasts/${broadcast.id}/submit`);
    await service.post(`/broadcasts/${broadcast.id}/approve`);
    await service.sandbox('POST', '/settle');
    expect((await service.get(`/broadcasts/${broadcast.id}`)).body.broadcast).toMatchObject({ status: 'Failed', agent_id: id });
    expect((await service.delete(`/agents/${id}`)).body).toEqual({ success: true, agent_id: id });
    expect((await service.get(`/broadcasts/${broadcast.id}`)).body.broadcast.agent_id).toBeNull();
    expect((await service.get(`/agents/${id}`)).status).toBe(404);
    expect((await service.delete(`/agents/${id}`)).status).toBe(404);
  });
});

describe('a draft', () => {
  // Proves rules agents.39, agents.40, agents.49.
  it('is published or discarded', async ({ service }) => {
    const id = await create(service, { goal: 'Sell', rules: 'Be kind' });
    const draft = { rules: 'Be brief', instructions: 'Answer' };
    const setDraft = () =>
      service.write((db) =>
        db
          .updateTable('agents')
          .set({ draft: JSON.stringify(draft) })
          .where('id', '=', id)
          .execute(),
      );
    expect((await service.post(`/agents/${id}/publish-draft`)).status).toBe(500);
    expect((await service.post(`/agents/${id}/discard-draft`)).body).toEqual({ success: true });
    await setDraft();
    expect(await get(service, id)).toMatchObject({ rules: 'Be kind', draft });
    await service.post(`/agents/${id}/discard-draft`);
    expect((await get(service, id)).draft).toBeNull();
    await setDraft();
    expect((await service.post(`/agents/${id}/publish-draft`)).body).toEqual({
      success: true,
      agent_id: id,
      published_keys: ['instructions', 'rules'],
    });
    expect(await get(service, id)).toMatchObject({
      goal: 'Sell',
      ...draft,
      draft: null,
      previous: { instructions: null, rules: 'Be kind' },
    });
    await service.put(`/agents/${id}`, { rules: 'Be brief', previous: { rules: 'forged' } });
    expect((await get(service, id)).previous).toEqual({ instructions: null, rules: 'Be kind' });
    const copy = (await service.post(`/agents/${id}/duplicate`)).body.agent_id as string;
    expect((await get(service, copy)).previous).toBeNull();
    expect(service.errors).toEqual([]);
  });
});

describe('a generation run', () => {
  const balance = async (service: TestService) => (await service.get('/users/me/credits')).body.balance as number;

  const settle = (service: TestService) => service.sandbox('POST', '/settle');

  const hold = (service: TestService, kinds: string[]) => service.sandbox('POST', '/jobs', { hold: kinds });

  const ledger = async (service: TestService) =>
    await service.write((db) =>
      db
        .selectFrom('credit_ledger')
        .select(['reason', 'millionths', 'agent_id'])
        .where('account_id', '=', service.accountId)
        .orderBy('seq')
        .execute(),
    );

  // Proves rules agents.41, agents.43, credits.32.
  it('drafts a configuration for 5 credits (optimize)', async ({ service }) => {
    const id = await create(service, { instructions: 'Be kind', rules: 'No jokes' });
    await hold(service, ['agent_optimize']);
    expect(await service.post(`/agents/${id}/optimize`, { user_feedback: 'Be brief' })).toMatchObject({
      status: 202,
      body: { success: true, agent_id: id },
    });
    expect(await balance(service)).toBe(995);
    expect((await get(service, id)).optimize_run).toEqual({ status: 'Running', started_at: epoch, ended_at: null, error: null });
    expect((await service.post(`/agents/${id}/optimize`, { user_feedback: 'Again' })).status).toBe(409);
    expect(await balance(service)).toBe(995);
    await hold(service, []);
    await settle(service);
    const { draft, optimize_run: run, instructions } = await get(service, id);
    expect(run).toEqual({ status: 'Draft', started_at: epoch, ended_at: epoch, error: null });
    expect(draft).toEqual({ instructions: 'Be kind\nBe brief.' });
    expect(instructions).toBe('Be kind');
    const calls = await service.write((db) =>
      db.selectFrom('ai_calls').select(['kind', 'ledger_id', 'agent_id']).where('account_id', '=', service.accountId).execute(),
    );
    expect(calls).toEqual([{ kind: 'optimize', ledger_id: expect.stringMatching(/^led_/), agent_id: id }]);
  });

  // Proves rules agents.41, agents.43.
  it('drafts each configuration from the live one, and publishes the last (optimize)', async ({ service }) => {
    const id = await create(service, { instructions: 'Be kind', rules: 'No jokes' });
    await service.post(`/agents/${id}/optimize`, { user_feedback: 'Be brief' });
    await settle(service);
    await service.post(`/agents/${id}/optimize`, { thumbs_down_feedback: 'Too long', thumbs_down_message: 'Blah' });
    await settle(service);
    expect((await get(service, id)).draft.instructions).toContain('Too long');
    expect((await get(service, id)).draft.instructions).not.toContain('Be brief');
    expect((await service.post(`/agents/${id}/optimize`, { thumbs_down_feedback: 'Too stiff' })).status).toBe(202);
    await settle(service);
    expect((await get(service, id)).draft).toEqual({ instructions: 'Be kind\nToo stiff.' });
    expect((await service.post(`/agents/${id}/publish-draft`)).body.published_keys).toEqual(['instructions']);
    const calls = await service.write((db) =>
      db.selectFrom('ai_calls').select(['kind', 'agent_id']).where('account_id', '=', service.accountId).execute(),
    );
    expect(calls).toEqual(Array(3).fill({ kind: 'optimize', agent_id: id }));
  });

  // Proves rule agents.41.
  it('needs feedback and an agent (optimize)', async ({ service }) => {
    const id = await create(service);
    for (const body of [
      {},
      { user_feedback: ' ' },
      { user_feedback: 1 },
      { thumbs_down_message: 'x' },
      { thumbs_down_feedback: ' ', thumbs_down_message: 'x' },
    ])
      expect((await service.post(`/agents/${id}/optimize`, body)).status).toBe(400);
    expect((await service.post('/agents/agt_none/optimize', { user_feedback: 'x' })).status).toBe(404);
  });

  // Proves rules agents.42, agents.43, credits.32.
  it('drafts tagging rules for 2 credits (tags)', async ({ service }) => {
    const id = await create(service, { tags: [{ name: 'Complaint', description: 'own' }] });
    expect(await service.post(`/agents/${id}/tags/generate`, {})).toMatchObject({ status: 202, body: { agent_id: id, mode: 'merge' } });
    expect((await service.post(`/agents/${id}/tags/generate`, { mode: 'replace' })).status).toBe(409);
    expect(await balance(service)).toBe(998);
    await settle(service);
    const merged = await get(service, id);
    expect(merged.tag_generation).toEqual({ status: 'Completed', started_at: epoch, ended_at: epoch, error: null });
    expect(merged.tags.length).toBeGreaterThan(1);
    expect(merged.tags[0]).toMatchObject({ name: 'Complaint', description: 'own' });
    expect(new Set(merged.tags.map((each: { tag_id: string }) => each.tag_id)).size).toBe(merged.tags.length);
    expect((await service.post(`/agents/${id}/tags/generate`, { mode: 'replace' })).body.mode).toBe('replace');
    await settle(service);
    const replaced = (await get(service, id)).tags;
    expect(replaced.find((each: { description: string }) => each.description === 'own')).toBeUndefined();
    expect((await service.post(`/agents/${id}/tags/generate`, { mode: 'all' })).status).toBe(400);
    expect((await service.post('/agents/agt_none/tags/generate', {})).status).toBe(404);
  });

  // Proves rules agents.43, agents.44.
  it('fails and adds no tags if they make the agent too large', async ({ service }) => {
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { plan: { max_agent_bytes: 1500 } });
    const id = await create(service, { instructions: 'Sell bicycles and helmets. Repair bicycles and helmets. '.repeat(18) });
    const tagNames = async () => (await service.get('/tags')).body.tags.map(({ name }: { name: string }) => name);
    const before = await tagNames();
    await service.post(`/agents/${id}/tags/generate`, {});
    await settle(service);
    expect(await get(service, id)).toMatchObject({
      tag_generation: { status: 'Failed', error: expect.stringContaining('1500') },
      tags: [],
    });
    expect(await tagNames()).toEqual(before);
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { plan: { max_agent_bytes: 100_000 } });
  });

  it('drafts no tags from words that are too long for a tag name', async ({ service }) => {
    const id = await create(service, { instructions: `Answer kindly. ${'x'.repeat(300)} ${'y'.repeat(51)} ${'z'.repeat(50)}` });
    await service.post(`/agents/${id}/tags/generate`, {});
    await settle(service);
    const { tags } = await get(service, id);
    expect(tags.map(({ name }: { name: string }) => name)).toContain(`Z${'z'.repeat(49)}`);
    expect(Math.max(...tags.map(({ name }: { name: string }) => name.length))).toBe(50);
    expect((await service.put(`/agents/${id}`, { tags })).status).toBe(200);
  });

  // Proves rules agents.43, agents.44, sandbox.31.
  it('fails and is refunded when its job is given up', async () => {
    const broken: Writer = {
      provider: 'broken',
      isLocal: true,
      modelOf: () => null,
      answer: () => Promise.reject(new Error('broken')),
      optimize: () => Promise.reject(new Error('broken')),
      draftTags: () => Promise.reject(new Error('broken')),
      writeFaqs: () => Promise.reject(new Error('broken')),
      summarize: () => Promise.reject(new Error('broken')),
      chooseTags: null,
      close: async () => {},
    };
    const other = await TestService.open({ writer: broken });
    await other.sandbox('POST', '/clock', { frozen: true });
    const { agent_id: id } = (await other.post('/agents', { name: 'Ada' })).body;
    const before = (await other.get('/users/me/credits')).body.balance;
    await other.post(`/agents/${id}/optimize`, { user_feedback: 'x' });
    await other.post(`/agents/${id}/tags/generate`, {});
    await other.sandbox('POST', '/clock/advance', { seconds: 3600 });
    expect((await other.get(`/agents/${id}`)).body.agent).toMatchObject({
      optimize_run: { status: 'Failed', error: 'The service failed' },
      tag_generation: { status: 'Failed', error: 'The service failed' },
    });
    expect((await other.get('/users/me/credits')).body.balance).toBe(before);
    expect((await other.post(`/agents/${id}/optimize`, { user_feedback: 'x' })).status).toBe(202);
    expect(other.errors).toHaveLength(20);
    await other.close();
  });

  // Proves rules agents.43, agents.44, credits.32.
  it('is refused without credits, and refunded if it fails', async ({ service }) => {
    const id = await create(service, { goal: 'Sell' });
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { credits: 4 });
    const refused = await service.post(`/agents/${id}/optimize`, { user_feedback: 'x' });
    expect([refused.status, refused.body.error_code]).toEqual([402, 402]);
    expect((await get(service, id)).optimize_run).toBeNull();
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { credits: 10, own_ai_key: 'failing' });
    await service.post(`/agents/${id}/optimize`, { user_feedback: 'x' });
    await service.post(`/agents/${id}/tags/generate`, {});
    expect(await balance(service)).toBe(3);
    await settle(service);
    expect(await get(service, id)).toMatchObject({
      optimize_run: { status: 'Failed', error: expect.any(String) },
      tag_generation: { status: 'Failed' },
      draft: null,
    });
    expect(await balance(service)).toBe(10);
    const booked = (await ledger(service))
      .filter(({ agent_id: agent }) => agent === id)
      .map(({ reason, millionths }) => [reason, millionths / 1e6]);
    expect(booked.sort()).toEqual([
      ['agent_optimize', -5],
      ['agent_tags', -2],
      ['refund', 2],
      ['refund', 5],
    ]);
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { own_ai_key: 'none' });
    await setPlan(service, { max_agent_bytes: 700 });
    await service.post(`/agents/${id}/optimize`, { user_feedback: 'x'.repeat(700) });
    await settle(service);
    expect((await get(service, id)).optimize_run).toMatchObject({ status: 'Failed', error: expect.stringContaining('700') });
    expect(await balance(service)).toBe(10);
    expect((await service.post(`/agents/${id}/optimize`, { user_feedback: 'short' })).status).toBe(202);
    await settle(service);
    expect((await get(service, id)).optimize_run.status).toBe('Draft');
  });

  // Proves rule agents.46.
  it('is refunded if its agent is deleted', async ({ service }) => {
    const id = await create(service);
    await hold(service, ['agent_optimize']);
    await service.post(`/agents/${id}/optimize`, { user_feedback: 'x' });
    expect((await service.delete(`/agents/${id}`)).status).toBe(200);
    await hold(service, []);
    await settle(service);
    expect(await balance(service)).toBe(1000);
    expect(service.errors).toEqual([]);
  });

  // Proves rules agents.46, credits.9.
  it('is refunded for the month in which it was charged', async () => {
    const other = await TestService.open({ clock: epoch });
    const { account_id: agency } = await other.makeAccount({ kind: 'agency' });
    const { account_id: client, api_key: key } = await other.makeAccount({ parent_account_id: agency });
    await other.sandbox('PATCH', `/accounts/${client}`, { credits: 30 });
    const { agent_id: id } = (await other.post('/agents', { name: 'Ada' }, { key })).body;
    await other.sandbox('POST', '/jobs', { hold: ['agent_tags'] });
    await other.post(`/agents/${id}/tags/generate`, {}, { key });
    const credits = async () => (await other.get('/users/me/credits', { key })).body;
    expect(await credits()).toMatchObject({ balance: 28, used_this_month: 2 });
    await other.sandbox('POST', '/clock/advance', { seconds: 31 * 24 * 3600 });
    expect((await other.delete(`/agents/${id}`, { key })).status).toBe(200);
    await other.sandbox('POST', '/jobs', { hold: [] });
    await other.sandbox('POST', '/settle');
    expect(await credits()).toMatchObject({ balance: 30, used_this_month: 0 });
    await other.close();
  });

  // Proves rule agents.45.
  it('drafts instructions from web pages, free of charge', async ({ service }) => {
    const site = await Site.open({ '/about': html('About Ferns', '<h1>About Ferns</h1><p>We grow ferns in Berlin.</p>') });
    const made = await service.post('/agents', { name: 'Eve', scrape_urls: [site.url('/about'), site.url('/none')] });
    expect(made.body.agent_generation_queued).toBe(true);
    expect((await get(service, made.body.agent_id)).optimize_run.status).toBe('Running');
    const { agent_id: lost } = (await service.post('/agents', { name: 'Ada', scrape_urls: [site.url('/none')] })).body;
    await settle(service);
    await site.close();
    const { draft } = await get(service, made.body.agent_id);
    expect(draft.instructions).toContain('About Ferns: We grow ferns in Berlin.');
    expect(draft.instructions).not.toContain('/none');
    const { optimize_run: run, draft: none } = await get(service, lost);
    expect([run.status, none]).toEqual(['Failed', null]);
    expect(run.error).toMatch(/^http\S*\/none could not be read: .*404/);
    expect(await balance(service)).toBe(1000);
    for (const urls of [['ftp://shop.example'], ['nonsense'], Array.from({ length: 21 }, () => 'https://shop.example')])
      expect((await service.post('/agents', { name: 'Ada', scrape_urls: urls })).status).toBe(400);
    expect((await service.post('/agents', { name: 'Ada', scrape_urls: [] })).body.agent_generation_queued).toBe(false);
  });
});

// Proves rule agents.1.
it('an agent counts each FAQ that it knows once', async ({ service }) => {
  const id = await create(service);
  const one = (await service.post('/campaigns', { name: 'One', agent_id: id })).body.campaign.id;
  const two = (await service.post('/campaigns', { name: 'Two', agent_id: id })).body.campaign.id;
  const other = (await service.post('/campaigns', { name: 'Other' })).body.campaign.id;
  const faq = async (campaign_id: string, more: object = {}) =>
    (await service.post('/faqs', { campaign_id, question: 'Open?', answer: 'Yes', ...more })).body.faq_id as string;
  const shared = await faq(one);
  await service.post(`/faqs/${shared}/link`, { campaign_id: two });
  await faq(one, { is_active: false });
  await faq(other, { is_global: true });
  const second = await faq(two);
  expect(await get(service, id)).toMatchObject({ faq_refs: [shared, second], faq_refs_count: 2 });
  expect((await service.get('/agents?view=summary')).body.agents[0].faq_refs_count).toBe(2);
});

// Proves rule serve.45.
it('does not know the FAQs of a campaign that is being deleted, and sources do not name an agent that is', async ({ service }) => {
  const id = await create(service);
  const { campaign } = (await service.post('/campaigns', { name: 'Support', agent_id: id })).body;
  for (let made = 0; made < 1_200; made += 400) {
    const faqs = Array.from({ length: 400 }, (_, index) => ({ question: `Question ${made + index}?`, answer: 'Yes.' }));
    expect((await service.post('/faqs/import', { campaign_id: campaign.id, faqs })).status).toBe(200);
  }
  expect((await get(service, id, 'faq_refs_count')).faq_refs_count).toBe(1_200);
  expect((await service.delete(`/campaigns/${campaign.id}`)).status).toBe(200);
  expect((await get(service, id)).faq_refs).toEqual([]);
  const source = await makeSource(service);
  expect((await service.post(`/agents/${id}/kb-sources`, { kb_source_id: source })).status).toBe(200);
  for (const batch of [0, 500, 1_000]) {
    const contacts = Array.from({ length: 500 }, (_, index) => ({ phone_number: `+1415${3_000_000 + batch + index}` }));
    expect((await service.post('/contacts/import', { contacts })).status).toBe(200);
  }
  await service.write((db) => db.updateTable('contacts').set({ agent_id: id }).where('account_id', '=', service.accountId).execute());
  expect((await service.get('/kb-sources')).body.sources[0].agent_ids).toEqual([id]);
  expect((await service.delete(`/agents/${id}`)).status).toBe(200);
  expect((await service.get('/kb-sources')).body.sources[0].agent_ids).toEqual([]);
});
