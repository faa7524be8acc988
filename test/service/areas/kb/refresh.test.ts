import { describe, expect, it } from 'vitest';
import { KnowingAgent, settle } from '../../../support/agents.ts';
import { kb, service, site, testKnowledge } from '../../../support/kb-prelude.ts';
import { answer, html, Site } from '../../../support/site.ts';
import { until } from '../../../support/until.ts';

const hours = (time: string, more = '') =>
  html('Hours', `<main><h2>When do you open?</h2><p>We open at ${time} in the morning, every day but Sunday.</p>${more}</main>`);
const about = (name: string) =>
  html(name, `<main><h2>What is ${name}?</h2><p>A page about ${name}, which is a kind of bicycle.</p></main>`);

testKnowledge({ '/hours': hours('nine'), '/a': about('Alpha'), '/b': about('Beta'), '/c': about('Gamma') });

const refresh = (id: string) => service.post(`/kb-sources/${id}/refresh`);

const sourcesOf = async () => (await service.get('/kb-sources?limit=100')).body.sources;

const trigger = (baseUrl = site.url()) => service.post('/kb-sources/trigger-domain-refresh', { baseUrl });

const job = async (baseUrl = site.url()) =>
  (await service.get(`/kb-sources/domain-refresh-status?baseUrl=${encodeURIComponent(baseUrl)}`)).body.job;

const cancelRefresh = (jobId: unknown) => service.post('/kb-sources/refresh-domain/cancel', { jobId });

/** Delays the response for a path. @returns a function that sends it */
function holdBack(path: string): () => void {
  const page = site.pages.get(path) as string;
  const { promise, resolve } = Promise.withResolvers<void>();
  site.pages.set(path, (response) => {
    void promise.then(() => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(page);
    });
  });
  return resolve;
}

/** Runs jobs until a path has been requested. */
async function runUntil(path: string): Promise<{ settled: Promise<void> }> {
  site.take();
  const settled = settle(service);
  await until(() => site.requests.some((request) => request.path === path));
  return { settled };
}

