import { describe, expect, it } from 'vitest';
import { KnowingAgent, settle } from '../../../support/agents.ts';
import { kb, service, testKnowledge } from '../../../support/kb-prelude.ts';

testKnowledge();

const generate = (paths: unknown, campaign: unknown = kb.campaign) =>
  service.post('/faqs/generate-from-documents', { campaign_id: campaign, storage_paths: paths });

const guide = '# Guide\n\n## When do you open?\n\nAt nine.\n\n## Where are you?\n\nIn the old town.\n';

// Proves rule kb.74.
describe('FAQs from documents', () => {
  it('are generated in the background, linked to the campaign and inactive', async () => {
    const path = await kb.upload('guide.md', guide);
    await kb.hold('faq_generate');
    const { status, body } = await generate([path]);
    expect([status, body]).toEqual([202, { success: true, job_id: expect.any(String) }]);
    expect((await service.sandbox('GET', '/jobs')).body.waiting).toMatchObject({ faq_generate: 1 });
    await kb.hold();
    await settle(service);
    expect(await kb.faqs()).toMatchObject([
      { question: 'When do you open?', answer: 'At nine.', is_active: false, category: 'Guide', tags: [path], campaign_ids: [kb.campaign] },
      { question: 'Where are you?', answer: 'In the old town.', is_active: false },
    ]);
    expect((await service.get('/kb-sources')).body.sources).toEqual([]);
    expect(await kb.balance()).toBe(999);
  });

  it('are not used for answers until they are activated', async () => {
    const agent = await KnowingAgent.make(service);
    await generate([await kb.upload('guide.md', guide)], agent.campaign);
    await settle(service);
    expect(await agent.find('When do you open?')).toEqual([]);
    const faq = (await service.get(`/faqs?campaign_id=${agent.campaign}`)).body.faqs.find(
      ({ question }: { question: string }) => question === 'When do you open?',
    );
    await service.put(`/faqs/${faq.id}`, { is_active: true });
    await settle(service);
    expect((await agent.ask('When do you open?')).answer).toBe('At nine.');
  });

  it("cost credits for the chunks of the documents at the price of the agent's tier", async () => {
    const { agent_id: agent } = (await service.post('/agents', { name: 'Ada', ai_model_tier: 'max' })).body;
    const { campaign } = (await service.post('/campaigns', { name: 'Its', agent_id: agent })).body;
    const long = await kb.upload('long.txt', 'A bicycle is checked. '.repeat(200));
    await generate([await kb.upload('guide.md', guide), long], campaign.id);
    await settle(service);
    expect(await kb.balance()).toBe(1_000 - 2 * 4);
  });

  it('are not generated from unreadable documents', async () => {
    const broken = await kb.upload('broken.pdf', 'nothing of the kind');
    const missing = `users/${service.accountId}/uploads/missing.txt`;
    await generate([broken, missing, await kb.upload('guide.md', guide)]);
    await settle(service);
    expect((await kb.faqs()).length).toBe(2);
    expect(await kb.balance()).toBe(999);
  });

  it('are not generated from files whose name is not that of a document, free of charge', async () => {
    await generate([await kb.upload('photo.png', 'Bytes of a picture, which are also text.'), await kb.upload('README', guide)]);
    await settle(service);
    expect([await kb.faqs(), await kb.balance()]).toEqual([[], 1_000]);
  });

  it('are not generated if nothing can be read, free of charge', async () => {
    expect((await generate([`users/${service.accountId}/uploads/missing.txt`])).status).toBe(202);
    await settle(service);
    expect([await kb.faqs(), await kb.balance()]).toEqual([[], 1_000]);
  });

  // Proves rule kb.76.
  it("are not generated if credits do not suffice or the account's own AI key fails", async () => {
    const path = await kb.upload('guide.md', guide);
    await kb.account({ credits: 0 });
    await generate([path]);
    await settle(service);
    await kb.account({ credits: 10, own_ai_key: 'failing' });
    await generate([path]);
    await settle(service);
    expect([await kb.faqs(), await kb.balance()]).toEqual([[], 10]);
  });

  it("are free with the account's own AI key", async () => {
    await kb.account({ credits: 0, own_ai_key: 'valid' });
    await generate([await kb.upload('guide.md', guide)]);
    await settle(service);
    expect((await kb.faqs()).length).toBe(2);
  });

  it('recharge the account if automatic recharge is enabled', async () => {
    await kb.account({ credits: 0, auto_recharge_enabled: true });
    await generate([await kb.upload('guide.md', guide)]);
    await settle(service);
    expect([(await kb.faqs()).length, await kb.balance()]).toEqual([2, 999]);
  });

  // Proves rule kb.76.
  it('are refused without the credits for one chunk of each document', async () => {
    const paths = [await kb.upload('guide.md', guide), await kb.upload('other.md', guide)];
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { credits: 0 });
    expect(await generate(paths)).toMatchObject({
      status: 402,
      body: { error_code: 'kb_import_insufficient_credits', available_credits: 0, waiting_pages: 0 },
    });
    expect((await service.sandbox('GET', '/jobs')).body.waiting).not.toHaveProperty('faq_generate');
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { auto_recharge_enabled: true });
    expect((await generate(paths)).status).toBe(202);
    await settle(service);
  });

  // Proves rule kb.75.
  it('are rejected for paths and campaigns of other accounts', async () => {
    const path = await kb.upload('guide.md', guide);
    for (const each of ['users/other/uploads/a.txt', `users/${service.accountId}/uploads/../../x`, '/etc/passwd'])
      expect(await generate([path, each])).toMatchObject({ status: 403 });
    expect(await generate([path], 'cmp_unknown')).toMatchObject({ status: 404 });
    const { api_key: key } = await service.makeAccount();
    const foreign = (await service.post('/campaigns', { name: 'Eve' }, { key })).body.campaign.id;
    expect(await generate([path], foreign)).toMatchObject({ status: 404 });
    expect((await service.sandbox('GET', '/jobs')).body.waiting).not.toHaveProperty('faq_generate');
  });

  it('are rejected for invalid lists', async () => {
    const many = Array.from({ length: 21 }, (_, number) => `users/${service.accountId}/uploads/${number}.txt`);
    for (const paths of [[], many, undefined, null, 'a', [7], ['']]) expect(await generate(paths)).toMatchObject({ status: 400 });
    expect(await generate(many.slice(1))).toMatchObject({ status: 202 });
    await settle(service);
  });

  it('are not generated if the campaign is deleted meanwhile', async () => {
    await kb.hold('faq_generate');
    await generate([await kb.upload('guide.md', guide)]);
    await service.delete(`/campaigns/${kb.campaign}`);
    await kb.hold();
    await settle(service);
    expect([(await service.get('/faqs')).body.faqs, await kb.balance()]).toEqual([[], 1_000]);
  });

  it('require the permission', async () => {
    const key = await service.signIn(['agents.edit']);
    const body = { campaign_id: kb.campaign, storage_paths: [await kb.upload('guide.md', guide)] };
    expect(await service.post('/faqs/generate-from-documents', body, { key })).toMatchObject({ status: 403 });
  });
});
