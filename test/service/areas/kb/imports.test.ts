import { describe, expect, it } from 'vitest';
import { KnowingAgent, settle } from '../../../support/agents.ts';
import { kb, service, site, testKnowledge } from '../../../support/kb-prelude.ts';
import { Knowledge } from '../../../support/knowledge.ts';
import { html } from '../../../support/site.ts';

testKnowledge({
  '/': html('Bike shop', '<main><h1>Bike shop</h1><p>We sell and repair bicycles of all kinds in the old town.</p></main>'),
  '/hours': html('Opening hours', '<main><h2>When do you open?</h2><p>We open at nine in the morning, on Saturdays at ten.</p></main>'),
  '/returns': html('Returns', '<main><h2>Can I return a bike?</h2><p>Yes, within thirty days, with the receipt.</p></main>'),
});

const list = async (query = '') => (await service.get(`/kb-sources${query}`)).body;

describe('importing a page', () => {
  // Proves rules kb.1, kb.2.
  it('queues it, and creates its FAQs in the background', async () => {
    await kb.hold('kb_import');
    const { status, body } = await kb.page(site.url('/hours'));
    expect([status, body]).toEqual([
      202,
      { success: true, source_id: expect.stringMatching(/^src_/), status: 'queued', batch_id: expect.any(String) },
    ]);
    expect(site.take()).toEqual([]);
    const source = { success: true, source_id: body.source_id, status: 'queued', faq_count: 0, section_count: 0, error_message: null };
    expect((await service.get(`/kb-sources/${body.source_id}`)).body).toEqual(source);
    await kb.hold();
    await settle(service);
    expect((await service.get(`/kb-sources/${body.source_id}`)).body).toEqual({
      ...source,
      status: 'ready',
      faq_count: 1,
      section_count: 1,
    });
    expect(site.take()).toEqual(['/hours']);
  });

  // Proves rule kb.5.
  it('tags each FAQ with the URL of the page', async () => {
    await kb.importPage(site.url('/hours'));
    expect(await kb.faqs()).toMatchObject([
      {
        question: 'When do you open?',
        answer: 'We open at nine in the morning, on Saturdays at ten.',
        category: 'Opening hours',
        tags: [site.url('/hours')],
        is_active: true,
        is_global: false,
        usage_count: 0,
        order_index: 0,
        campaign_ids: [kb.campaign],
      },
    ]);
  });

  // Proves rule kb.8.
  it.each([
    ['text that is not a URL', 'bicycles'],
    ['another protocol', 'ftp://shop.example/'],
    ['a script', 'javascript:alert(1)'],
    ['a file', 'file:///etc/passwd'],
    ['a user name', 'https://ann:secret@shop.example/'],
    ['nothing', ''],
    ['a number', 5],
    ['null', null],
  ])('rejects %s', async (_name, url) => {
    const { status, body } = await service.post('/kb-sources/url', { url });
    expect([status, body.error_code]).toEqual([400, 400]);
    expect(body.error).toContain('url');
    expect((await list()).sources).toEqual([]);
  });

  it('requires a URL', async () => {
    expect(await service.post('/kb-sources/url', {})).toMatchObject({ status: 400 });
  });

  // Proves rule kb.11.
  it('reports that a page was already imported', async () => {
    const id = (await kb.page(site.url('/hours'))).body.source_id;
    const again = { status: 200, body: { success: true, source_id: id, status: 'exists', skipped_duplicate: 1 } };
    expect(await kb.page(site.url('/hours'))).toMatchObject(again);
    await settle(service);
    const { status, body } = await kb.page(site.url('/hours'));
    expect([status, body]).toEqual([200, again.body]);
    await settle(service);
    expect(site.take()).toEqual(['/hours']);
    expect((await list()).sources.length).toBe(1);
  });

  // Proves rules kb.9, kb.10.
  it.each([
    '/hours#top',
    '/hours/',
    '/hours?utm_source=mail&utm_medium=x',
    '/hours?fbclid=1&gclid=2',
    '/hours;jsessionid=0A1B',
    '/hours?PHPSESSID=abc',
    '/hours?',
  ])('recognizes a page by the equivalent URL %s', async (path) => {
    const id = (await kb.page(site.url('/hours'))).body.source_id;
    expect((await kb.page(site.url(path))).body).toMatchObject({ status: 'exists', source_id: id });
    await settle(service);
  });

  it('requests the URL without tracking parameters and fragment', async () => {
    site.pages.set('/list?b=2&a=1', html('List', '<main><h1>A list</h1><p>Of the bicycles that are there.</p></main>'));
    await kb.importPage(site.url('/list?b=2&utm_campaign=x&a=1#top'));
    expect(site.take()).toEqual(['/list?b=2&a=1']);
    expect((await list()).sources[0].url).toBe(site.url('/list?b=2&a=1'));
    expect((await kb.page(site.url('/list?a=1&b=2'))).body.status).toBe('exists');
  });

  it('distinguishes pages by parameters, path, and case of the path', async () => {
    await kb.hold('kb_import');
    const urls = ['/hours', '/Hours', '/hours?id=1', '/hours?id=2', '/hours/more'].map((path) => site.url(path));
    expect((await kb.pages(urls)).body).toMatchObject({ queued: 5, skipped_duplicate: 0 });
  });

  // Proves rule kb.11.
  it('imports a page again after it failed or was cancelled', async () => {
    const first = await kb.importPage(site.url('/missing'));
    expect(await kb.state(first)).toMatchObject({ status: 'failed', error_message: 'The page does not exist: the server answered 404' });
    const second = await kb.importPage(site.url('/missing'));
    expect(second).not.toBe(first);
    await kb.hold('kb_import');
    const third = (await kb.page(site.url('/hours'))).body.source_id;
    await service.post('/kb-sources/cancel-import', {});
    await kb.hold();
    const fourth = await kb.importPage(site.url('/hours'));
    expect([await kb.status(third), await kb.status(fourth)]).toEqual(['cancelled', 'ready']);
  });

  it('hides sources from other accounts', async () => {
    const id = await kb.importPage(site.url('/hours'));
    const { api_key: key } = await service.makeAccount();
    for (const answer of [
      await service.get(`/kb-sources/${id}`, { key }),
      await service.delete(`/kb-sources/${id}`, { key }),
      await service.post(`/kb-sources/${id}/refresh`, undefined, { key }),
      await service.get('/kb-sources/src_unknown'),
    ])
      expect(answer).toMatchObject({ status: 404, body: { error_code: 404 } });
    expect((await service.get('/kb-sources', { key })).body.sources).toEqual([]);
    expect(await service.post('/kb-sources/url', { url: site.url('/hours') }, { key })).toMatchObject({ status: 202 });
    await settle(service);
  });
});