describe('refreshing a source', () => {
  // Proves rule kb.41.
  it('queues it and reads it in the background', async () => {
    const id = await kb.importPage(site.url('/hours'));
    await kb.hold('kb_refresh');
    const { status, body } = await refresh(id);
    expect([status, body]).toEqual([200, { success: true, source_id: id, status: 'queued' }]);
    expect((await refresh(id)).body.status).toBe('queued');
    await kb.hold();
    service.clock.now += 60_000;
    await settle(service);
    expect(await kb.status(id)).toBe('ready');
    expect((await sourcesOf())[0].refreshed_at).toBe(new Date(service.clock.now).toISOString());
    expect(await refresh('src_unknown')).toMatchObject({ status: 404 });
  });

  // Proves rule kb.42.
  it('costs nothing if the page is unchanged, and keeps its FAQs', async () => {
    const id = await kb.importPage(site.url('/hours'));
    const before = await kb.faqs();
    await refresh(id);
    await settle(service);
    expect(await kb.faqs()).toEqual(before);
    expect(await kb.balance()).toBe(999);
    expect(await kb.state(id)).toMatchObject({ status: 'ready', faq_count: 1, section_count: 1, error_message: null });
  });

  it('sends conditional requests with ETag and Last-Modified', async () => {
    const version = { etag: '"v1"', 'last-modified': 'Mon, 01 Mar 2027 00:00:00 GMT' };
    site.pages.set('/hours', (response, request) => {
      const isKnown = request.headers['if-none-match'] === version.etag;
      response.writeHead(isKnown ? 304 : 200, { ...version, 'content-type': 'text/html' });
      response.end(isKnown ? '' : hours('nine'));
    });
    const id = await kb.importPage(site.url('/hours'));
    const first = site.requests.find(({ path }) => path === '/hours')?.headers;
    expect(first).not.toHaveProperty('if-none-match');
    expect(first).not.toHaveProperty('if-modified-since');
    const before = await kb.faqs();
    site.take();
    await refresh(id);
    await settle(service);
    expect(site.requests[0]).toMatchObject({
      path: '/hours',
      headers: { 'if-none-match': '"v1"', 'if-modified-since': 'Mon, 01 Mar 2027 00:00:00 GMT' },
    });
    expect([await kb.faqs(), await kb.balance(), await kb.status(id)]).toEqual([before, 999, 'ready']);
    // The next request has the same conditions.
    site.take();
    await refresh(id);
    await settle(service);
    expect(site.requests[0]?.headers['if-none-match']).toBe('"v1"');
  });

  // Proves rule kb.42: a source that an older version read has no text.
  it('asks without conditions for a page whose text is not kept, and keeps it', async () => {
    site.pages.set('/hours', (response, request) => {
      const isKnown = request.headers['if-none-match'] === '"v1"';
      response.writeHead(isKnown ? 304 : 200, { etag: '"v1"', 'content-type': 'text/html' });
      response.end(isKnown ? '' : hours('nine'));
    });
    const id = await kb.importPage(site.url('/hours'));
    const read = (await service.get(`/kb-sources/${id}/text`)).body;
    await service.write((db) => db.deleteFrom('kb_texts').execute());
    expect((await service.get(`/kb-sources/${id}/text`)).body).toMatchObject({ sections: [] });
    site.take();
    await refresh(id);
    await settle(service);
    expect(site.requests[0]?.headers).not.toHaveProperty('if-none-match');
    expect((await service.get(`/kb-sources/${id}/text`)).body).toEqual(read);
    expect(await kb.balance()).toBe(999);
    site.take();
    await refresh(id);
    await settle(service);
    expect(site.requests[0]?.headers['if-none-match']).toBe('"v1"');
  });

  // Proves rule kb.43.
  it('charges for a changed page and updates its FAQs', async () => {
    const agent = await KnowingAgent.make(service);
    const id = await kb.importPage(site.url('/hours'), { autoLinkToAgentId: agent.id });
    const [faq] = await kb.faqs();
    site.pages.set('/hours', hours('ten', '<h2>Where are you?</h2><p>In the old town, next to the bridge.</p>'));
    await refresh(id);
    await settle(service);
    const [kept, added] = await kb.faqs();
    expect(kept).toMatchObject({ id: faq?.id, answer: 'We open at ten in the morning, every day but Sunday.' });
    expect(added).toMatchObject({ question: 'Where are you?' });
    expect(await kb.balance()).toBe(998);
    expect(await kb.state(id)).toMatchObject({ status: 'ready', faq_count: 2, section_count: 2 });
    expect((await agent.ask('When do you open?')).answer).toContain('at ten');
    site.pages.set('/hours', html('Hours', '<main><h2>Where are you?</h2><p>In the old town, next to the bridge.</p></main>'));
    await refresh(id);
    await settle(service);
    expect((await kb.faqs()).map(({ question }) => question)).toEqual(['Where are you?']);
    expect((await service.get(`/faqs/${faq?.id}`)).status).toBe(404);
    expect(await agent.find('When do you open?')).not.toContain(faq?.id);
  });

  // Proves rule kb.43.
  it('keeps an edited answer, until it is the generated one again', async () => {
    const id = await kb.importPage(site.url('/hours'));
    const [faq] = await kb.faqs();
    const edit = async (answer: string) => expect((await service.put(`/faqs/${faq?.id}`, { answer })).status).toBe(200);
    const readAgain = async (time: string) => {
      site.pages.set('/hours', hours(time));
      await refresh(id);
      await settle(service);
      expect(await kb.state(id)).toMatchObject({ status: 'ready', faq_count: 1, error_message: null });
      return (await kb.faqs()).map(({ answer }) => answer);
    };
    await edit('At nine, but knock twice.');
    expect(await readAgain('ten')).toEqual(['At nine, but knock twice.']);
    expect(await readAgain('eleven')).toEqual(['At nine, but knock twice.']);
    await edit(faq?.answer ?? '');
    expect(await readAgain('noon')).toEqual([expect.stringContaining('noon')]);
  });

  // Proves rule kb.44.
  it('keeps the FAQs of a page that can no longer be read', async () => {
    const id = await kb.importPage(site.url('/hours'));
    const before = await kb.faqs();
    site.pages.set('/hours', answer(500, {}));
    await refresh(id);
    await settle(service);
    expect(await kb.state(id)).toMatchObject({
      status: 'ready',
      faq_count: 1,
      error_message: 'It could not be read again: The page cannot be read: the server answered 500',
    });
    expect([await kb.faqs(), await kb.balance()]).toEqual([before, 999]);
    site.pages.set('/hours', hours('nine'));
    await refresh(id);
    await settle(service);
    expect(await kb.state(id)).toMatchObject({ status: 'ready', error_message: null });
  });

  it('keeps the FAQs of a changed page if credits do not suffice', async () => {
    const id = await kb.importPage(site.url('/hours'));
    const before = await kb.faqs();
    await kb.account({ credits: 0 });
    site.pages.set('/hours', hours('ten'));
    await refresh(id);
    await settle(service);
    expect(await kb.state(id)).toMatchObject({
      status: 'ready',
      error_message: expect.stringMatching(/changed.*old FAQs are kept.*credits/),
    });
    expect(await kb.faqs()).toEqual(before);
    // Once there are credits, the page is read although it has not changed since.
    await kb.account({ credits: 5 });
    await refresh(id);
    await settle(service);
    expect((await kb.faqs())[0]?.answer).toContain('at ten');
    expect(await kb.balance()).toBe(4);
  });

  it('reads a document again', async () => {
    const id = await kb.importFile('a.md', '## When do you open?\n\nAt nine.\n');
    await refresh(id);
    await settle(service);
    expect([await kb.status(id), await kb.balance()]).toEqual(['ready', 999]);
  });

  it('imports a failed source again', async () => {
    site.pages.set('/late', answer(503, {}));
    const id = await kb.importPage(site.url('/late'));
    expect(await kb.status(id)).toBe('failed');
    site.pages.set('/late', about('Late'));
    expect((await refresh(id)).body).toEqual({ success: true, source_id: id, status: 'queued' });
    await settle(service);
    expect(await kb.state(id)).toMatchObject({ status: 'ready', faq_count: 1, error_message: null });
    expect(await kb.balance()).toBe(999);
  });
});

