import { describe, expect, it } from 'vitest';
import { KnowingAgent, settle } from '../../../support/agents.ts';
import { kb, service, site, testKnowledge } from '../../../support/kb-prelude.ts';
import { html } from '../../../support/site.ts';
import { until } from '../../../support/until.ts';

testKnowledge({
  '/a': html(
    'Alpha',
    '<main><h2>What is Alpha?</h2><p>A kind of bicycle.</p><h2>Who made it?</h2><p>We did, in our own workshop.</p></main>',
  ),
  '/b': html('Beta', '<main><h2>What is Beta?</h2><p>Another kind of bicycle, for the mountains.</p></main>'),
});

const remove = (id: string, query = '') => service.delete(`/kb-sources/${id}${query}`);

const removeMany = (sourceIds: unknown, more: object = {}) => service.post('/kb-sources/bulk-delete', { sourceIds, ...more });

describe('deleting a source', () => {
  // Proves rule kb.37.
  it('keeps its FAQs, with their links', async () => {
    const agent = await KnowingAgent.make(service);
    const id = await kb.importPage(site.url('/a'), { autoLinkToAgentId: agent.id });
    const { status, body } = await remove(id);
    expect([status, body]).toEqual([200, { success: true, faqs_deleted: 0 }]);
    expect((await kb.faqs()).map(({ question }) => question)).toEqual(['What is Alpha?', 'Who made it?']);
    expect(await service.get(`/kb-sources/${id}`)).toMatchObject({ status: 404 });
    expect(await remove(id)).toMatchObject({ status: 404 });
    expect((await service.get(`/agents/${agent.id}`)).body.agent).toMatchObject({ kb_source_refs: [], faq_refs: [] });
    expect(await agent.find('What is Alpha?')).toEqual([]);
  });

  it.each([
    ['true', 2],
    ['false', 0],
  ])('with delete_faqs=%s deletes %d FAQs', async (value, deleted) => {
    const id = await kb.importPage(site.url('/a'));
    expect((await remove(id, `?delete_faqs=${value}`)).body).toEqual({ success: true, faqs_deleted: deleted });
    expect((await kb.faqs()).length).toBe(2 - deleted);
  });

  it('deletes its FAQs if that is already under way', async () => {
    const id = await kb.importPage(site.url('/a'));
    await kb.hold('kb_delete');
    await removeMany([id]);
    expect((await remove(id)).body).toEqual({ success: true, faqs_deleted: 2 });
    await kb.hold();
    await settle(service);
    expect(await kb.faqs()).toEqual([]);
  });

  // Proves rule kb.11.
  it('lets its page be imported again while it is being deleted', async () => {
    const id = await kb.importPage(site.url('/a'));
    await kb.hold('kb_delete');
    await removeMany([id]);
    const { status, body } = await kb.page(site.url('/a'));
    expect([status, body.status]).toEqual([202, 'queued']);
    const { body: again } = await service.post('/kb-sources/bulk-import', { urls: [site.url('/a')] });
    expect(again).toMatchObject({ queued: 0, skipped_duplicate: 1 });
    await kb.hold();
    await settle(service);
    expect((await service.get('/kb-sources')).body.sources).toMatchObject([{ source_id: body.source_id, status: 'ready', faq_count: 2 }]);
    expect((await kb.faqs()).length).toBe(2);
  });

  it('rejects a delete_faqs that is neither true nor false', async () => {
    const id = await kb.importPage(site.url('/a'));
    expect(await remove(id, '?delete_faqs=perhaps')).toMatchObject({ status: 400 });
    expect((await kb.faqs()).length).toBe(2);
  });

  // Proves rule kb.40.
  it('removes it from the queue', async () => {
    await kb.hold('kb_import');
    const { source_id: id } = (await kb.page(site.url('/a'))).body;
    expect((await remove(id)).status).toBe(200);
    expect((await service.sandbox('GET', '/jobs')).body.waiting).not.toHaveProperty('kb_import');
    site.take();
    await kb.hold();
    await settle(service);
    expect([site.take(), await kb.balance()]).toEqual([[], 1_000]);
  });

  it('leaves nothing behind if it is being read', async () => {
    const page = site.pages.get('/a') as string;
    const { promise, resolve } = Promise.withResolvers<void>();
    site.pages.set('/a', (response) => void promise.then(() => response.setHeader('content-type', 'text/html').end(page)));
    site.take();
    const { source_id: id } = (await kb.page(site.url('/a'))).body;
    const settled = settle(service);
    await until(() => site.requests.some(({ path }) => path === '/a'));
    expect((await remove(id)).status).toBe(200);
    resolve();
    await settled;
    site.pages.set('/a', page);
    expect([await kb.faqs(), await kb.balance()]).toEqual([[], 1_000]);
    expect(service.errors).toEqual([]);
  });

  it('lets the page be imported again', async () => {
    const id = await kb.importPage(site.url('/a'));
    await remove(id);
    expect((await kb.page(site.url('/a'))).body.status).toBe('queued');
  });
});

