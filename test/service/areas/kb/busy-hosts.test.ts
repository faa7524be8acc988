import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Crawlers } from '../../../../src/service/areas/kb/crawling/crawler.ts';
import { kb, service, site, testKnowledge } from '../../../support/kb-prelude.ts';
import { settle } from '../../../support/agents.ts';
import { answer, html, type Page } from '../../../support/site.ts';

testKnowledge();

const page = (path: string, links: readonly string[] = []) =>
  html(
    `Page ${path}`,
    `<main><h2>What is ${path}?</h2><p>A page about bicycles, and nothing else.</p>${links.map((to) => `<a href="${to}">Link</a>`).join()}</main>`,
  );

/** Refuses the first requests for each page, then serves it. */
function refusing(times: number, status: number, headers: Readonly<Record<string, string>>, served: string): Page {
  let requests = 0;
  return (response, request) => {
    const refuse = ++requests <= times;
    const own = refuse ? answer(status, headers, 'Slow down') : answer(200, { 'content-type': 'text/html' }, served);
    if (typeof own === 'function') own(response, request);
  };
}

describe('a host that asks to wait', () => {
  /** The waits in milliseconds. They end at once. */
  let waits: number[];
  let onWait: (milliseconds: number) => void;
  let crawlers: Crawlers;

  beforeEach(() => {
    waits = [];
    onWait = () => {};
    crawlers = new Crawlers({
      allowPrivate: true,
      version: 'test',
      realNow: Date.now,
      sleep: async (milliseconds) => {
        waits.push(milliseconds);
        onWait(milliseconds);
      },
    });
  });

  afterEach(() => crawlers.close());

  const read = async (path: string): Promise<string> => {
    const crawler = crawlers.of('acc_1');
    const url = new URL(site.url(path));
    try {
      const found = await crawler.withinPageLimit(url, () => crawler.readPage(url));
      return found === 'unchanged' ? found : (found.document.title ?? '').replace('Page ', '');
    } catch (error) {
      return (error as Error).message;
    }
  };

  // Proves rule kb.84.
  it.each([
    [429, { 'retry-after': '1' }, 1_000],
    [503, { 'retry-after': '2' }, 2_000],
    [429, { 'retry-after': '3600' }, 60_000],
    [429, { 'retry-after': 'Fri, 27 Nov 2026 10:00:03 GMT', date: 'Fri, 27 Nov 2026 10:00:00 GMT' }, 3_000],
  ])('with %d and %j is asked again after the wait, and then less often', async (status, headers, wait) => {
    site.pages.set('/a', refusing(1, status, headers, page('/a')));
    site.pages.set('/b', page('/b'));
    expect(await read('/a')).toBe('/a');
    expect(await read('/b')).toBe('/b');
    expect(site.take()).toEqual(['/a', '/a', '/b']);
    expect(waits).toEqual([wait, 250, 250]);
  });

  it('is asked less and less often each time, down to once in five seconds', async () => {
    site.pages.set('/a', refusing(7, 429, { 'retry-after': '1' }, page('/a')));
    expect(await read('/a')).toBe('/a');
    expect(waits.filter((wait) => wait !== 1_000)).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000].filter((wait) => wait !== 1_000));
  });

  it('is asked at most ten times for a page, and waited for at most ten minutes in all', async () => {
    for (const path of ['/a', '/b', '/c']) site.pages.set(path, refusing(100, 429, { 'retry-after': '60' }, page(path)));
    const refused = 'The server gets too many requests: it answered 429 and asked to wait. Try again later';
    for (const path of ['/a', '/b', '/c']) expect(await read(path)).toBe(refused);
    expect(site.take()).toEqual([...Array<string>(10).fill('/a'), '/b', '/b', '/c']);
    expect(waits.filter((wait) => wait === 60_000).length).toBe(10);
  });

  it('without a time for it is not asked again', async () => {
    site.pages.set('/a', refusing(1, 429, {}, page('/a')));
    expect(await read('/a')).toBe('The page cannot be read: the server answered 429');
    expect(waits).toEqual([]);
  });

  it('is asked again for its robots.txt', async () => {
    site.pages.set('/robots.txt', refusing(1, 429, { 'retry-after': '1' }, 'User-agent: *\nDisallow: /b'));
    for (const path of ['/a', '/b']) site.pages.set(path, page(path));
    expect(await read('/a')).toBe('/a');
    expect(await read('/b')).toContain('robots.txt');
    expect(waits[0]).toBe(1_000);
  });

  it('loses no page when it allows five requests in a second', async () => {
    const paths = Array.from({ length: 24 }, (_, number) => `/topic-${number}`);
    let allowed = 5;
    onWait = () => (allowed = 5);
    for (const path of paths) {
      const served = answer(200, { 'content-type': 'text/html' }, page(path));
      const refused = answer(429, { 'retry-after': '1' });
      site.pages.set(path, (response, request) => {
        const own = allowed-- > 0 ? served : refused;
        if (typeof own === 'function') own(response, request);
      });
    }
    expect(await Promise.all(paths.map(read))).toEqual(paths);
  });
});

describe('a website of which something cannot be read', () => {
  const discover = async () => {
    const { status, body } = await service.post('/kb-sources/discover-pages', { url: site.url() });
    expect(status).toBe(200);
    return { paths: (body.pages as { url: string }[]).map(({ url }) => new URL(url).pathname), notice: body.limit_notice as string | null };
  };

  // Proves rule kb.85.
  it('is found without it, and the answer says how much, and why', async () => {
    site.pages.set('/', page('/', ['/a', '/b', '/gone']));
    site.pages.set('/a', refusing(1, 429, { 'retry-after': '0' }, page('/a')));
    site.pages.set('/b', answer(500, {}));
    const one = await discover();
    expect(one.paths).toEqual(['/', '/a']);
    expect(one.notice).toBe(`${site.url('/b')} could not be read: The page cannot be read: the server answered 500`);
    site.pages.set('/a', answer(503, {}));
    const { paths, notice } = await discover();
    expect(paths).toEqual(['/']);
    expect(notice).toBe(
      `2 addresses of the website could not be read, such as ${site.url('/a')}: The page cannot be read: the server answered 503`,
    );
  });

  it('tells the sitemaps too', async () => {
    site.pages.set('/robots.txt', 'Sitemap: /one.xml\nSitemap: /two.xml');
    site.pages.set('/one.xml', `<urlset><url><loc>${site.url('/a')}</loc></url></urlset>`);
    site.pages.set('/two.xml', (response) => response.destroy());
    const { paths, notice } = await discover();
    expect(paths).toEqual(['/a']);
    expect(notice).toContain('/two.xml could not be read: The page could not be fetched');
  });

  it('says for each page of an import why it was not read', async () => {
    site.pages.set('/a', answer(503, {}));
    site.pages.set('/b', refusing(1, 503, { 'retry-after': '0' }, page('/b')));
    const { body } = await kb.pages([site.url('/a'), site.url('/b')]);
    await settle(service);
    const states = await Promise.all((body.queued_source_ids as string[]).map((id) => kb.state(id)));
    expect(states.map((state) => state.error_message)).toEqual(['The page cannot be read: the server answered 503', null]);
  });
});