describe('cancelling imports', () => {
  const cancel = (body: object = {}) => service.post('/kb-sources/cancel-import', body);

  // Proves rule kb.33.
  it('cancels waiting imports, free of charge', async () => {
    await kb.hold('kb_import');
    await kb.pages([site.url('/a'), site.url('/b')]);
    expect((await cancel()).body).toEqual({ success: true, cancelled: 2, in_flight: 0 });
    expect((await cancel()).body).toEqual({ success: true, cancelled: 0, in_flight: 0 });
    await kb.hold();
    await settle(service);
    expect((await sourcesOf()).map(({ status }: { status: string }) => status)).toEqual(['cancelled', 'cancelled']);
    expect([await kb.balance(), await kb.faqs(), site.take()]).toEqual([1_000, [], []]);
  });

  it('can be limited to a host', async () => {
    const other = await Site.open({ '/': about('Other') });
    await kb.hold('kb_import');
    await kb.pages([site.url('/a'), other.url('/')]);
    await kb.file(await kb.upload('a.txt', 'A bicycle.'), 'a.txt');
    expect((await cancel({ host: 'nowhere.example' })).body).toMatchObject({ cancelled: 0 });
    expect((await cancel({ host: other.host })).body).toMatchObject({ cancelled: 1 });
    expect((await sourcesOf()).map(({ status }: { status: string }) => status)).toEqual(['queued', 'cancelled', 'queued']);
    await kb.hold();
    await settle(service);
    await other.close();
  });

  it('lets imports being read finish and be charged, and counts them', async () => {
    const release = holdBack('/a');
    const id = (await kb.page(site.url('/a'))).body.source_id;
    const running = await runUntil('/a');
    expect(await kb.status(id)).toBe('processing');
    expect((await cancel()).body).toEqual({ success: true, cancelled: 0, in_flight: 1 });
    release();
    await running.settled;
    expect([await kb.status(id), await kb.balance()]).toEqual(['ready', 999]);
  });

  // Proves rule kb.34.
  it('leaves a source ready that was waiting for a refresh', async () => {
    const id = await kb.importPage(site.url('/a'));
    await kb.hold('kb_refresh');
    await refresh(id);
    expect((await cancel()).body).toMatchObject({ cancelled: 1 });
    await kb.hold();
    await settle(service);
    expect(await kb.status(id)).toBe('ready');
  });
});