describe('importing many pages', () => {
  // Proves rule kb.12.
  it('queues each once, and skips those already imported', async () => {
    await kb.importPage(site.url('/hours'));
    const { status, body } = await kb.pages([site.url('/returns'), site.url('/hours'), site.url('/'), site.url('/returns#x')]);
    expect([status, body]).toEqual([
      202,
      {
        success: true,
        batch_id: expect.any(String),
        queued: 2,
        skipped_duplicate: 2,
        queued_source_ids: [expect.any(String), expect.any(String)],
      },
    ]);
    await settle(service);
    const { sources } = await list();
    expect(sources.map(({ url, status }: { url: string; status: string }) => [url, status])).toEqual([
      [site.url('/'), 'ready'],
      [site.url('/returns'), 'ready'],
      [site.url('/hours'), 'ready'],
    ]);
    expect(body.queued_source_ids).toEqual([sources[1].source_id, sources[0].source_id]);
  });

  it.each([
    ['an empty list', []],
    ['101 URLs', Array.from({ length: 101 }, (_, number) => `https://shop.example/${number}`)],
    ['an invalid URL', ['https://shop.example/', 'nonsense']],
    ['a URL with a user name', ['https://shop.example/', 'https://ann@shop.example/']],
    ['something other than a list', 'https://shop.example/'],
  ])('rejects %s and queues nothing', async (_name, urls) => {
    expect(await service.post('/kb-sources/bulk-import', { urls })).toMatchObject({ status: 400 });
    expect((await list()).sources).toEqual([]);
  });

  it('accepts a hundred', async () => {
    await kb.hold('kb_import');
    const urls = Array.from({ length: 100 }, (_, number) => site.url(`/page/${number}`));
    expect((await kb.pages(urls)).body).toMatchObject({ queued: 100, skipped_duplicate: 0 });
  });

  it('queues nothing if all pages were already imported', async () => {
    await kb.importPage(site.url('/hours'));
    const { status, body } = await kb.pages([site.url('/hours')]);
    expect([status, body]).toEqual([
      202,
      { success: true, batch_id: expect.any(String), queued: 0, skipped_duplicate: 1, queued_source_ids: [] },
    ]);
  });
});

