import { fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, getPriority } from 'node:os';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DocumentReader } from '../../../../src/service/areas/kb/reading/reader.ts';
import { readLinks } from '../../../../src/service/areas/kb/reading/site/links.ts';
import { readSitemap } from '../../../../src/service/areas/kb/reading/site/sitemap.ts';
import { service, site, testKnowledge, useNewAccount } from '../../../support/kb-prelude.ts';
import { answer, html } from '../../../support/site.ts';
import { isLongSweep } from '../../../support/sweeps.ts';
import { TestService } from '../../../support/test-service.ts';

// What a site sends is read in the process for documents, and what the service gets of it has limits, so that other requests never
// wait for a site.

testKnowledge();

const discover = async () => (await service.post('/kb-sources/discover-pages', { url: site.url() })).body;

const listing = (paths: readonly string[]) => `<urlset>${paths.map((path) => `<url><loc>${site.url(path)}</loc></url>`).join('')}</urlset>`;

const many = (count: number, path: (number: number) => string) => Array.from({ length: count }, (_, number) => path(number));

/** Addresses of nearly the maximum length. */
const long = (number: number) => `/${number}/${'a'.repeat(1_900)}`;

const lengthOf = (pages: readonly { readonly url: string }[]) => pages.reduce((sum, { url }) => sum + url.length, 0);

describe('the bytes of a site', () => {
  const read = vi.spyOn(DocumentReader.prototype, 'read');

  beforeEach(() => void read.mockClear());
  afterEach(() => void read.mockClear());

  const kinds = () => read.mock.calls.map(([, kind]) => kind);

  it('are read in the process for documents', async () => {
    site.pages.set('/robots.txt', 'User-agent: *\nDisallow: /private\n');
    site.pages.set('/', html('Start', '<a href="/a">A</a><a href="/private">B</a>'));
    site.pages.set('/a', html('A', 'Text'));
    expect((await discover()).pages.length).toBe(2);
    expect(kinds()).toEqual(['robots', 'links', 'links']);
    read.mockClear();
    site.pages.set('/sitemap.xml', answer(200, {}, listing(['/a', '/b', '/private'])));
    expect((await discover()).pages.length).toBe(2);
    expect(kinds()).toEqual(['robots', 'sitemap']);
  });

  it('are read at a lower priority than that of the service', async () => {
    const child = fork(new URL('../../../../src/service/areas/kb/reading/child.ts', import.meta.url), { serialization: 'advanced' });
    child.send({ kind: 'robots', task: {} });
    const [message] = (await once(child, 'message')) as unknown[];
    expect([message, getPriority(child.pid)]).toEqual([
      { result: { rules: [], delay: 0, sitemaps: [] } },
      constants.priority.PRIORITY_BELOW_NORMAL,
    ]);
    child.kill();
  });

  // Proves rule kb.66.
  it.each([
    ['robots.txt', { '/robots.txt': `User-agent: *\n${'Disallow: /a\n'.repeat(30_000)}` }],
    ['links', { '/': html('Start', '<a href="/a">A</a>'.repeat(30_000)) }],
  ])('are not read if that takes longer than the limit of a document: %s', async (_name, pages) => {
    const hurried = await TestService.open({ readingLimits: { reading: 1 } });
    for (const [path, page] of Object.entries(pages)) site.pages.set(path, page);
    const { body } = await hurried.post('/kb-sources/discover-pages', { url: site.url() });
    expect(body).toMatchObject({ success: false, error: expect.stringContaining('takes more than 0.001 seconds to read') });
    await hurried.close();
  });

  it('are sent to it in pieces, however many they are and however they arrive', async () => {
    site.pages.set('/sitemap.xml', answer(200, {}, listing(many(2_000, long))));
    site.pages.set('/robots.txt', (response) => {
      response.writeHead(200);
      for (const letter of 'User-agent: *\nDisallow: /1/\n') response.write(letter);
      response.end();
    });
    expect((await discover()).pages.map(({ url }: { url: string }) => url)).not.toContain(site.url(long(1)));
    const [robots = [], sitemap = []] = read.mock.calls.map(([, , pieces]) => pieces);
    expect(robots.length).toBe(1);
    expect(sitemap.length).toBeGreaterThan(50);
    for (const { length } of sitemap) expect(length).toBeLessThanOrEqual(64 * 1024);
  });
});