describe("the account's own AI key", () => {
  const resume = (body: object = {}) => service.post('/kb-sources/resume-import', body);

  // Proves rules kb.35, kb.36.
  it('pauses imports if it fails, which continue when resumed', async () => {
    await kb.account({ own_ai_key: 'failing' });
    const id = await kb.importPage(site.url('/a'));
    expect(await kb.state(id)).toMatchObject({ status: 'paused', faq_count: 0, error_message: expect.stringContaining('AI key') });
    expect((await kb.page(site.url('/a'))).body.status).toBe('exists');
    await kb.account({ own_ai_key: 'valid' });
    expect((await resume()).body).toEqual({ success: true, resumed: 1 });
    expect((await resume()).body).toEqual({ success: true, resumed: 0 });
    await settle(service);
    expect(await kb.state(id)).toMatchObject({ status: 'ready', error_message: null });
    expect(await kb.balance()).toBe(1_000);
  });

  it('is replaced by credits if it still fails when imports are resumed', async () => {
    await kb.account({ own_ai_key: 'failing' });
    const id = await kb.importPage(site.url('/a'));
    await resume();
    await settle(service);
    expect([await kb.status(id), await kb.balance()]).toEqual(['ready', 999]);
  });

  it('pauses waiting imports if it fails', async () => {
    await kb.account({ own_ai_key: 'valid' });
    await kb.hold('kb_import');
    const { body } = await kb.pages([site.url('/a'), site.url('/b')]);
    await kb.account({ own_ai_key: 'failing' });
    await kb.hold();
    await settle(service);
    expect(await Promise.all(body.queued_source_ids.map((id: string) => kb.status(id)))).toEqual(['paused', 'paused']);
  });

  it('lets the imports of one host be resumed', async () => {
    const other = await Site.open({ '/': about('Other') });
    await kb.account({ own_ai_key: 'failing' });
    await kb.pages([site.url('/a'), other.url('/')]);
    await settle(service);
    expect((await resume({ host: other.host })).body.resumed).toBe(1);
    await settle(service);
    expect((await sourcesOf()).map(({ status }: { status: string }) => status)).toEqual(['ready', 'paused']);
    await other.close();
  });

  it('pauses a refreshed source if it fails, which keeps its FAQs', async () => {
    const id = await kb.importPage(site.url('/hours'));
    await kb.account({ own_ai_key: 'failing' });
    await refresh(id);
    await settle(service);
    expect(await kb.status(id)).toBe('paused');
    expect((await kb.faqs()).length).toBe(1);
    site.pages.set('/hours', hours('ten'));
    await resume();
    await settle(service);
    expect(await kb.status(id)).toBe('ready');
    expect((await kb.faqs())[0]?.answer).toContain('at ten');
  });

  it('lets paused sources be deleted', async () => {
    await kb.account({ own_ai_key: 'failing' });
    const id = await kb.importPage(site.url('/a'));
    expect((await service.delete(`/kb-sources/${id}`)).status).toBe(200);
    expect((await resume()).body.resumed).toBe(0);
  });
});

