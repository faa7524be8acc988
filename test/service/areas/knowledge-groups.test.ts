import { describe, expect } from 'vitest';
import { campaigns } from '../../../src/service/areas/campaigns/table.ts';
import { it } from '../../support/account-test.ts';
import { KnowingAgent, settle } from '../../support/agents.ts';
import type { TestService } from '../../support/test-service.ts';

/** An agent, the campaign of which it answers from, and another campaign with FAQs that it does not know. */
async function setUp(service: TestService) {
  const agent = await KnowingAgent.make(service);
  const { campaign } = (await service.post('/campaigns', { name: 'Other' })).body;
  return { agent, other: campaign.id as string };
}

async function faq(service: TestService, campaign: string, question: string, answer = `About ${question}`): Promise<string> {
  return (await service.post('/faqs', { campaign_id: campaign, question, answer })).body.faq_id as string;
}

async function group(service: TestService, faqIds: readonly string[] = [], name = 'Delivery'): Promise<string> {
  const { status, body } = await service.post('/kb-groups', { name });
  expect(status).toBe(201);
  const { id } = body.kb_group;
  if (faqIds.length > 0) expect((await service.post(`/kb-groups/${id}/faqs`, { faq_ids: faqIds })).status).toBe(200);
  return id as string;
}

const get = async (service: TestService, id: string) => (await service.get(`/kb-groups/${id}`)).body.kb_group;

const countOf = async (service: TestService, agent: KnowingAgent) =>
  (await service.get(`/agents/${agent.id}`)).body.agent.faq_refs_count as number;

const shipping = 'How long does shipping take?';

describe('a knowledge group', () => {
  // Proves rules groups.1, groups.2.
  it('has a name, a description, and the FAQs, agents and campaigns that it belongs to', async ({ service }) => {
    const { agent, other } = await setUp(service);
    const id = await group(service, [await faq(service, other, shipping), await faq(service, other, 'Who pays?')]);
    expect(id).toMatch(/^kgr_/);
    await service.post(`/kb-groups/${id}/apply`, { agent_id: agent.id });
    await service.post(`/kb-groups/${id}/apply`, { campaign_id: other });
    const at = new Date(service.clock.now).toISOString();
    const shown = { id, name: 'Delivery', description: null, faq_count: 2, agent_ids: [agent.id], campaign_ids: [other] };
    expect(await get(service, id)).toEqual({ ...shown, created_at: at, updated_at: at });
    expect((await service.get('/kb-groups')).body).toMatchObject({ kb_groups: [shown], next_cursor: null });
  });

  // Proves rule groups.3.
  it('has a name of its own, whatever its case', async ({ service }) => {
    const id = await group(service);
    expect(await service.post('/kb-groups', { name: 'delivery' })).toMatchObject({ status: 409, body: { reason: 'name_taken' } });
    const second = await group(service, [], 'Returns');
    expect((await service.put(`/kb-groups/${second}`, { name: 'DELIVERY' })).status).toBe(409);
    expect((await service.put(`/kb-groups/${id}`, { name: 'DELIVERY' })).status).toBe(200);
    expect(await service.put(`/kb-groups/${id}`, {})).toMatchObject({ status: 400, body: { error: 'No fields to update' } });
    expect((await service.put(`/kb-groups/${id}`, { description: 'x' })).body.kb_group).toMatchObject({
      name: 'DELIVERY',
      description: 'x',
    });
  });

  // Proves rules groups.4, groups.5.
  it('takes up to 500 FAQs of the account at a time, and each once', async ({ service }) => {
    const { other } = await setUp(service);
    const one = await faq(service, other, shipping);
    const id = await group(service, [one]);
    expect((await service.post(`/kb-groups/${id}/faqs`, { faq_ids: [one, one] })).body.kb_group).toMatchObject({ faq_count: 1 });
    for (const faq_ids of [[], Array.from({ length: 501 }, () => one)])
      expect((await service.post(`/kb-groups/${id}/faqs`, { faq_ids })).status).toBe(400);
    const two = await faq(service, other, 'Who pays?');
    const unknown = await service.post(`/kb-groups/${id}/faqs`, { faq_ids: [two, 'faq_none'] });
    expect(unknown).toMatchObject({ status: 404, body: { error: 'FAQ faq_none not found' } });
    expect((await get(service, id)).faq_count).toBe(1);
    const removed = await service.delete(`/kb-groups/${id}/faqs`);
    expect(removed.status).toBe(400);
    expect(await service.call('DELETE', `/v1/kb-groups/${id}/faqs`, { faq_ids: [one, two] })).toMatchObject({
      status: 200,
      body: { kb_group: { faq_count: 0 } },
    });
  });

  // Proves rule groups.6.
  it('is applied to either an agent or a campaign of the account', async ({ service }) => {
    const { agent, other } = await setUp(service);
    const id = await group(service, [await faq(service, other, shipping)]);
    for (const body of [{}, { agent_id: agent.id, campaign_id: other }])
      expect(await service.post(`/kb-groups/${id}/apply`, body)).toMatchObject({ status: 400, body: { reason: 'choice_of_fields' } });
    expect((await service.post(`/kb-groups/${id}/apply`, { agent_id: 'agt_none' })).status).toBe(404);
    expect((await service.post(`/kb-groups/${id}/unapply`, { campaign_id: 'cmp_none' })).status).toBe(404);
    expect((await service.post('/kb-groups/kgr_none/apply', { agent_id: agent.id })).status).toBe(404);
    for (const _ of [1, 2])
      expect((await service.post(`/kb-groups/${id}/apply`, { agent_id: agent.id })).body).toMatchObject({
        linked: 1,
        kb_group: { agent_ids: [agent.id] },
      });
    for (const _ of [1, 2])
      expect((await service.post(`/kb-groups/${id}/unapply`, { agent_id: agent.id })).body).toMatchObject({
        linked: 1,
        kb_group: { agent_ids: [] },
      });
  });
});

