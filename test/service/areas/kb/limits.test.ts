import { describe, expect, it } from 'vitest';
import { settle } from '../../../support/agents.ts';
import { kb, service, site, testKnowledge, useNewAccount } from '../../../support/kb-prelude.ts';
import { html } from '../../../support/site.ts';

/** A page whose text has the given length in characters, including its heading. */
const pageOf = (length: number) =>
  html('T', `<main><h1>T</h1><p>${'Every bicycle is checked twice. '.repeat(1_000).slice(0, length - 2)}.</p></main>`);

const numbered = Array.from({ length: 12 }, (_, number) => {
  const page = html(`Page ${number}`, `<main><h1>Page ${number}</h1><p>About the bicycle number ${number}.</p></main>`);
  return [`/${number}`, page] as const;
});

testKnowledge({
  '/long': pageOf(5_500),
  '/edge': pageOf(2_000),
  '/over': pageOf(2_001),
  '/rare': html('T', `<main><h1>T</h1><p>${'𠀀'.repeat(1_999)}</p></main>`),
  ...Object.fromEntries(numbered),
});

const urls = (count: number, from = 0) => Array.from({ length: count }, (_, index) => site.url(`/${from + index}`));

const sourcesOf = async (query = '') => (await service.get(`/kb-sources?limit=100${query}`)).body.sources as { status: string }[];

const noCredits = (required: number, available: number | null, waiting: number) => ({
  status: 402,
  body: {
    success: false,
    error_code: 'kb_import_insufficient_credits',
    required_credits: required,
    available_credits: available,
    waiting_pages: waiting,
  },
});

const tooMany = { status: 400, body: { success: false, error_code: 'kb_import_page_limit' } };

describe('import charges', () => {
  // Proves rules kb.17, kb.19.
  it.each([
    ['/0', 1],
    ['/edge', 1],
    ['/over', 2],
    ['/rare', 1],
    ['/long', 3],
  ])('the page %s costs %d credits', async (path, credits) => {
    await kb.importPage(site.url(path));
    expect(await kb.balance()).toBe(1_000 - credits);
  });

  // Proves rule kb.18.
  it.each([
    ['economy', 0.5],
    ['standard', 1],
    ['mini', 0.75],
    ['max', 2],
    [undefined, 1],
  ])("depend on the agent's tier: %s", async (tier, price) => {
    const { agent_id: agent } = (await service.post('/agents', { name: 'Ada', ...(tier && { ai_model_tier: tier }) })).body;
    await kb.importPage(site.url('/long'), { autoLinkToAgentId: agent });
    expect(await kb.balance()).toBe(1_000 - 3 * price);
    // Also for the agent of a campaign.
    const { campaign } = (await service.post('/campaigns', { name: 'Its', agent_id: agent })).body;
    await kb.importPage(site.url('/0'), { autoLinkToCampaignId: campaign.id });
    expect(await kb.balance()).toBe(1_000 - 4 * price);
  });

  it('are made when the import ends', async () => {
    await kb.hold('kb_import');
    await kb.page(site.url('/long'));
    expect(await kb.balance()).toBe(1_000);
    await kb.hold();
    await settle(service);
    expect(await kb.balance()).toBe(997);
  });

  it('are not made for sources that fail', async () => {
    await kb.importPage(site.url('/missing'));
    await kb.importFile('broken.pdf', 'nothing of the kind');
    expect(await kb.balance()).toBe(1_000);
  });
});