describe('refreshing a website', () => {
  const imported = async () => (await kb.pages(['/a', '/b', '/c'].map((path) => site.url(path)))).body.queued_source_ids as string[];

  // Proves rules kb.45, kb.46, kb.47.
  it('reads its pages again', async () => {
    const ids = await imported();
    await settle(service);
    expect(await job()).toBeNull();
    await kb.hold('kb_refresh');
    expect(await trigger()).toMatchObject({ status: 200, body: { success: true, queued: 3 } });
    const begun = {
      domainBatchId: expect.any(String),
      host: site.host,
      total: 3,
      pending: 3,
      succeeded: 0,
      failed: 0,
      skippedDuplicate: 0,
      merged: [],
      status: 'refreshing',
      startedAtIso: new Date(service.clock.now).toISOString(),
    };
    expect(await job()).toEqual(begun);
    expect(await trigger()).toMatchObject({ status: 409 });
    expect((await sourcesOf()).map(({ status }: { status: string }) => status)).toEqual(['queued', 'queued', 'queued']);
    site.pages.set('/a', answer(404, {}));
    site.pages.set('/b', html('Beta', '<main><h2>What is Beta?</h2><p>Beta is now another kind of bicycle.</p></main>'));
    await kb.hold();
    await settle(service);
    expect(await job()).toEqual({ ...begun, pending: 0, succeeded: 2, failed: 1, status: 'completed' });
    expect(await Promise.all(ids.map((id) => kb.status(id)))).toEqual(['ready', 'ready', 'ready']);
    expect(await kb.balance()).toBe(996);
    expect((await kb.answers())['What is Beta?']).toBe('Beta is now another kind of bicycle.');
    expect(await trigger()).toMatchObject({ status: 200, body: { queued: 3 } });
  });

  it.each([['with the scheme'], ['without the scheme'], ['with a path']])('accepts an address %s', async (name) => {
    await imported();
    await settle(service);
    const baseUrl = { 'with the scheme': site.url(), 'without the scheme': site.host, 'with a path': site.url('/docs/x?y#z') }[name] ?? '';
    expect((await trigger(baseUrl)).body.queued).toBe(3);
    await settle(service);
    expect(await job(baseUrl)).toMatchObject({ host: site.host, status: 'completed' });
  });

  it('does nothing without pages', async () => {
    expect(await trigger()).toMatchObject({ status: 200, body: { queued: 0 } });
    expect(await job()).toBeNull();
    expect(await service.get('/kb-sources/domain-refresh-status')).toMatchObject({ status: 400 });
  });

  // Proves rule kb.78.
  it.each([
    '',
    ' ',
    undefined,
    null,
    7,
    'bad',
    'bad/path',
    'not a url',
    'mailto:a@b.example',
    'ftp://example.com',
    'https://u:p@example.com',
  ])('refuses %j, which is not the address of a website', async (baseUrl) => {
    for (const path of ['trigger-domain-refresh', 'refresh-domain'])
      expect(await service.post(`/kb-sources/${path}`, { baseUrl })).toMatchObject({
        status: 400,
        body: { error: expect.stringMatching(/^baseUrl: /) },
      });
    if (typeof baseUrl !== 'string') return;
    const status = await service.get(`/kb-sources/domain-refresh-status?baseUrl=${encodeURIComponent(baseUrl)}`);
    expect(status).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^baseUrl: /) } });
  });

  it('fails if no page can be read', async () => {
    await imported();
    await settle(service);
    for (const path of ['/a', '/b', '/c']) site.pages.set(path, answer(500, {}));
    await trigger();
    await settle(service);
    expect(await job()).toMatchObject({ status: 'failed', pending: 0, failed: 3 });
    expect((await kb.faqs()).length).toBe(3);
  });

  // Proves rules kb.47, kb.79.
  it('merges the FAQs of the host that are equal, and says which', async () => {
    const same = html('Same', '<main><h2>What is the same?</h2><p>This page says the same as the other page.</p></main>');
    site.pages.set('/a', same);
    site.pages.set('/b', same);
    await imported();
    await settle(service);
    expect((await kb.faqs()).length).toBe(3);
    const duplicates = (await kb.faqs()).filter(({ question }) => question === 'What is the same?');
    await trigger();
    await settle(service);
    expect((await kb.faqs()).map(({ question }) => question).toSorted()).toEqual(['What is Gamma?', 'What is the same?']);
    const [into, merged] = duplicates.map(({ id }) => id);
    expect((await job()).merged).toEqual([{ faq_id: merged, into }]);
    expect((await sourcesOf()).map(({ faq_count }: { faq_count: number }) => faq_count)).toEqual([1, 1, 1]);
    // A shared FAQ is kept as long as one of its sources is.
    const [, b, a] = await sourcesOf();
    const [shared] = (await kb.faqs()).filter(({ question }) => question === 'What is the same?');
    expect((await service.delete(`/kb-sources/${a.source_id}?delete_faqs=true`)).body.faqs_deleted).toBe(0);
    expect((await service.get(`/faqs/${shared?.id}`)).status).toBe(200);
    expect((await service.delete(`/kb-sources/${b.source_id}?delete_faqs=true`)).body.faqs_deleted).toBe(1);
    expect((await service.get(`/faqs/${shared?.id}`)).status).toBe(404);
  });

  // Proves rule kb.47.
  it('merges nothing that is only similar', async () => {
    const bag = (kilos: number, price: number) =>
      html(
        `${kilos} kg`,
        `<main><h2>How much is the ${kilos} kg bag of coffee beans?</h2><p>It costs ${price} euros in our shop.</p></main>`,
      );
    site.pages.set('/a', bag(10, 15));
    site.pages.set('/b', bag(20, 25));
    site.pages.set(
      '/c',
      html('Misspelled', '<main><h2>How mutch is the 10 kg bag of coffee beans?</h2><p>It costs 15 euros in our shop.</p></main>'),
    );
    await imported();
    await settle(service);
    await trigger();
    await settle(service);
    expect((await kb.faqs()).map(({ question }) => question).toSorted()).toEqual([
      'How much is the 10 kg bag of coffee beans?',
      'How much is the 20 kg bag of coffee beans?',
      'How mutch is the 10 kg bag of coffee beans?',
    ]);
    expect(await job()).toMatchObject({ status: 'completed', merged: [] });
  });

  // Proves rule kb.48.
  it('skips a page that now redirects to another', async () => {
    await imported();
    await settle(service);
    site.pages.set('/a', answer(301, { location: '/b' }));
    await trigger();
    await settle(service);
    expect(await job()).toMatchObject({ status: 'completed', succeeded: 2, skippedDuplicate: 1, failed: 0 });
    expect(await kb.balance()).toBe(997);
  });

  it('ignores other hosts, documents, and sources that are not ready', async () => {
    const other = await Site.open({ '/': about('Other') });
    await kb.pages([site.url('/a'), site.url('/missing'), other.url('/')]);
    await kb.file(await kb.upload('a.txt', 'A bicycle.'), 'a.txt');
    await settle(service);
    other.take();
    expect((await trigger()).body.queued).toBe(1);
    await settle(service);
    expect(other.take()).toEqual([]);
    await other.close();
  });

  it('counts a page that is deleted meanwhile, and ends', async () => {
    const ids = await imported();
    await settle(service);
    await kb.hold('kb_refresh', 'kb_delete');
    await trigger();
    await service.delete(`/kb-sources/${ids[0]}`);
    expect(await job()).toMatchObject({ pending: 2 });
    await service.post('/kb-sources/bulk-delete', { sourceIds: [ids[1]] });
    await kb.hold();
    await settle(service);
    expect(await job()).toMatchObject({ status: 'completed', pending: 0, total: 3, succeeded: 1 });
  });

  // Proves rule kb.49.
  it('can be cancelled: finished pages keep their updates, and the others are unchanged', async () => {
    const ids = await imported();
    await settle(service);
    const before = await kb.answers();
    for (const path of ['/a', '/b', '/c'])
      site.pages.set(path, html('New', `<main><h2>What is new on ${path}?</h2><p>Everything is new on this page.</p></main>`));
    await kb.hold('kb_refresh');
    await trigger();
    const { domainBatchId } = await job();
    const { body } = await cancelRefresh(domainBatchId);
    expect(body).toEqual({ success: true, status: 'cancelled', cancelled_units: 3, sources_reset: 0, sources_cancelled: 3 });
    expect(await cancelRefresh(domainBatchId)).toMatchObject({ status: 200, body });
    await kb.hold();
    await settle(service);
    expect(await job()).toMatchObject({ status: 'cancelled', total: 3, pending: 3, succeeded: 0 });
    expect(await Promise.all(ids.map((id) => kb.status(id)))).toEqual(['ready', 'ready', 'ready']);
    expect([await kb.answers(), await kb.balance()]).toEqual([before, 997]);
    expect((await trigger()).body.queued).toBe(3);
    await settle(service);
    expect(await job()).toMatchObject({ status: 'completed', succeeded: 3 });
  });

  it('can be cancelled while pages are being read, which stay ready', async () => {
    const ids = await imported();
    await settle(service);
    site.pages.set('/a', about('Alpha two'));
    const release = holdBack('/a');
    await trigger();
    const running = await runUntil('/a');
    await until(async () => (await job()).succeeded === 2);
    expect(await job()).toMatchObject({ pending: 1 });
    const { body } = await cancelRefresh((await job()).domainBatchId);
    expect(body).toEqual({ success: true, status: 'cancelled', cancelled_units: 1, sources_reset: 1, sources_cancelled: 0 });
    expect(await kb.status(ids[0] ?? '')).toBe('ready');
    release();
    await running.settled;
    expect(await kb.status(ids[0] ?? '')).toBe('ready');
    expect(Object.keys(await kb.answers()).toSorted()).toEqual(['What is Alpha?', 'What is Beta?', 'What is Gamma?']);
    expect(await kb.balance()).toBe(997);
  });

  // Proves rule kb.50.
  it('cannot be cancelled during deduplication', async () => {
    await imported();
    await settle(service);
    await trigger();
    const { domainBatchId } = await job();
    await service.write((db) => db.updateTable('kb_refreshes').set({ status: 'deduplicating' }).where('id', '=', domainBatchId).execute());
    const { status, body } = await cancelRefresh(domainBatchId);
    expect([status, body.success, body.reason, body.status]).toEqual([200, false, 'already_finalizing', 'deduplicating']);
    expect(await trigger()).toMatchObject({ status: 409 });
    await service.write((db) => db.updateTable('kb_refreshes').set({ status: 'refreshing' }).where('id', '=', domainBatchId).execute());
    await settle(service);
    expect((await cancelRefresh(domainBatchId)).body).toMatchObject({ success: true, status: 'completed' });
    expect(await job()).toMatchObject({ status: 'completed' });
  });

  it('returns 404 for an unknown refresh or one of another account', async () => {
    await imported();
    await settle(service);
    await kb.hold('kb_refresh');
    await trigger();
    const { domainBatchId } = await job();
    const { api_key: key } = await service.makeAccount();
    expect(await service.post('/kb-sources/refresh-domain/cancel', { jobId: domainBatchId }, { key })).toMatchObject({ status: 404 });
    expect(await cancelRefresh('kbr_unknown')).toMatchObject({ status: 404 });
    expect(await service.post('/kb-sources/refresh-domain/cancel', {})).toMatchObject({ status: 400 });
    expect(await cancelRefresh(null)).toMatchObject({ status: 400 });
  });

  it("ends without the pages that fail because of the account's own AI key", async () => {
    await imported();
    await settle(service);
    await kb.account({ own_ai_key: 'failing' });
    await trigger();
    await settle(service);
    expect(await job()).toMatchObject({ status: 'failed', pending: 0, failed: 3 });
    expect((await sourcesOf()).map(({ status }: { status: string }) => status)).toEqual(['ready', 'ready', 'ready']);
  });

  it('is not affected by cancelling imports', async () => {
    await imported();
    await settle(service);
    await kb.hold('kb_refresh');
    await trigger();
    expect((await service.post('/kb-sources/cancel-import', {})).body.cancelled).toBe(0);
    await kb.hold();
    await settle(service);
    expect(await job()).toMatchObject({ status: 'completed', succeeded: 3 });
  });
});