describe('importing a document', () => {
  const text = 'We open at nine. On Saturdays we open at ten.';

  // Proves rules kb.1, kb.5.
  it('queues it and creates its FAQs', async () => {
    const path = await kb.upload('hours.txt', text);
    const { status, body } = await kb.file(path, 'hours.txt');
    expect([status, body]).toEqual([202, { success: true, source_id: expect.stringMatching(/^src_/), status: 'queued' }]);
    await settle(service);
    expect(await kb.state(body.source_id)).toMatchObject({ status: 'ready', faq_count: 1, section_count: 1, error_message: null });
    expect(await kb.faqs()).toMatchObject([{ answer: text, category: 'hours.txt', tags: [path] }]);
  });

  // Proves rule kb.13.
  it.each([
    'users/other/uploads/a.txt',
    '/etc/passwd',
    '../secret.txt',
    'users/ID/uploads/../../other/uploads/a.txt',
    'users/ID/uploads/../a.txt',
    'users/ID/uploads',
    'users/ID/uploads/',
    'users/ID/uploads-of-others/a.txt',
    'Users/ID/uploads/a.txt',
    'users\\ID\\uploads\\a.txt',
    'uploads/a.txt',
    './users/ID/uploads/../../../etc/passwd',
  ])('rejects the path %s', async (path) => {
    expect(await kb.file(path.replace('ID', service.accountId), 'a.txt')).toMatchObject({ status: 403, body: { error_code: 403 } });
    expect((await list()).sources).toEqual([]);
  });

  it("accepts a path that resolves to the account's own file", async () => {
    const path = await kb.upload('hours.txt', text);
    const { body } = await kb.file(path.replace('/uploads/', '/uploads/x/.././'), 'hours.txt');
    await settle(service);
    expect(await kb.status(body.source_id)).toBe('ready');
  });

  it('never reads a file of another account', async () => {
    const path = await kb.upload('hours.txt', text);
    await service.freshAccount();
    expect(await (await Knowledge.make(service)).file(path, 'hours.txt')).toMatchObject({ status: 403 });
  });

  // Proves rule kb.14.
  it.each(['hours.exe', 'hours', 'hours.html', 'pdf', '.docx.zip', 'hours.doc', ' '])('rejects the file name %j', async (filename) => {
    const path = await kb.upload('hours.txt', text);
    expect(await kb.file(path, filename)).toMatchObject({ status: 400 });
  });

  it.each(['storage_path', 'filename', 'mime_type'])('requires %s', async (field) => {
    const body = { storage_path: await kb.upload('a.txt', text), filename: 'a.txt', mime_type: 'text/plain' };
    for (const value of [undefined, '', null])
      expect(await service.post('/kb-sources/file', { ...body, [field]: value })).toMatchObject({ status: 400 });
  });

  it('determines the format from the file name, whatever the media type', async () => {
    const path = await kb.upload('data', 'question,answer\nWhen do you open?,At nine.\n');
    const { body } = await kb.file(path, 'DATA.CSV', { mime_type: 'application/pdf' });
    await settle(service);
    expect(await kb.status(body.source_id)).toBe('ready');
    expect(await kb.answers()).toEqual({ 'When do you open?': 'At nine.' });
  });

  // Proves rules kb.15, kb.16, kb.19.
  it('fails without charge if the file does not exist', async () => {
    const before = await kb.balance();
    const { status, body } = await kb.file(`users/${service.accountId}/uploads/missing.pdf`, 'missing.pdf');
    expect(status).toBe(202);
    await settle(service);
    const message = 'There is no such file in the storage of the account: upload it first';
    expect(await kb.state(body.source_id)).toEqual({
      success: true,
      source_id: body.source_id,
      status: 'failed',
      faq_count: 0,
      section_count: 0,
      error_message: message,
    });
    expect(await kb.balance()).toBe(before);
  });

  it('creates a new source for each import', async () => {
    const path = await kb.upload('hours.txt', text);
    const ids = [(await kb.file(path, 'hours.txt')).body.source_id, (await kb.file(path, 'hours.txt')).body.source_id];
    await settle(service);
    expect(ids[0]).not.toBe(ids[1]);
    expect(await Promise.all(ids.map((id) => kb.status(id)))).toEqual(['ready', 'ready']);
  });
});