// Proves rule groups.13.
it('the FAQs of a group are listed, the newest first, in pages', async ({ service }) => {
  const { other } = await setUp(service);
  const [one, two, three] = [
    await faq(service, other, shipping),
    await faq(service, other, 'Who pays?'),
    await faq(service, other, 'Why?'),
  ];
  const id = await group(service, [three, one]);
  const first = await service.get(`/kb-groups/${id}/faqs?limit=1`);
  expect(first.body).toMatchObject({ faqs: [{ id: three, question: 'Why?', campaign_ids: [other] }] });
  const rest = await service.get(`/kb-groups/${id}/faqs?limit=1&cursor=${String(first.body.next_cursor)}`);
  expect(rest.body).toMatchObject({ faqs: [{ id: one }], next_cursor: null });
  expect(two).not.toBe(one);
  expect((await service.get('/kb-groups/kgr_none/faqs')).status).toBe(404);
});

// Proves rule groups.12.
it('a FAQ is in 200 groups at most', async ({ service }) => {
  const { other } = await setUp(service);
  const one = await faq(service, other, shipping);
  for (let index = 0; index < 200; index++) await group(service, [one], `Group ${index}`);
  const last = await group(service);
  const refused = await service.post(`/kb-groups/${last}/faqs`, { faq_ids: [one] });
  expect(refused).toMatchObject({
    status: 400,
    body: { error: `FAQ ${one} is in 200 groups, as many as it can be: remove it from one first` },
  });
  expect((await get(service, last)).faq_count).toBe(0);
});

// Proves rule groups.12.
it('a group is applied to 1,000 campaigns at most', async ({ service }) => {
  const id = await group(service);
  await service.write(async (db) => {
    for (let index = 0; index < 1_000; index++) {
      const campaign = await campaigns.create(db, service.accountId, { name: `Campaign ${index}` }, 0);
      await db.insertInto('campaign_groups').values({ campaign_id: campaign.id, group_id: id }).execute();
    }
  });
  const { campaign } = (await service.post('/campaigns', { name: 'x' })).body;
  expect((await service.post(`/kb-groups/${id}/apply`, { campaign_id: campaign.id })).status).toBe(400);
  const { kb_group: shown } = (await service.get(`/kb-groups/${id}`)).body;
  expect(shown.campaign_ids).toHaveLength(1_000);
  expect((await service.post(`/kb-groups/${id}/apply`, { campaign_id: shown.campaign_ids[0] })).status).toBe(200);
});