describe('waiting pages', () => {
  // Proves rule kb.20.
  it('are limited by the plan: a call beyond the limit queues nothing', async () => {
    await kb.account({ plan: { pending_pages: 3 } });
    await kb.hold('kb_import');
    expect(await kb.pages(urls(4))).toMatchObject(tooMany);
    expect(await sourcesOf()).toEqual([]);
    expect((await kb.pages(urls(2))).body).toMatchObject({ queued: 2 });
    expect(await kb.pages(urls(2, 2))).toMatchObject(tooMany);
    expect((await kb.page(site.url('/2'))).status).toBe(202);
    expect(await kb.page(site.url('/3'))).toMatchObject(tooMany);
    expect(await kb.file(await kb.upload('a.txt', 'A bicycle.'), 'a.txt')).toMatchObject(tooMany);
    // Pages that were already imported are not queued.
    expect(await kb.page(site.url('/2'))).toMatchObject({ status: 200 });
    expect(await kb.pages(urls(3))).toMatchObject({ status: 202, body: { queued: 0, skipped_duplicate: 3 } });
    await kb.hold();
    await settle(service);
    expect(await kb.page(site.url('/3'))).toMatchObject({ status: 202 });
    await settle(service);
  });

  it('are limited to 5,000 by default', async () => {
    const many = urls(3);
    await kb.account({ credits: 100_000 });
    expect(await kb.pages(many, { plannedTotal: 5_001 })).toMatchObject(tooMany);
    expect(await kb.pages(many, { plannedTotal: 5_000 })).toMatchObject({ status: 202 });
    await settle(service);
  });

  // Proves rule kb.21.
  it('count towards the credits that an import requires', async () => {
    await kb.account({ credits: 3 });
    await kb.hold('kb_import');
    expect(await kb.pages(urls(4))).toMatchObject(noCredits(4, 3, 0));
    expect((await kb.pages(urls(2))).status).toBe(202);
    expect(await kb.pages(urls(2, 2))).toMatchObject(noCredits(4, 3, 2));
    expect(await kb.file(await kb.upload('a.txt', 'A bicycle.'), 'a.txt')).toMatchObject({ status: 202 });
    expect(await kb.page(site.url('/5'))).toMatchObject(noCredits(4, 3, 3));
    expect((await sourcesOf()).length).toBe(3);
  });

  it('are priced by the tier of their agent', async () => {
    const { agent_id: agent } = (await service.post('/agents', { name: 'Ada', ai_model_tier: 'max' })).body;
    await kb.account({ credits: 3 });
    await kb.hold('kb_import');
    expect(await kb.pages(urls(2), { autoLinkToAgentId: agent })).toMatchObject(noCredits(4, 3, 0));
    expect((await kb.page(site.url('/0'), { autoLinkToAgentId: agent })).status).toBe(202);
    expect(await kb.pages(urls(2, 1))).toMatchObject(noCredits(4, 3, 1));
  });

  it('are checked one call after another, also for simultaneous imports', async () => {
    await kb.account({ credits: 5 });
    await kb.hold('kb_import');
    const answers = await Promise.all(urls(12).map((url) => kb.page(url)));
    expect(answers.filter(({ status }) => status === 202).length).toBe(5);
    expect(answers.filter(({ status }) => status === 402).length).toBe(7);
  });

  // Proves rule kb.22.
  it('need no balance with automatic recharge', async () => {
    await kb.account({ credits: 1, auto_recharge_enabled: true });
    await kb.hold('kb_import');
    expect(await kb.pages(urls(12))).toMatchObject({ status: 202 });
  });

  // Proves rules kb.22, kb.24.
  it("need no balance with the account's own AI key, except for the tier max", async () => {
    await kb.account({ credits: 0, own_ai_key: 'valid' });
    expect(await kb.pages(urls(3))).toMatchObject({ status: 202 });
    await settle(service);
    expect((await sourcesOf()).map(({ status }) => status)).toEqual(['ready', 'ready', 'ready']);
    const { agent_id: agent } = (await service.post('/agents', { name: 'Ada', ai_model_tier: 'max' })).body;
    expect(await kb.page(site.url('/5'), { autoLinkToAgentId: agent })).toMatchObject(noCredits(2, 0, 0));
    await kb.account({ credits: 2 });
    await kb.importPage(site.url('/5'), { autoLinkToAgentId: agent });
    expect(await kb.balance()).toBe(0);
  });

  // Proves rule kb.23.
  it('do not reveal the balance of a sub-account to its agency', async () => {
    const agency = await service.makeAccount({ kind: 'agency' });
    const { sub_account: client } = (await service.post('/subaccounts', { name: 'Client' }, { key: agency.api_key })).body;
    const body = { url: site.url('/0'), sub_account_id: client.id };
    expect(await service.post('/kb-sources/url', body, { key: agency.api_key })).toMatchObject(noCredits(1, null, 0));
    const estimate = { urls: [site.url('/0')], sub_account_id: client.id };
    expect((await service.post('/kb-sources/estimate-cost', estimate, { key: agency.api_key })).body).toMatchObject({
      affordable: false,
      required_credits: 1,
      available_credits: null,
      max_affordable_chunks: null,
    });
  });
});