describe('links created by an import', () => {
  const attached = async (agent: string) => (await service.get(`/agents/${agent}`)).body.agent.kb_source_refs;

  // Proves rule kb.6.
  it('attach the source to an agent, which answers from it', async () => {
    const agent = await KnowingAgent.make(service);
    const id = await kb.importPage(site.url('/hours'), { autoLinkToAgentId: agent.id, autoLinkToCampaignId: undefined });
    expect(await attached(agent.id)).toEqual([id]);
    const { answer, source, faqs } = await agent.ask('When do you open?');
    expect([answer, source]).toEqual(['We open at nine in the morning, on Saturdays at ten.', 'faq']);
    expect(faqs[0]).toMatchObject({ source_id: id, url: site.url('/hours') });
    expect(answer).not.toContain('http');
    expect((await service.get(`/agents/${agent.id}?fields=faq_refs_count`)).body.agent.faq_refs_count).toBe(1);
    expect(await kb.faqs()).toEqual([]);
  });

  it('are skipped for unknown agents and campaigns, and those of other accounts', async () => {
    const { api_key: key } = await service.makeAccount();
    const foreignAgent = (await service.post('/agents', { name: 'Eve' }, { key })).body.agent_id as string;
    const foreignCampaign = (await service.post('/campaigns', { name: 'Eve' }, { key })).body.campaign.id as string;
    const ids = [
      await kb.importPage(site.url('/hours'), { autoLinkToAgentId: 'agt_unknown', autoLinkToCampaignId: 'cmp_unknown' }),
      await kb.importPage(site.url('/returns'), { autoLinkToAgentId: foreignAgent, autoLinkToCampaignId: foreignCampaign }),
    ];
    expect(await Promise.all(ids.map((id) => kb.status(id)))).toEqual(['ready', 'ready']);
    expect((await service.get(`/agents/${foreignAgent}`, { key })).body.agent.kb_source_refs).toEqual([]);
    expect((await service.get('/faqs', { key })).body.faqs).toEqual([]);
    expect((await service.get('/faqs')).body.faqs.length).toBe(2);
  });

  // Proves rule kb.7.
  it('are also created for a page that was already imported', async () => {
    const agent = await KnowingAgent.make(service);
    const id = await kb.importPage(site.url('/hours'), { autoLinkToCampaignId: undefined });
    expect(await kb.faqs()).toEqual([]);
    const links = { autoLinkToAgentId: agent.id, autoLinkToCampaignId: agent.campaign };
    expect((await kb.page(site.url('/hours'), links)).body.status).toBe('exists');
    await settle(service);
    expect(await attached(agent.id)).toEqual([id]);
    expect((await service.get(`/faqs?campaign_id=${agent.campaign}`)).body.faqs.length).toBe(1);
    expect((await agent.ask('When do you open?')).source).toBe('faq');
    expect((await kb.pages([site.url('/hours')])).body).toMatchObject({ queued: 0, skipped_duplicate: 1 });
    expect((await kb.faqs()).length).toBe(1);
  });

  it('are also created for a page that is waiting', async () => {
    const agent = await KnowingAgent.make(service);
    await kb.hold('kb_import');
    await kb.page(site.url('/hours'), { autoLinkToCampaignId: undefined });
    await kb.page(site.url('/hours'), { autoLinkToCampaignId: agent.campaign });
    await kb.hold();
    await settle(service);
    expect((await service.get(`/faqs?campaign_id=${agent.campaign}`)).body.faqs.length).toBe(1);
  });

  it('are skipped for an agent or campaign that is deleted meanwhile', async () => {
    const agent = (await service.post('/agents', { name: 'Ada' })).body.agent_id;
    await kb.hold('kb_import');
    const { body } = await kb.page(site.url('/hours'), { autoLinkToAgentId: agent });
    await service.delete(`/agents/${agent}`);
    await service.delete(`/campaigns/${kb.campaign}`);
    await kb.hold();
    await settle(service);
    expect(await kb.status(body.source_id)).toBe('ready');
    expect((await service.get('/faqs')).body.faqs).toMatchObject([{ campaign_ids: [] }]);
  });
});

