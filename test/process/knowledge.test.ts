import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { call, engines, type Ready, Workplace } from '../support/processes.ts';
import { html, Site } from '../support/site.ts';

// A real server is killed with -9 while it imports a website: the next one reads the rest, and each page is charged once.

let workplace: Workplace;
let site: Site;

const count = 60;

beforeEach(async () => {
  workplace = new Workplace();
  site = await Site.open();
  for (let number = 0; number < count; number++)
    site.pages.set(`/${number}`, (response) => {
      const page = html(`Page ${number}`, `<main><h2>What is on page ${number}?</h2><p>The bicycle with the number ${number}.</p></main>`);
      setTimeout(() => response.setHeader('content-type', 'text/html').end(page), 20);
    });
});

afterEach(async () => {
  await site.close();
  await workplace.remove();
});

const get = async (ready: Ready, key: string, path: string) => (await call(`${ready.base_url}${path}`, key, 'GET')).body;

async function listAll(ready: Ready, key: string, path: string, rows: string): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  let cursor: string | null = null;
  do {
    const body = await get(ready, key, `${path}?limit=100${cursor === null ? '' : `&cursor=${String(cursor)}`}`);
    found.push(...(body[rows] as Record<string, unknown>[]));
    cursor = body.next_cursor as string | null;
  } while (cursor !== null);
  return found;
}

describe.each(engines)('on %s', (engine) => {
  // Proves rules kb.1, kb.19.
  it('an import goes on after kill -9, each page once', async () => {
    const options = [...(await workplace.databaseOptions(engine)), '--allow-private-receivers'];
    const first = await workplace.serve(options);
    const key = first.ready.api_key as string;
    const urls = Array.from({ length: count }, (_, number) => site.url(`/${number}`));
    const imported = await call(`${first.ready.base_url}/kb-sources/bulk-import`, key, 'POST', { urls });
    expect(imported).toMatchObject({ status: 202, body: { queued: count } });
    await vi.waitFor(() => expect(site.requests.length).toBeGreaterThan(15), { timeout: 20_000 });
    first.child.kill('SIGKILL');
    await first.exited;
    const second = await workplace.serve(options);
    await vi.waitFor(() => expect(site.requests.length).toBeGreaterThan(40), { timeout: 20_000 });
    second.child.kill('SIGKILL');
    await second.exited;
    const { ready } = await workplace.serve(options);
    expect((await call(`${ready.sandbox_url}/settle`, first.ready.sandbox_token, 'POST')).status).toBe(200);
    const sources = await listAll(ready, key, '/kb-sources', 'sources');
    expect(sources.map(({ url, status, faq_count: faqs }) => [url, status, faqs])).toEqual(
      urls.toReversed().map((url) => [url, 'ready', 1]),
    );
    const questions = (await listAll(ready, key, '/faqs', 'faqs')).map(({ question }) => question);
    expect(questions.toSorted()).toEqual(Array.from({ length: count }, (_, number) => `What is on page ${number}?`).toSorted());
    expect((await get(ready, key, '/users/me/credits')).balance).toBe(1_000 - count);
  });

  // Proves rules kb.43, kb.46.
  it('a refresh of a website and a deletion go on after kill -9', async () => {
    const options = [...(await workplace.databaseOptions(engine)), '--allow-private-receivers'];
    const first = await workplace.serve(options);
    const key = first.ready.api_key as string;
    const post = (ready: Ready, path: string, body: object) => call(`${ready.base_url}${path}`, key, 'POST', body);
    const settle = (ready: Ready) => call(`${ready.sandbox_url}/settle`, first.ready.sandbox_token, 'POST');
    const urls = Array.from({ length: count }, (_, number) => site.url(`/${number}`));
    const { queued_source_ids: ids } = (await post(first.ready, '/kb-sources/bulk-import', { urls })).body;
    await settle(first.ready);
    site.take();
    expect((await post(first.ready, '/kb-sources/trigger-domain-refresh', { baseUrl: site.url() })).body.queued).toBe(count);
    await vi.waitFor(() => expect(site.requests.length).toBeGreaterThan(15), { timeout: 20_000 });
    first.child.kill('SIGKILL');
    await first.exited;
    const second = await workplace.serve(options);
    await settle(second.ready);
    const { job } = await get(second.ready, key, `/kb-sources/domain-refresh-status?baseUrl=${site.host}`);
    expect(job).toMatchObject({ status: 'completed', total: count, pending: 0, succeeded: count, failed: 0 });
    expect((await get(second.ready, key, '/users/me/credits')).balance).toBe(1_000 - count);
    await post(second.ready, '/kb-sources/bulk-delete', { sourceIds: ids });
    second.child.kill('SIGKILL');
    await second.exited;
    const third = await workplace.serve(options);
    await settle(third.ready);
    expect(await listAll(third.ready, key, '/kb-sources', 'sources')).toEqual([]);
    expect(await listAll(third.ready, key, '/faqs', 'faqs')).toEqual([]);
  });
});