describe('a charge above the balance', () => {
  // Proves rule kb.25.
  it('fails the source without charge and without FAQs', async () => {
    await kb.account({ credits: 2 });
    const id = await kb.importPage(site.url('/long'));
    expect(await kb.state(id)).toMatchObject({ status: 'failed', faq_count: 0, error_message: expect.stringMatching(/credits/i) });
    expect(await kb.faqs()).toEqual([]);
    expect(await kb.balance()).toBe(2);
  });

  it('recharges the account first, with automatic recharge', async () => {
    await kb.account({ credits: 1, auto_recharge_enabled: true });
    const id = await kb.importPage(site.url('/long'));
    expect(await kb.status(id)).toBe('ready');
    expect(await kb.balance()).toBe(998);
  });
});

describe('an import in several calls', () => {
  // Proves rule kb.26.
  it('is checked as a whole in its first call', async () => {
    await kb.account({ credits: 9 });
    await kb.hold('kb_import');
    expect(await kb.pages(urls(2), { plannedTotal: 10 })).toMatchObject(noCredits(10, 9, 0));
    await kb.account({ credits: 10_000, plan: { pending_pages: 9 } });
    expect(await kb.pages(urls(2), { plannedTotal: 10 })).toMatchObject(tooMany);
    expect(await sourcesOf()).toEqual([]);
    await kb.account({ plan: { pending_pages: 10 } });
    expect(await kb.pages(urls(2), { plannedTotal: 10 })).toMatchObject({
      status: 202,
      body: { queued: 2, import_session: expect.any(String) },
    });
  });

  it('is a single call if plannedTotal does not exceed its pages', async () => {
    await kb.hold('kb_import');
    expect((await kb.pages(urls(2), { plannedTotal: 2 })).body).not.toHaveProperty('import_session');
    expect((await kb.pages(urls(2, 2), { plannedTotal: 1 })).body).not.toHaveProperty('import_session');
    expect((await kb.pages(urls(2, 4))).body).not.toHaveProperty('import_session');
  });

  // A session without a check would let any number of pages through.
  it('is checked even if the pages of its first call were already imported', async () => {
    await kb.importPage(site.url('/0'));
    await kb.account({ credits: 5, plan: { pending_pages: 8 } });
    expect(await kb.pages(urls(1), { plannedTotal: 7 })).toMatchObject({ status: 402 });
    expect(await kb.pages(urls(1), { plannedTotal: 10 })).toMatchObject(tooMany);
  });

  // Proves rule kb.27.
  it('skips the credit check in later calls, up to the approved number of pages', async () => {
    await kb.account({ credits: 6 });
    await kb.hold('kb_import');
    const { import_session: importSession } = (await kb.pages(urls(2), { plannedTotal: 6 })).body;
    await kb.account({ credits: 0 });
    const second = await kb.pages(urls(3, 2), { importSession });
    expect(second).toMatchObject({ status: 202, body: { queued: 3 } });
    expect(second.body).not.toHaveProperty('import_session');
    // One of the two pages exceeds the approved number.
    expect(await kb.pages(urls(2, 5), { importSession })).toMatchObject({ status: 402 });
    expect(await kb.pages(urls(1, 5), { importSession })).toMatchObject({ status: 202 });
    expect(await kb.pages(urls(1, 6), { importSession })).toMatchObject(noCredits(7, 0, 6));
  });

  it('is still subject to the limit of waiting pages', async () => {
    await kb.hold('kb_import');
    const { import_session: importSession } = (await kb.pages(urls(2), { plannedTotal: 6 })).body;
    await kb.account({ plan: { pending_pages: 4 } });
    expect(await kb.pages(urls(3, 2), { importSession })).toMatchObject(tooMany);
    // The rejected call used up nothing.
    await kb.account({ credits: 0 });
    expect(await kb.pages(urls(2, 2), { importSession })).toMatchObject({ status: 202 });
    await kb.account({ plan: { pending_pages: 100 } });
    expect(await kb.pages(urls(2, 4), { importSession })).toMatchObject({ status: 202 });
  });

  it('stays approved for one hour', async () => {
    await kb.hold('kb_import');
    const { import_session: importSession } = (await kb.pages(urls(1), { plannedTotal: 6 })).body;
    await kb.account({ credits: 0 });
    service.clock.now += 60 * 60_000 - 1;
    expect(await kb.pages(urls(1, 1), { importSession })).toMatchObject({ status: 202 });
    service.clock.now += 1;
    expect(await kb.pages(urls(1, 2), { importSession })).toMatchObject({ status: 402 });
  });

  // Proves rule kb.28.
  it('is checked again with an unknown session or one of another account', async () => {
    await kb.hold('kb_import');
    const { import_session: foreign } = (await kb.pages(urls(1), { plannedTotal: 6 })).body;
    await useNewAccount();
    await kb.account({ credits: 0 });
    for (const importSession of [foreign, 'kbi_unknown', 'nonsense'])
      expect(await kb.pages(urls(1), { importSession })).toMatchObject(noCredits(1, 0, 0));
  });

  it('is not approved by the legacy flag', async () => {
    await kb.account({ credits: 0 });
    expect(await kb.pages(urls(1), { continuesImport: true })).toMatchObject({ status: 402 });
  });

  it.each([0, -1, 1.5, '3', null])('is rejected with the plannedTotal %j', async (plannedTotal) => {
    expect(await kb.pages(urls(1), { plannedTotal })).toMatchObject({ status: 400 });
  });
});