describe('the list of sources', () => {
  // Proves rules kb.3, kb.4.
  it('contains pages and documents, newest first', async () => {
    const agent = await KnowingAgent.make(service);
    const page = await kb.importPage(site.url('/hours'), { autoLinkToAgentId: agent.id });
    const path = await kb.upload('notes.md', '# Notes\n\nOf the bicycles.\n');
    const { body } = await kb.file(path, 'notes.md');
    await settle(service);
    const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(await list()).toEqual({
      success: true,
      sources: [
        {
          source_id: body.source_id,
          url: null,
          storage_path: path,
          title: 'Notes',
          status: 'ready',
          faq_count: 1,
          section_count: 1,
          agent_ids: [],
          created_at: instant,
          refreshed_at: null,
        },
        {
          source_id: page,
          url: site.url('/hours'),
          storage_path: null,
          title: 'Opening hours',
          status: 'ready',
          faq_count: 1,
          section_count: 1,
          agent_ids: [agent.id],
          created_at: instant,
          refreshed_at: null,
        },
      ],
      next_cursor: null,
    });
  });

  it('can be filtered by status, host and agent', async () => {
    const agent = await KnowingAgent.make(service);
    const ready = await kb.importPage(site.url('/hours'), { autoLinkToAgentId: agent.id });
    const failed = await kb.importPage(site.url('/missing'));
    const document = await kb.importFile('a.txt', 'Something about bicycles.');
    const ids = async (query: string) => (await list(query)).sources.map(({ source_id: id }: { source_id: string }) => id);
    expect(await ids('?status=ready')).toEqual([document, ready]);
    expect(await ids('?status=failed')).toEqual([failed]);
    expect(await ids(`?host=${site.host}`)).toEqual([failed, ready]);
    expect(await ids(`?host=${encodeURIComponent(site.url('/x'))}`)).toEqual([failed, ready]);
    expect(await ids('?host=127.0.0.1')).toEqual([]);
    expect(await ids(`?agent_id=${agent.id}`)).toEqual([ready]);
    expect(await ids(`?agent_id=${agent.id}&status=failed`)).toEqual([]);
    for (const query of ['?status=lost', '?limit=0', '?limit=101', '?cursor=x'])
      expect(await service.get(`/kb-sources${query}`)).toMatchObject({ status: 400 });
    expect(await service.get('/kb-sources?agent_id=agt_unknown')).toMatchObject({ status: 404 });
  });

  it('is paginated', async () => {
    await kb.hold('kb_import');
    await kb.pages(Array.from({ length: 5 }, (_, number) => site.url(`/${number}`)));
    const first = await list('?limit=2');
    const second = await list(`?limit=2&cursor=${encodeURIComponent(first.next_cursor)}`);
    const third = await list(`?limit=2&cursor=${encodeURIComponent(second.next_cursor)}`);
    const urls = [first, second, third].flatMap(({ sources }) => sources.map(({ url }: { url: string }) => url));
    expect(urls).toEqual([4, 3, 2, 1, 0].map((number) => site.url(`/${number}`)));
    expect(third.next_cursor).toBeNull();
  });
});

describe('permissions of members and keys', () => {
  it('are required for changes, but not for reads', async () => {
    const key = await service.signIn(['contacts.edit']);
    expect(await service.get('/kb-sources', { key })).toMatchObject({ status: 200 });
    expect(await service.post('/kb-sources/url', { url: site.url() }, { key })).toMatchObject({ status: 403 });
    const editor = await service.signIn(['knowledge.edit']);
    expect(await service.post('/kb-sources/url', { url: site.url() }, { key: editor })).toMatchObject({ status: 202 });
    await settle(service);
  });
});
