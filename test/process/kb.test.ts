import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { call, end, engines, type Ready } from '../support/processes.ts';
import { pdf } from '../support/pdf.ts';
import { html, type Page, Site } from '../support/site.ts';
import { isLongSweep } from '../support/sweeps.ts';
import { keys, Terminal } from '../support/terminal.ts';
import { it } from '../support/workplace-test.ts';
let site: Site;

beforeEach(async () => {
  site = await Site.open();
});

afterEach(async () => {
  await site.close();
});

const pages = 60;

const url = (page: number) => `/p/${page}`;

/** Each page has two questions of its own. */
const body = (page: number) =>
  html(`Page ${page}`, `<h1>Page ${page}</h1><h2>What is ${page}?</h2><p>A number.</p><h2>Is ${page} large?</h2><p>No.</p>`);

/** Serves the pages, and calls back at each request. */
function serve(onRequest: () => void): void {
  for (let page = 0; page < pages; page++) {
    const answer: Page = (response) => {
      onRequest();
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(body(page));
    };
    site.pages.set(url(page), answer);
  }
}

/** All rows of a list. */
async function listAll(ready: Ready, key: string | null, path: string, rows: string): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Record<string, unknown> = (
      await call(`${ready.base_url}${path}?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`, key, 'GET')
    ).body;
    found.push(...(page[rows] as Record<string, unknown>[]));
    cursor = page.next_cursor as string | null;
  }
  return found;
}

describe.each(engines)('on %s', (engine) => {
  // Proves rules kb.1, kb.19.
  it('an import completes without losses or duplicates after repeated kills', async ({ workplace }) => {
    const options = [...(await workplace.databaseOptions(engine)), '--allow-private-receivers'];
    let running = workplace.serve(options);
    let left = 0;
    serve(() => {
      if (--left === 0) void running.then(({ child }) => child.kill('SIGKILL'));
    });
    const first = (await running).ready;
    const key = first.api_key;
    const api = (ready: Ready, method: string, path: string, sent?: unknown) => call(ready.base_url + path, key, method, sent);
    const urls = Array.from({ length: pages }, (_, page) => site.url(url(page)));
    // The number of requests after which each server is killed.
    const kills = [7, 10, 1, 12];
    left = kills.shift() ?? 0;
    expect((await api(first, 'POST', '/kb-sources/bulk-import', { urls })).status).toBe(202);
    for (const next of [...kills, 0]) {
      await (
        await running
      ).exited;
      left = next;
      running = workplace.serve(options);
    }
    const { ready, child } = await running;
    expect((await call(`${ready.sandbox_url}/settle`, ready.sandbox_token, 'POST', {})).status).toBe(200);
    const sources = await listAll(ready, key, '/kb-sources', 'sources');
    expect(sources.map(({ url: page, status, faq_count: faqs }) => [page, status, faqs])).toEqual(
      urls.toReversed().map((page) => [page, 'ready', 2]),
    );
    const questions = (await listAll(ready, key, '/faqs', 'faqs')).map(({ question }) => question);
    const wanted = Array.from({ length: pages }, (_, page) => [`What is ${page}?`, `Is ${page} large?`]).flat();
    expect(questions.toSorted()).toEqual(wanted.toSorted());
    expect((await api(ready, 'GET', '/users/me/credits')).body.balance).toBe(1_000 - pages);
    await end(child, 'SIGTERM');
  });

  // Proves rules kb.38, kb.43, kb.46.
  it('a refresh of a website and a deletion continue after a kill', async ({ workplace }) => {
    const options = [...(await workplace.databaseOptions(engine)), '--allow-private-receivers'];
    let kill: () => void = () => {};
    // The refresh requests each page a second time.
    let left = pages + 15;
    serve(() => {
      if (--left === 0) kill();
    });
    const first = await workplace.serve(options);
    const key = first.ready.api_key;
    const post = (ready: Ready, path: string, sent: object) => call(ready.base_url + path, key, 'POST', sent);
    const settle = (ready: Ready) => call(`${ready.sandbox_url}/settle`, first.ready.sandbox_token, 'POST', {});
    const urls = Array.from({ length: pages }, (_, page) => site.url(url(page)));
    const { queued_source_ids: ids } = (await post(first.ready, '/kb-sources/bulk-import', { urls })).body;
    await settle(first.ready);
    kill = () => void first.child.kill('SIGKILL');
    expect((await post(first.ready, '/kb-sources/trigger-domain-refresh', { baseUrl: site.url() })).body.queued).toBe(pages);
    await first.exited;
    const second = await workplace.serve(options);
    await settle(second.ready);
    const { job } = (await call(`${second.ready.base_url}/kb-sources/domain-refresh-status?baseUrl=${site.host}`, key, 'GET')).body;
    expect(job).toMatchObject({ status: 'completed', total: pages, pending: 0, succeeded: pages, failed: 0 });
    expect((await call(`${second.ready.base_url}/users/me/credits`, key, 'GET')).body.balance).toBe(1_000 - pages);
    await post(second.ready, '/kb-sources/bulk-delete', { sourceIds: ids });
    second.child.kill('SIGKILL');
    await second.exited;
    const third = await workplace.serve(options);
    await settle(third.ready);
    expect(await listAll(third.ready, key, '/kb-sources', 'sources')).toEqual([]);
    expect(await listAll(third.ready, key, '/faqs', 'faqs')).toEqual([]);
  });
});