describe('comparing a website', () => {
  // Proves rule kb.51.
  it('lists the pages that were not imported, and queues nothing', async () => {
    const ids = (await kb.pages(['/a', '/b', '/missing'].map((path) => site.url(path)))).body.queued_source_ids;
    await settle(service);
    site.pages.set('/', html('Home', '<main><a href="/a">A</a><a href="/b/">B</a><a href="/c">C</a></main>'));
    site.take();
    const { status, body } = await service.post('/kb-sources/refresh-domain', { baseUrl: site.url() });
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        source_type: 'link_discovery',
        discovered: 3,
        new_pages: [
          { url: site.url('/'), score: expect.any(Number), recommendation: 'add', reason_key: 'home_page' },
          { url: site.url('/c'), score: expect.any(Number), recommendation: expect.any(String), reason_key: 'close_to_home' },
        ],
        new_urls_queued: 0,
        existing_refresh_queued: 2,
        max_pages: 5_000,
        limit_reached: false,
        limit_notice: null,
      },
    ]);
    expect((await sourcesOf()).length).toBe(3);
    expect(await kb.status(ids[0])).toBe('ready');
    expect((await trigger()).body.queued).toBe(2);
    await settle(service);
  });

  it('reports a failure, and enforces the page limit', async () => {
    const closed = await Site.open();
    const url = closed.url();
    await closed.close();
    expect(await service.post('/kb-sources/refresh-domain', { baseUrl: url })).toMatchObject({
      status: 200,
      body: { success: false, error: expect.any(String), discovered: 0, new_pages: [], new_urls_queued: 0, existing_refresh_queued: 0 },
    });
    const beyond = { status: 400, body: { error_code: 'kb_import_page_limit' } };
    expect(await service.post('/kb-sources/refresh-domain', { baseUrl: site.url(), maxPages: 5_001 })).toMatchObject(beyond);
  });
});