describe('an agent', () => {
  // Proves rules groups.7, groups.8, answers.16.
  it('knows the FAQs of the groups that are applied to it, those added later too, while they are', async ({ service }) => {
    const { agent, other } = await setUp(service);
    const one = await faq(service, other, shipping);
    const id = await group(service);
    await settle(service);
    expect(await agent.find(shipping)).toEqual([]);
    await service.post(`/kb-groups/${id}/apply`, { agent_id: agent.id });
    await service.post(`/kb-groups/${id}/faqs`, { faq_ids: [one] });
    await settle(service);
    expect(await agent.find(shipping)).toEqual([one]);
    expect(await agent.ask(shipping)).toMatchObject({ source: 'faq', answer: `About ${shipping}` });
    expect((await service.get(`/agents/${agent.id}`)).body.agent).toMatchObject({ faq_refs: [one], faq_refs_count: 1 });
    expect((await service.get(`/faqs/${one}`)).body.faq.campaign_ids).toEqual([other]);
    await service.call('DELETE', `/v1/kb-groups/${id}/faqs`, { faq_ids: [one] });
    expect(await agent.find(shipping)).toEqual([]);
    expect(await countOf(service, agent)).toBe(0);
    await service.post(`/kb-groups/${id}/faqs`, { faq_ids: [one] });
    await settle(service);
    expect(await agent.find(shipping)).toEqual([one]);
    await service.post(`/kb-groups/${id}/unapply`, { agent_id: agent.id });
    expect(await agent.find(shipping)).toEqual([]);
  });

  // Proves rules groups.7, groups.9.
  it('knows the groups of its campaigns, and counts each FAQ once', async ({ service }) => {
    const { agent, other } = await setUp(service);
    const one = await faq(service, other, shipping);
    const own = await faq(service, agent.campaign, 'Who pays?');
    const id = await group(service, [one, own]);
    await settle(service);
    await service.post(`/kb-groups/${id}/apply`, { campaign_id: agent.campaign });
    expect(await agent.find(shipping)).toEqual([one]);
    await service.post(`/kb-groups/${id}/apply`, { agent_id: agent.id });
    expect(await countOf(service, agent)).toBe(2);
    await service.put(`/campaigns/${agent.campaign}`, { agent_id: null });
    expect(await countOf(service, agent)).toBe(2);
    await service.post(`/kb-groups/${id}/unapply`, { agent_id: agent.id });
    expect(await countOf(service, agent)).toBe(0);
    await service.put(`/campaigns/${agent.campaign}`, { agent_id: agent.id });
    expect(await countOf(service, agent)).toBe(2);
    // Not those that are inactive.
    await service.put(`/faqs/${one}`, { is_active: false });
    expect(await countOf(service, agent)).toBe(1);
    expect(await agent.find(shipping)).toEqual([]);
  });

  // Proves rule groups.10.
  it('no longer knows the FAQs once the group, the campaign or the FAQ is deleted', async ({ service }) => {
    const { agent, other } = await setUp(service);
    const one = await faq(service, other, shipping);
    const id = await group(service, [one]);
    await service.post(`/kb-groups/${id}/apply`, { agent_id: agent.id });
    await settle(service);
    await service.delete(`/campaigns/${other}`);
    expect(await agent.find(shipping)).toEqual([one]);
    const second = await KnowingAgent.make(service);
    await service.post(`/kb-groups/${id}/apply`, { agent_id: second.id });
    await service.post(`/kb-groups/${id}/apply`, { campaign_id: second.campaign });
    await service.put(`/campaigns/${second.campaign}`, { agent_id: null });
    await service.delete(`/campaigns/${second.campaign}`);
    await service.delete(`/agents/${second.id}`);
    expect(await get(service, id)).toMatchObject({ agent_ids: [agent.id], campaign_ids: [] });
    await service.delete(`/kb-groups/${id}`);
    expect(await agent.find(shipping)).toEqual([]);
    expect(await countOf(service, agent)).toBe(0);
    expect((await service.get(`/faqs/${one}`)).status).toBe(200);
    const again = await group(service, [one]);
    await service.delete(`/faqs/${one}`);
    expect((await get(service, again)).faq_count).toBe(0);
    await settle(service);
    const rows = await service.write((db) => db.selectFrom('faq_terms').selectAll().where('scope', 'in', [id, again]).execute());
    expect(rows).toEqual([]);
  });

  // Proves rule groups.11.
  it('keeps what it knew when duplicates are merged, and a copy of it knows the same', async ({ service }) => {
    const { agent, other } = await setUp(service);
    const one = await faq(service, other, shipping, 'Three days.');
    const duplicate = await faq(service, other, shipping, 'Three days.');
    const id = await group(service, [duplicate]);
    await service.post(`/kb-groups/${id}/apply`, { agent_id: agent.id });
    await service.post('/faqs/dedupe', {});
    await settle(service);
    expect(await agent.find(shipping)).toEqual([one]);
    const copy = (await service.post(`/agents/${agent.id}/duplicate`)).body.agent_id as string;
    expect((await get(service, id)).agent_ids).toEqual([agent.id, copy]);
  });
});