describe('a cost estimate', () => {
  const estimate = (body: Record<string, unknown>) => service.post('/kb-sources/estimate-cost', body);
  const fileOf = (path: string, filename: string) => ({ storage_path: path, filename, mime_type: 'text/plain' });

  // Proves rules kb.29, kb.31.
  it('matches the cost of the import, and queues nothing', async () => {
    const path = await kb.upload('guide.txt', 'A bicycle is checked. '.repeat(200));
    const { status, body } = await estimate({ urls: [site.url('/long'), site.url('/0')], files: [fileOf(path, 'guide.txt')] });
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        estimates: [
          { ref: site.url('/long'), chunks: 3, credits: 3 },
          { ref: site.url('/0'), chunks: 1, credits: 1 },
          { ref: path, chunks: 3, credits: 3 },
        ],
        total_chunks: 7,
        total_credits: 7,
        affordable: true,
        required_credits: 7,
        available_credits: 1_000,
        checked_chunks: 7,
        waiting_pages: 0,
        max_affordable_chunks: 1_000,
      },
    ]);
    expect(await sourcesOf()).toEqual([]);
    expect(await kb.balance()).toBe(1_000);
    await kb.importPage(site.url('/long'));
    await kb.importPage(site.url('/0'));
    await kb.file(path, 'guide.txt');
    await settle(service);
    expect(await kb.balance()).toBe(993);
  });

  it('returns URLs and paths as they were sent', async () => {
    const path = (await kb.upload('a.txt', 'A bicycle.')).replace('/uploads/', '/uploads/./');
    const { estimates } = (await estimate({ urls: [site.url('/0?utm_source=x#top')], files: [fileOf(path, 'a.txt')] })).body;
    expect(estimates.map(({ ref }: { ref: string }) => ref)).toEqual([site.url('/0?utm_source=x#top'), path]);
  });

  it.each([
    ['economy', 0.5],
    ['standard', 1],
    ['mini', 0.75],
    ['max', 2],
  ])('uses the price of the tier %s', async (tier, price) => {
    const { body } = await estimate({ urls: [site.url('/long')], tier });
    expect(body).toMatchObject({
      estimates: [{ credits: 3 * price }],
      total_credits: 3 * price,
      max_affordable_chunks: Math.floor(1_000 / price),
    });
  });

  it('includes earlier chunks and waiting pages', async () => {
    await kb.account({ credits: 10 });
    await kb.hold('kb_import');
    await kb.pages(urls(2));
    expect((await estimate({ urls: [site.url('/long')], prior_chunks: 5 })).body).toMatchObject({
      total_chunks: 3,
      total_credits: 3,
      checked_chunks: 8,
      waiting_pages: 2,
      required_credits: 10,
      available_credits: 10,
      affordable: true,
    });
    expect((await estimate({ urls: [site.url('/long')], prior_chunks: 6 })).body).toMatchObject({
      required_credits: 11,
      affordable: false,
    });
  });

  // Proves rule kb.30.
  it('counts an unreadable source as one chunk', async () => {
    const missing = `users/${service.accountId}/uploads/none.pdf`;
    const broken = await kb.upload('broken.docx', 'nothing of the kind');
    const { body } = await estimate({
      urls: [site.url('/missing')],
      files: [fileOf(missing, 'none.pdf'), fileOf(broken, 'broken.docx'), fileOf(broken, 'broken.exe')],
    });
    expect(body.estimates).toEqual([
      { ref: site.url('/missing'), chunks: 1, credits: 1, error: expect.any(String) },
      { ref: missing, chunks: 1, credits: 1, error: expect.any(String) },
      { ref: broken, chunks: 1, credits: 1, error: expect.any(String) },
      { ref: broken, chunks: 1, credits: 1, error: expect.any(String) },
    ]);
    expect(body).toMatchObject({ total_chunks: 4, total_credits: 4 });
  });

  // Proves rule kb.77.
  it('counts what is not an address as one chunk, beside the pages that can be read', async () => {
    const wrong = [
      'nonsense',
      '',
      'ftp://shop.example/',
      'https://user:password@shop.example/',
      `https://shop.example/${'x'.repeat(2_000)}`,
    ];
    const { status, body } = await estimate({ urls: [wrong[0], site.url('/long'), ...wrong.slice(1)] });
    expect([status, body.total_chunks]).toEqual([200, 3 + wrong.length]);
    const unreadable = (ref: string | undefined) => ({ ref, chunks: 1, credits: 1, error: 'It is not an http or https address' });
    expect(body.estimates).toEqual([
      unreadable(wrong[0]),
      { ref: site.url('/long'), chunks: 3, credits: 3 },
      ...wrong.slice(1).map(unreadable),
    ]);
  });

  it('rejects paths of other accounts and invalid fields', async () => {
    expect(await estimate({ files: [fileOf('users/other/uploads/a.txt', 'a.txt')] })).toMatchObject({ status: 403 });
    for (const body of [{ tier: 'free' }, { prior_chunks: -1 }, { prior_chunks: 'many' }, { urls: 'x' }, { urls: [5] }, { files: [{}] }])
      expect(await estimate(body)).toMatchObject({ status: 400 });
  });

  it('is zero without sources', async () => {
    expect((await estimate({})).body).toMatchObject({
      estimates: [],
      total_chunks: 0,
      total_credits: 0,
      required_credits: 0,
      affordable: true,
    });
  });

  // Proves rule kb.32.
  it('is affordable for accounts that need no balance', async () => {
    await kb.account({ credits: 1, auto_recharge_enabled: true });
    expect((await estimate({ urls: [site.url('/long')] })).body).toMatchObject({ affordable: true, total_credits: 3, required_credits: 3 });
    await kb.account({ credits: 0, auto_recharge_enabled: false, own_ai_key: 'valid' });
    expect((await estimate({ urls: [site.url('/long')] })).body).toMatchObject({ affordable: true, total_credits: 0 });
    expect((await estimate({ urls: [site.url('/long')], tier: 'max' })).body).toMatchObject({ affordable: false, total_credits: 6 });
  });
});