describe('what the service gets of a site', () => {
  const limit = 4 * 1024 * 1024;

  // Proves rule kb.53.
  it('is limited to addresses of 4 million characters: sitemaps', async () => {
    site.pages.set('/robots.txt', `Sitemap: /one.xml\nSitemap: /two.xml`);
    site.pages.set('/one.xml', listing(many(1_500, long)));
    site.pages.set('/two.xml', listing(many(3_000, (number) => long(number + 1_000))));
    const { pages, limit_reached: isLimited, limit_notice: notice } = await discover();
    expect([isLimited, notice]).toEqual([true, expect.stringContaining('4 million characters')]);
    expect(lengthOf(pages)).toBeLessThanOrEqual(limit);
    expect(lengthOf(pages)).toBeGreaterThan(limit - 2_000);
    await useNewAccount();
    const { body } = await service.post('/kb-sources/refresh-domain', { baseUrl: site.url() });
    expect(body).toMatchObject({ discovered: pages.length, limit_reached: true });
  });

  it('is limited to addresses of 4 million characters: one sitemap', async () => {
    const task = { url: site.url('/sitemap.xml'), host: site.host, contentType: null, rules: [], wanted: 10_001 };
    const sitemap = await readSitemap(Buffer.from(listing(many(10_000, long))), task);
    expect(sitemap).toMatchObject({ isCut: true, listsPages: true });
    expect(lengthOf(sitemap.pages)).toBeLessThanOrEqual(limit);
    const wanted = await readSitemap(Buffer.from(listing(['/a/b/c', '/a', '/faq', '/b'])), { ...task, wanted: 2 });
    expect(wanted).toMatchObject({ isCut: true, pages: [{ url: site.url('/faq') }, { url: site.url('/a') }] });
  });

  // Proves rule kb.58.
  it('is limited to 5,000 links of a page, and to addresses of a million characters', () => {
    const linksOf = (paths: readonly string[]) =>
      readLinks(Buffer.from(html('x', paths.map((path) => `<a href="${path}">x</a>`).join(''))), {
        contentType: null,
        url: site.url(),
        robotsTag: '',
        now: 0,
      }).links;
    expect(linksOf(many(isLongSweep ? 300_000 : 20_000, (number) => `/${number}`)).length).toBe(5_000);
    expect(lengthOf(linksOf(many(5_000, long)))).toBeLessThanOrEqual(1024 * 1024);
    // Links that are not followed do not count.
    const others = many(6_000, (number) => (number % 2 === 0 ? `http://other.example/${number}` : `/${number}.png`));
    expect(linksOf([...others, '/a', '/a#b', '/b/b/b', '/c?d=1'])).toEqual([
      { url: site.url('/a'), key: expect.any(String), form: null },
      { url: site.url('/c?d=1'), key: expect.any(String), form: '/c?d' },
    ]);
  });
});

// Proves rule kb.57.
it.runIf(isLongSweep)(
  'a sitemap is read until its addresses have been compared ten billion times with the wildcards of robots.txt',
  async () => {
    const rules = many(200, () => '/b*cc').map((pattern) => ({ pattern, isAllowed: false }));
    const text = Buffer.from(listing([...many(6_000, long), '/faq']));
    const task = { url: site.url('/sitemap.xml'), host: site.host, contentType: null, wanted: 10 };
    const best = async (count: number) => (await readSitemap(text, { ...task, rules: rules.slice(0, count) })).pages[0]?.url;
    expect([await best(100), await best(200)]).toEqual([site.url('/faq'), site.url(long(0))]);
  },
);