describe('deleting many sources', () => {
  // Proves rule kb.38.
  it('happens in the background and includes their FAQs', async () => {
    const ids = [await kb.importPage(site.url('/a')), await kb.importPage(site.url('/b'))];
    await service.post('/faqs', { campaign_id: kb.campaign, question: 'Whose is this?', answer: 'Ours.' });
    await kb.hold('kb_delete');
    const { status, body } = await removeMany([...ids, 'src_unknown', ids[0]], { domainLabel: 'shop.example' });
    expect([status, body]).toEqual([202, { success: true, batch_id: expect.any(String), queued: 2 }]);
    expect(await Promise.all(ids.map((id) => kb.status(id)))).toEqual(['deleting', 'deleting']);
    expect((await service.get('/kb-sources?status=deleting')).body.sources.length).toBe(2);
    expect((await removeMany(ids)).body.queued).toBe(0);
    await kb.hold();
    await settle(service);
    for (const id of ids) expect(await service.get(`/kb-sources/${id}`)).toMatchObject({ status: 404 });
    expect((await kb.faqs()).map(({ question }) => question)).toEqual(['Whose is this?']);
  });

  it('ignores the sources of other accounts', async () => {
    const id = await kb.importPage(site.url('/a'));
    const { api_key: key } = await service.makeAccount();
    expect((await service.post('/kb-sources/bulk-delete', { sourceIds: [id] }, { key })).body.queued).toBe(0);
    await settle(service);
    expect(await kb.status(id)).toBe('ready');
  });

  it('removes waiting imports from the queue', async () => {
    await kb.hold('kb_import');
    const { queued_source_ids: ids } = (await kb.pages([site.url('/a'), site.url('/b')])).body;
    await removeMany(ids);
    await kb.hold();
    site.take();
    await settle(service);
    expect([site.take(), await kb.faqs(), await kb.balance()]).toEqual([[], [], 1_000]);
    expect((await service.get('/kb-sources')).body.sources).toEqual([]);
  });

  it('deletes a source with a thousand FAQs', async () => {
    await kb.account({ credits: 10_000 });
    const rows = Array.from({ length: 1_000 }, (_, number) => `What is the price of bicycle ${number}?,It is ${number} crowns.`);
    const id = await kb.importFile('prices.csv', `question,answer\n${rows.join('\n')}\n`);
    expect(await kb.state(id)).toMatchObject({ status: 'ready', faq_count: 1_000 });
    await removeMany([id]);
    await settle(service);
    expect(await kb.faqs()).toEqual([]);
    expect(await service.get(`/kb-sources/${id}`)).toMatchObject({ status: 404 });
  });

  // Proves rule kb.11.
  it('lets their pages be imported again afterwards', async () => {
    const id = await kb.importPage(site.url('/a'));
    await removeMany([id]);
    await settle(service);
    expect((await kb.page(site.url('/a'))).body.status).toBe('queued');
  });

  it.each([
    ['empty', []],
    ['too long', Array.from({ length: 2_001 }, (_, number) => `src_${number}`)],
    ['not a list', 'src_1'],
    ['null', null],
    ['numeric', [1]],
  ])('rejects a list of ids that is %s', async (_name, ids) => {
    expect(await removeMany(ids)).toMatchObject({ status: 400 });
  });

  it('accepts 2,000 and deletes all of their jobs', async () => {
    await kb.account({ credits: 2_000 });
    await kb.hold('kb_import');
    const ids: string[] = [];
    for (let from = 0; from < 2_000; from += 100) {
      const urls = Array.from({ length: 100 }, (_, number) => site.url(`/bikes/${from + number}`));
      ids.push(...((await kb.pages(urls)).body.queued_source_ids as string[]));
    }
    expect(await removeMany(ids)).toMatchObject({ status: 202, body: { queued: 2_000 } });
    expect((await service.sandbox('GET', '/jobs')).body.waiting).not.toHaveProperty('kb_import');
    await settle(service);
    expect((await service.get('/kb-sources')).body.sources).toEqual([]);
    expect((await service.sandbox('GET', '/jobs')).body.waiting).toEqual({});
  });

  it('ends a refresh that was to read them, and counts each once', async () => {
    const ids = [await kb.importPage(site.url('/a')), await kb.importPage(site.url('/b'))];
    await kb.hold('kb_refresh');
    expect((await service.post('/kb-sources/trigger-domain-refresh', { baseUrl: site.host })).body.queued).toBe(2);
    await removeMany(ids);
    await kb.hold();
    await settle(service);
    const { body } = await service.get(`/kb-sources/domain-refresh-status?baseUrl=${site.host}`);
    expect(body.job).toMatchObject({ status: 'failed', total: 2, pending: 0, succeeded: 0, failed: 2 });
  });
});