it.for(isLongSweep ? engines : ['sqlite'])('a server on %s stops in time while a page never ends', async (engine, { workplace }) => {
  const options = [...(await workplace.databaseOptions(engine)), '--allow-private-receivers'];
  site.pages.set('/slow', () => {});
  const { child, ready, exited } = await workplace.serve(options);
  const { source_id: id } = (await call(`${ready.base_url}/kb-sources/url`, ready.api_key, 'POST', { url: site.url('/slow') })).body;
  while (!site.requests.some(({ path }) => path === '/slow')) await new Promise(setImmediate);
  child.kill('SIGTERM');
  expect(await exited).toBe(0);
  // The interrupted page does not count as failed and is read again after the next start.
  site.pages.set('/slow', body(1));
  const again = (await workplace.serve(options)).ready;
  expect((await call(`${again.sandbox_url}/settle`, again.sandbox_token, 'POST', {})).status).toBe(200);
  const { body: source } = await call(`${again.base_url}/kb-sources/${String(id)}`, ready.api_key, 'GET');
  expect(source).toMatchObject({ status: 'ready', faq_count: 2 });
});

it('the installed program has the character maps that PDFs in Japanese refer to', async ({ workplace }) => {
  const font = '<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /UniJIS-UTF16-H /DescendantFonts [7 0 R] >>';
  const descendant =
    '<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Any /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /DW 1000 >>';
  const text = Buffer.from('月曜日から金曜日', 'utf16le').swap16();
  const path = join(workplace.path, 'hours.pdf');
  writeFileSync(path, pdf([[{ text, y: 700, font: 'C' }]], { fonts: { C: 6 }, objects: { 6: font, 7: descendant } }));
  expect((await workplace.run(['kb', 'import', path, '--wait', '--profile', 'sandbox'])).code).toBe(0);
  const { stdout } = await workplace.run(['faqs', 'list', '-o', 'json', '--profile', 'sandbox']);
  expect(JSON.parse(stdout)).toMatchObject({ faqs: [{ answer: '月曜日から金曜日' }] });
});

it('an import with --wait shows a bar per source and one for all, without a spinner', async ({ workplace }) => {
  let answer = () => {};
  site.pages.set('/slow', (response) => {
    answer = () => response.writeHead(200, { 'content-type': 'text/html' }).end(body(1));
  });
  site.pages.set('/fast', body(2));
  const words = ['kb', 'import', site.url('/fast'), site.url('/slow'), '--wait', '--profile', 'sandbox'];
  const terminal = new Terminal(words, { HOME: workplace.path, NO_COLOR: '1', LANG: 'C.UTF-8' });
  await terminal.waitFor('100 %  ready');
  await terminal.waitFor(' 50 %  1 of 2 sources');
  // Waits longer than the delay after which a spinner would appear.
  await terminal.waitFor(' 50 %  1 of 2 sources');
  await terminal.waitFor(' 50 %  1 of 2 sources');
  answer();
  await terminal.waitFor('Imported 2 sources with 4 FAQs.');
  expect(terminal.text).not.toContain('Waiting for');
  // Each drawing replaces the three lines of the previous one.
  expect(terminal.raw).toContain('\r\u001b[2A\u001b[J');
  expect(await terminal.end()).toBe(0);
});

it('an import into the embedded store stops reading pages at Ctrl-C, and sandbox settle finishes it', async ({ workplace }) => {
  const held: (() => void)[] = [];
  for (let page = 0; page < 8; page++)
    site.pages.set(url(page), (response) => {
      held.push(() => response.writeHead(200, { 'content-type': 'text/html' }).end(body(page)));
    });
  const urls = Array.from({ length: 8 }, (_, page) => site.url(url(page)));
  const terminal = new Terminal(['kb', 'import', ...urls, '--wait', '--profile', 'sandbox'], { HOME: workplace.path, NO_COLOR: '1' });
  // The maximum number of concurrent requests to one host.
  while (held.length < 4) await new Promise(setImmediate);
  await terminal.waitFor('0 of 8 sources');
  terminal.type(keys.interrupt);
  await terminal.waitFor('^C');
  for (const answer of held) answer();
  expect(await terminal.end()).toBe(130);
  expect(terminal.text).toContain(
    'Error: Stopped waiting; the import is paused until the embedded service runs.\n`msgctl sandbox settle` finishes it.\n',
  );
  expect(terminal.text).not.toContain('The embedded service:');
  expect(held).toHaveLength(4);
  for (let page = 0; page < 8; page++) site.pages.set(url(page), body(page));
  const run = async (...argv: string[]) =>
    JSON.parse((await workplace.run([...argv, '-o', 'json', '--profile', 'sandbox'])).stdout) as object;
  await run('sandbox', 'settle');
  expect(await run('kb', 'status')).toMatchObject({ websites: [{ sources: 8, ready: 8, faqs: 16 }] });
  expect(await run('credits')).toMatchObject({ balance: 992 });
});

it('the pages of a website are selected on a terminal with the recommended ones preselected', async ({ workplace }) => {
  const page = (title: string) => html(title, `<nav><a href="/faq">FAQ</a> <a href="/login">Log in</a></nav><h1>${title}</h1>`);
  for (const [path, title] of Object.entries({ '/': 'Ferns', '/faq': 'FAQ', '/login': 'Log in' })) site.pages.set(path, page(title));
  const env = { HOME: workplace.path, NO_COLOR: '1', LANG: 'C.UTF-8' };
  const terminal = new Terminal(['kb', 'import', site.url(), '--discover', '--profile', 'sandbox'], env);
  await terminal.waitFor('3 pages: choose those to import (the recommended ones are marked)');
  await terminal.waitFor('Log in');
  const lines = terminal.text.split('\n').filter((line) => line.includes(site.host));
  expect(lines.map((line) => [line.includes('◉'), line.includes('/login')])).toEqual([
    [true, false],
    [true, false],
    [false, true],
  ]);
  terminal.type(keys.enter);
  await terminal.waitFor('Queued 2 sources');
  expect(await terminal.end()).toBe(0);
});
