import { gzipSync } from 'node:zlib';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { service, site, testKnowledge } from '../../../support/kb-prelude.ts';
import { answer, html, type Page, Site } from '../../../support/site.ts';
import { cases } from '../../../support/sweeps.ts';
import { TestService } from '../../../support/test-service.ts';

testKnowledge({}, () => TestService.open({ readingLimits: { request: 5_000 } }));

interface Found {
  readonly url: string;
  readonly title: string | null;
  readonly depth: number;
  readonly score: number;
  readonly recommendation: string;
  readonly reason_key: string;
}

const request = (body: Record<string, unknown> = { url: site.url() }) => service.post('/kb-sources/discover-pages', body);

async function discover(more: Record<string, unknown> = {}) {
  const { status, body } = await request({ url: site.url(), ...more });
  expect(status).toBe(200);
  return body as {
    success: boolean;
    source_type: string;
    pages: Found[];
    limit_reached: boolean;
    limit_notice: string | null;
    max_pages: number;
  };
}

/** The discovered paths, sorted. */
async function paths(more: Record<string, unknown> = {}): Promise<string[]> {
  return (await discover(more)).pages.map(({ url }) => url.replace(site.url(''), '')).toSorted();
}

const linking = (...targets: string[]) =>
  html('Page', `<main><p>Some links.</p>${targets.map((to) => `<a href="${to}">Link</a>`).join(' ')}</main>`);

const put = (pages: Record<string, Page>) => {
  for (const [path, page] of Object.entries(pages)) site.pages.set(path, page);
};

const sitemap = (...locations: string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${locations
    .map((location) => `<url><loc>${location}</loc></url>`)
    .join('')}</urlset>`;

const index = (...locations: string[]) =>
  `<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${locations
    .map((location) => `<sitemap><loc>${location}</loc></sitemap>`)
    .join('')}</sitemapindex>`;

const xml = (text: string | Buffer) => answer(200, { 'content-type': 'application/xml' }, text);

describe('a sitemap', () => {
  const served = (type: string, content: string | Buffer) =>
    put({ '/robots.txt': 'Sitemap: /pages', '/pages': answer(200, { 'content-type': type }, content) });

  // Proves rule kb.86.
  it('may be a text file with an address in each line', async () => {
    served(
      'text/plain',
      `\uFEFF${site.url('/a')}\r\n\r\n  ${site.url('/b')}\t0.5\nhttps://other.example/c\n/relative\nnot an address\n${site.url('/more.xml')}`,
    );
    put({ '/more.xml': xml(sitemap(site.url('/c')).replace('<url>', '<URL>').replace('</url>', '</URL>')) });
    expect(await discover()).toMatchObject({ source_type: 'sitemap' });
    expect(await paths()).toEqual(['/a', '/b', '/c']);
    served('text/plain', gzipSync(`${site.url('/a')}\n${site.url('/b')}`));
    expect(await paths()).toEqual(['/a', '/b']);
  });

  it('may be a feed in RSS or Atom', async () => {
    const item = (path: string) => `<item><title>x</title><link>${site.url(path)}</link><guid>${site.url('/guid')}</guid></item>`;
    const image = `<image><url>${site.url('/image')}</url><link>${site.url('/')}</link></image>`;
    served(
      'application/rss+xml',
      `<?xml version="1.0"?><rss version="2.0"><channel><link>${site.url('/')}</link>${image}${item('/a')}${item('/b')}<item><guid>${site.url('/c')}</guid></item></channel></rss>`,
    );
    expect(await paths()).toEqual(['/a', '/b', '/c']);
    const entry = (path: string) =>
      `<entry><link rel="edit" href="${site.url('/edit')}"/><link href="${site.url(path)}"/><link rel="self" href="/self"/></entry>`;
    served(
      'application/atom+xml',
      `<feed xmlns="http://www.w3.org/2005/Atom"><link href="${site.url('/')}"/>${entry('/a')}${entry('/b')}</feed>`,
    );
    expect(await paths()).toEqual(['/a', '/b']);
  });

  // Proves rule kb.86.
  it('may be a feed whose entries have only an id, or links of other namespaces', async () => {
    const entry = (content: string) => `<entry><source><id>${site.url('/source')}</id></source>${content}</entry>`;
    served(
      'application/atom+xml',
      `<feed xmlns="http://www.w3.org/2005/Atom"><id>${site.url('/feed')}</id>${entry(`<id>${site.url('/a')}</id>`)}${entry(
        `<id>${site.url('/no')}</id><link href="${site.url('/b')}"/>`,
      )}${entry('<id>urn:uuid:1</id>')}</feed>`,
    );
    expect(await paths()).toEqual(['/a', '/b']);
    const others = `<media:link>${site.url('/1')}</media:link><media:group><link>${site.url('/2')}</link></media:group>
      <link xmlns="http://www.w3.org/2005/Atom" href="${site.url('/3')}"/><atom:link href="${site.url('/4')}"/><media:url>${site.url('/5')}</media:url>
      <image><url>${site.url('/6')}</url></image>`;
    served(
      'application/rss+xml',
      `<rss xmlns:media="http://search.yahoo.com/mrss/" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
      <item>${others}<link>${site.url('/a')}</link></item><item><link>${site.url('/b')}</link>${others}</item><item>${others}</item></channel></rss>`,
    );
    expect(await paths()).toEqual(['/a', '/b']);
  });

  // Proves rule kb.86.
  it.each(['ISO-8859-1', 'windows-1252', 'utf-8'])('may be encoded in %s, as its XML declaration or its header says', async (encoding) => {
    const text = sitemap(site.url('/über-uns'), site.url('/a'));
    served('application/xml', iconv.encode(text.replace('UTF-8', encoding), encoding));
    expect(await paths()).toEqual(['/%C3%BCber-uns', '/a']);
    served('application/xml', gzipSync(iconv.encode(text.replace('UTF-8', encoding), encoding)));
    expect(await paths()).toEqual(['/%C3%BCber-uns', '/a']);
    served(`text/plain; charset=${encoding}`, iconv.encode(`${site.url('/über-uns')}\n${site.url('/a')}\n`, encoding));
    expect(await paths()).toEqual(['/%C3%BCber-uns', '/a']);
  });

  it.each(['utf-16le', 'utf-16be'])('may be encoded in %s, with a byte order mark or without', async (encoding) => {
    for (const mark of ['\uFEFF', '']) {
      served('application/xml', iconv.encode(`${mark}${sitemap(site.url('/a'), site.url('/b'))}`, encoding));
      expect(await paths()).toEqual(['/a', '/b']);
      served('text/plain', iconv.encode(`${mark}${site.url('/a')}\n${site.url('/c')}\n`, encoding));
      expect(await paths()).toEqual(['/a', '/c']);
    }
  });
});

describe('HTML in capitals', () => {
  const shout = (head: string, body: string) => `<HTML><HEAD><TITLE>Page</TITLE>${head}</HEAD><BODY><H1>Page</H1>${body}</BODY></HTML>`;

  // Proves rule kb.87.
  it('is understood: links, canonical and base addresses, and what robots may do', async () => {
    put({
      '/': shout(
        '',
        '<A HREF="/a?x=1">1</A><A REL="NOFOLLOW" HREF="/b">2</A><A HREF="/hidden">3</A><A HREF="/base">4</A><A HREF="/leaf">5</A>',
      ),
      '/a?x=1': shout('<LINK REL="CANONICAL" HREF="/a">', ''),
      '/b': shout('', ''),
      '/hidden': shout('<META NAME="ROBOTS" CONTENT="NOINDEX, FOLLOW">', '<A HREF="/behind">x</A>'),
      '/behind': shout('', ''),
      '/base': shout('<BASE HREF="/deep/">', '<A HREF="x">x</A>'),
      '/deep/x': shout('', ''),
      '/leaf': shout('<META NAME="robots" CONTENT="NoFollow">', '<A HREF="/never">x</A>'),
      '/never': shout('', ''),
    });
    expect(await paths()).toEqual(['/', '/a', '/base', '/behind', '/deep/x', '/leaf']);
  });

  // Proves rule kb.87.
  it.each([
    ['noindex', ['/', '/behind']],
    ['NoIndex, NoFollow', ['/']],
    ['none', ['/']],
    ['max-snippet: 50, noindex', ['/', '/behind']],
    ['max-image-preview: none', ['/', '/a', '/behind']],
    ['otherbot: noindex, nofollow', ['/', '/a', '/behind']],
    ['otherbot: noindex, msgctl: none', ['/']],
    ['index, follow', ['/', '/a', '/behind']],
    ['unavailable_after: 25 Jun 2010 15:00:00 PST', ['/', '/behind']],
    ['unavailable_after: Fri, 25-Jun-2010 15:00:00 GMT, nofollow', ['/']],
    ['otherbot: unavailable_after: 2010-06-25', ['/', '/a', '/behind']],
    ['msgctl: unavailable_after: 2010-06-25T15:00:00Z', ['/', '/behind']],
    ['unavailable_after: 25 Jun 2999 15:00:00 PST', ['/', '/a', '/behind']],
    ['unavailable_after: noindex', ['/', '/a', '/behind']],
  ])('and the header X-Robots-Tag say what robots may do: %s', async (tag, found) => {
    put({
      '/': linking('/a'),
      '/a': answer(200, { 'content-type': 'text/html', 'X-Robots-Tag': tag }, linking('/behind')),
      '/behind': linking(),
    });
    expect(await paths()).toEqual(found);
  });

  it.each([
    ['<meta name="googlebot" content="noindex">', ['/', '/a']],
    ['<meta name="robots" content="index"><meta name="msgctl" content="noindex">', ['/']],
    ['<meta name="robots" content="noindex">', ['/']],
    ['<meta name="robots" content="unavailable_after: Wed, 03 Jan 2024 00:00:00 GMT">', ['/']],
    ['<meta name="robots" content="UNAVAILABLE_AFTER: 2999-01-01, max-snippet: 20">', ['/', '/a']],
  ])('may have several meta elements for robots: %s', async (metas, found) => {
    put({ '/': linking('/a'), '/a': html('Page', '<p>A page.</p>').replace('<head>', `<head>${metas}`) });
    expect(await paths()).toEqual(found);
  });
});

describe('the links of a website', () => {
  // Proves rules kb.52, kb.55.
  it('are followed, and the depth is the number of links', async () => {
    put({
      '/': linking('/a', 'b?x=1', '//other.example/', 'https://other.example/', 'mailto:a@b.example', 'javascript:void 0', '#top', ''),
      '/a': linking('/a/deep', '/'),
      '/a/deep': html('Deep down', '<p>Nothing links from here.</p>'),
      '/b?x=1': linking('/a'),
    });
    const { status, body } = await request();
    expect([status, { ...body, pages: body.pages.length }]).toEqual([
      200,
      { success: true, source_type: 'link_discovery', pages: 4, max_pages: 5_000, limit_reached: false, limit_notice: null },
    ]);
    const pages = body.pages as Found[];
    expect(pages.map(({ url, depth }) => [url.replace(site.url(''), ''), depth])).toEqual([
      ['/', 0],
      ['/a', 1],
      ['/b?x=1', 1],
      ['/a/deep', 2],
    ]);
    expect(pages.at(-1)).toMatchObject({ title: 'Deep down' });
    expect(pages.map(({ score }) => score)).toEqual(pages.map(({ score }) => score).toSorted((a, b) => b - a));
    for (const { score, recommendation } of pages) {
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(100);
      expect(recommendation === 'add').toBe(score >= 90);
    }
    expect((await service.get('/kb-sources')).body.sources).toEqual([]);
  });

  it('count once if they lead to the same page by different URLs', async () => {
    put({
      '/': linking('/a?utm_source=mail', '/a#x', '/a/', '/a?fbclid=7', '/list?b=2&a=1', '/list?a=1&b=2', '/c;jsessionid=1A'),
      '/a': html('A', '<p>Text</p>'),
      '/list?b=2&a=1': html('List', '<p>Text</p>'),
      '/c': html('C', '<p>Text</p>'),
    });
    expect(await paths()).toEqual(['/', '/a', '/c', '/list?b=2&a=1']);
    expect(site.take().filter((path) => path.startsWith('/a')).length).toBe(1);
  });

  // Proves rule kb.59.
  it('are replaced by the canonical URL if they lead to copies of a page', async () => {
    const copy = (path: string) =>
      `<html><head><title>A</title><link rel="canonical" href="${path}"></head><body><p>Text</p></body></html>`;
    put({
      '/': linking('/a', '/a-copy', '/foreign', '/hidden', '/old'),
      '/a': copy('/a'),
      '/a-copy': copy('/a'),
      '/foreign': copy('https://other.example/a'),
      '/hidden': '<html><head><title>H</title><meta name="robots" content="noindex"></head><body><a href="/behind">x</a></body></html>',
      '/behind': html('B', '<p>Text</p>'),
      '/old': answer(301, { location: '/new' }),
      '/new': html('New', '<p>Text</p>'),
    });
    expect(await paths()).toEqual(['/', '/a', '/behind', '/foreign', '/new']);
  });

  it('are relative to the base of the page, and respect nofollow', async () => {
    put({
      '/': '<html><head><base href="/docs/"></head><body><a href="one">1</a><a rel="nofollow" href="two">2</a><a href="/three">3</a></body></html>',
      '/docs/one': html('One', '<p>Text</p>'),
      '/docs/two': html('Two', '<p>Text</p>'),
      '/three': '<html><head><meta name="ROBOTS" content="NOFOLLOW"></head><body><a href="/four">4</a></body></html>',
      '/four': html('Four', '<p>Text</p>'),
    });
    expect(await paths()).toEqual(['/', '/docs/one', '/three']);
  });

  // Proves rule kb.58.
  it('are not followed into traps', async () => {
    const endless =
      (prefix: string): Page =>
      (response, incoming) => {
        const number = Number(/(\d+)$/.exec(incoming.url ?? '')?.[1] ?? 0);
        response.setHeader('content-type', 'text/html').end(linking(`${prefix}${number + 1}`));
      };
    const calendar: Page = (response, incoming) => {
      const month = Number(new URL(incoming.url ?? '', 'http://x').searchParams.get('month') ?? 1);
      response.setHeader('content-type', 'text/html').end(linking(`/calendar?month=${month + 1}`, `/calendar?month=${month - 1}`));
    };
    // A relative link that grows with each step, and a redirect loop.
    const deeper: Page = (response) => response.setHeader('content-type', 'text/html').end(linking('more/', 'more/again/'));
    const pages = site.pages;
    const get = pages.get.bind(pages);
    pages.get = (path: string) => {
      if (path.startsWith('/calendar')) return calendar;
      if (path.startsWith('/session')) return html('S', `<a href="/session?sid=${Math.random()}">again</a>`);
      if (path.startsWith('/deep/')) return deeper;
      if (path.startsWith('/list?page=')) return endless('/list?page=');
      return get(path);
    };
    put({
      '/': linking('/calendar?month=1', '/session?sid=1', '/deep/', '/list?page=1', '/loop', '/files/a.pdf', '/image.png', '/archive.zip'),
      '/loop': answer(302, { location: '/loop' }),
      '/files/a.pdf': answer(200, { 'content-type': 'application/pdf' }, '%PDF-1.4'),
    });
    const found = await discover();
    expect(found.limit_reached).toBe(false);
    const requested = site.take();
    expect(requested.length).toBeLessThan(200);
    expect(requested).not.toContain('/image.png');
    expect(requested).not.toContain('/archive.zip');
    expect(requested.filter((path) => path === '/session').length).toBe(1);
    for (const path of requested) expect(path.split('/').length).toBeLessThan(17);
  });

  it('are followed past failing pages', async () => {
    put({
      '/': linking('/500', '/404', '/broken', '/text', '/good'),
      '/500': answer(500, {}),
      '/broken': (response) => response.destroy(),
      '/text': answer(200, { 'content-type': 'text/plain' }, 'Just text'),
      '/good': html('Good', '<p>Text</p>'),
    });
    expect(await paths()).toEqual(['/', '/good']);
  });

  // Proves rule kb.53.
  it('are followed up to maxPages', async () => {
    put({ '/': linking(...Array.from({ length: 30 }, (_, number) => `/p${number}`)) });
    for (let number = 0; number < 30; number++) site.pages.set(`/p${number}`, html(`P${number}`, '<p>Text</p>'));
    const found = await discover({ maxPages: 5 });
    expect(found).toMatchObject({ max_pages: 5, limit_reached: true, limit_notice: expect.any(String) });
    expect(found.pages.length).toBe(5);
    expect(site.take().length).toBeLessThan(16);
    expect(await discover({ maxPages: 31 })).toMatchObject({ limit_reached: false, limit_notice: null });
    expect((await discover({ maxPages: 31 })).pages.length).toBe(31);
  });

  // Proves rule kb.58.
  it('are followed in page order, whichever page responds first', async () => {
    const slowly =
      (page: string, milliseconds: number): Page =>
      (response) =>
        void setTimeout(() => response.writeHead(200, { 'content-type': 'text/html' }).end(page), milliseconds);
    put({
      '/': linking('/a', '/b', '/c'),
      '/a': slowly(linking('/a1', '/a2'), 150),
      '/b': slowly(linking('/b1'), 50),
      '/c': linking('/c1'),
      '/a1': slowly(linking(), 100),
      '/a2': linking(),
      '/b1': linking(),
      '/c1': linking(),
    });
    expect(await paths({ maxPages: 3 })).toEqual(['/', '/a', '/b']);
    expect(await paths({ maxPages: 5 })).toEqual(['/', '/a', '/a1', '/b', '/c']);
    expect(site.most).toBeGreaterThan(1);
  });
});

// Proves rule kb.64.
it('pages that lead to others without delay are found where they lead', async () => {
  const moved = html('Old', '').replace('<head>', '<head><meta http-equiv="refresh" content="0; url=/new">');
  put({ '/': linking('/old'), '/old': moved, '/new': linking('/more'), '/more': linking() });
  expect(await paths()).toEqual(['/', '/more', '/new']);
});

describe('maxPages', () => {
  // Proves rule kb.53.
  it('is limited by the pages that may wait for import, and to 10,000', async () => {
    put({ '/': linking() });
    const beyond = { status: 400, body: { error_code: 'kb_import_page_limit' } };
    expect(await request({ url: site.url(), maxPages: 5_001 })).toMatchObject(beyond);
    expect((await discover({ maxPages: 5_000 })).max_pages).toBe(5_000);
    const plan = async (pages: number) => service.sandbox('PATCH', `/accounts/${service.accountId}`, { plan: { pending_pages: pages } });
    await plan(8_000);
    expect((await discover()).max_pages).toBe(8_000);
    expect(await request({ url: site.url(), maxPages: 8_001 })).toMatchObject(beyond);
    await plan(50_000);
    expect((await discover()).max_pages).toBe(10_000);
    expect(await request({ url: site.url(), maxPages: 10_001 })).toMatchObject(beyond);
    await plan(10);
    expect((await discover()).max_pages).toBe(10);
    for (const maxPages of [0, -1, 1.5, '3', null]) expect(await request({ url: site.url(), maxPages })).toMatchObject({ status: 400 });
  });
});

describe('a sitemap', () => {
  // Proves rules kb.52, kb.57.
  it('lists the pages', async () => {
    put({
      '/sitemap.xml': xml(
        sitemap(
          site.url('/'),
          site.url('/shop/bikes'),
          site.url('/shop/bikes?utm_source=x'),
          'https://other.example/foreign',
          'nonsense:',
          site.url('/a.png'),
        ),
      ),
    });
    const { source_type: type, pages } = await discover();
    expect(type).toBe('sitemap');
    expect(pages.map(({ url, title, depth }) => [url.replace(site.url(''), ''), title, depth])).toEqual([
      ['/', null, 0],
      ['/shop/bikes', null, 2],
    ]);
    // The pages themselves are not requested.
    expect(site.take()).toEqual(['/sitemap.xml']);
  });

  it('is found through robots.txt, and may be an index and compressed', async () => {
    put({
      '/robots.txt': answer(
        200,
        { 'content-type': 'text/plain' },
        `Sitemap: ${site.url('/maps/index.xml')}\nSitemap: https://other.example/sitemap.xml\n`,
      ),
      '/sitemap.xml': xml(sitemap(site.url('/not-asked-for'))),
      '/maps/index.xml': xml(
        index(
          site.url('/maps/1.xml'),
          site.url('/maps/2.xml.gz'),
          site.url('/maps/index.xml'),
          'https://other.example/3.xml',
          site.url('/maps/4.xml'),
        ),
      ),
      '/maps/1.xml': xml(sitemap(site.url('/one'))),
      '/maps/2.xml.gz': answer(200, { 'content-type': 'application/gzip' }, gzipSync(sitemap(site.url('/two')))),
      '/maps/4.xml': answer(500, {}),
    });
    expect(await paths()).toEqual(['/one', '/two']);
    expect(site.take()).toEqual(['/maps/index.xml', '/maps/1.xml', '/maps/2.xml.gz', '/maps/4.xml']);
  });

  it('may be compressed in transit', async () => {
    put({
      '/sitemap.xml': answer(200, { 'content-type': 'application/xml', 'content-encoding': 'gzip' }, gzipSync(sitemap(site.url('/one')))),
    });
    expect(await paths()).toEqual(['/one']);
  });

  it('may have a byte order mark, another prefix, entities, CDATA and images', async () => {
    const text = `\uFEFF<?xml version="1.0" encoding="UTF-8"?>
      <s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
      <s:url><s:loc> ${site.url('/a?x=1&amp;y=2')} </s:loc><image:image><image:loc>${site.url('/image')}</image:loc></image:image></s:url>
      <s:url><s:loc><![CDATA[${site.url('/b')}]]></s:loc><s:priority>0.1</s:priority></s:url></s:urlset>`;
    put({ '/sitemap.xml': xml(text) });
    expect(await paths()).toEqual(['/a?x=1&y=2', '/b']);
  });

  it.each([
    ['truncated', (url: string) => `${sitemap(url).slice(0, -9)}<url><loc>${url}/2</`, ['/x']],
    ['a bare ampersand', (url: string) => sitemap(`${url}?a=1&b=2`, url), ['/x', '/x?a=1&b=2']],
    ['an ampersand in CDATA', (url: string) => sitemap(`<![CDATA[${url}?a=1&b=2]]>`), ['/x?a=1&b=2']],
    ['a line before the XML declaration', (url: string) => `\n${sitemap(url)}`, ['/x']],
    ['many errors', (url: string) => `<urlset><url><loc>${url}</loc></url>${'<1'.repeat(100_000)}`, ['/x']],
    ['not XML', () => 'Just some words', ['/', '/link']],
    ['an HTML page', () => html('Not found', '<p>This is not a sitemap</p>'), ['/', '/link']],
    ['no pages', () => sitemap(), ['/', '/link']],
    ['URLs of another website', () => sitemap('https://other.example/'), ['/', '/link']],
    ['many entities', () => `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${sitemap('&b;')}`, ['/', '/link']],
  ])('is read as far as possible, or ignored: %s', async (_name, text, expected) => {
    put({ '/sitemap.xml': xml(text(site.url('/x'))), '/': linking('/link'), '/link': html('Link', '<p>Text</p>') });
    expect(await paths()).toEqual(expected);
  });

  it('may refer to itself and to endlessly many others', async () => {
    put({ '/': linking() });
    const pages = site.pages;
    const get = pages.get.bind(pages);
    pages.get = (path: string) => {
      const number = Number(/^\/sitemap(\d*)\.xml$/.exec(path)?.[1] ?? Number.NaN);
      return Number.isNaN(number) ? get(path) : xml(index(site.url(`/sitemap${number + 1}.xml`), site.url('/sitemap.xml')));
    };
    expect(await paths()).toEqual(['/']);
    expect(site.take().length).toBeLessThan(10);
  });

  it('is read up to maxPages, or up to a size limit when decompressed', async () => {
    const many = sitemap(...Array.from({ length: 60_000 }, (_, number) => site.url(`/page/${number}`)));
    put({ '/sitemap.xml': answer(200, {}, gzipSync(many)) });
    const found = await discover();
    expect([found.pages.length, found.limit_reached, found.limit_notice]).toEqual([5_000, true, expect.any(String)]);
    const bomb = gzipSync(Buffer.concat([Buffer.from(sitemap(site.url('/one')).slice(0, -9)), Buffer.alloc(200 * 1024 * 1024, 0x20)]));
    put({ '/sitemap.xml': answer(200, {}, bomb) });
    expect(await paths()).toEqual(['/one']);
  });

  const sent = [
    ['when unpacked in transit', { 'content-encoding': 'gzip' }, gzipSync],
    ['as it is sent', {}, (text: string) => Buffer.from(text)],
  ] as const;

  // Proves rule kb.57.
  it.each(cases(1, sent))('is read to its first 50 MiB: %s', async (_name, headers, pack) => {
    const limit = 50 * 1024 * 1024;
    const [one = '', two = ''] = ['/one', '/two'].map((path) => `<url><loc>${site.url(path)}</loc></url>`);
    put({ '/sitemap.xml': answer(200, headers, pack(`<urlset>${one.padEnd(limit - 20)}${two}`)) });
    expect(await paths()).toEqual(['/one']);
  });

  // Proves rule kb.56.
  it('has its priorities included in the score', async () => {
    const page = (path: string, priority: string) => `<url><loc>${site.url(path)}</loc><priority>${priority}</priority></url>`;
    const text = sitemap().replace('</urlset>', `${page('/one', '1.0')}${page('/two', '0.1')}${page('/three', '7')}</urlset>`);
    put({ '/sitemap.xml': xml(text) });
    const scores = Object.fromEntries((await discover()).pages.map(({ url, score }) => [url.replace(site.url(''), ''), score]));
    expect(scores['/one']).toBeGreaterThan(scores['/three'] ?? 0);
    expect(scores['/three']).toBeGreaterThan(scores['/two'] ?? 0);
  });
});

describe('the recommendation for a page', () => {
  // Proves rule kb.56.
  it.each([
    ['/login', 'log_in'],
    ['/account/sign-in', 'log_in'],
    ['/cart', 'cart'],
    ['/checkout/', 'cart'],
    ['/tag/bikes', 'tag_archive'],
    ['/blog/tags/red', 'tag_archive'],
    ['/blog/page/3', 'pagination'],
    ['/list?page=2', 'pagination'],
    ['/search?q=x', 'search_results'],
  ])('is to skip %s', async (path, reason) => {
    put({ '/sitemap.xml': xml(sitemap(site.url(path))) });
    expect((await discover()).pages).toMatchObject([{ recommendation: 'skip', reason_key: reason, score: expect.any(Number) }]);
  });

  it.each(['/', '/faq', '/help', '/shipping', '/opening-hours', '/contact'])('is to add %s', async (path) => {
    put({ '/sitemap.xml': xml(sitemap(site.url(path))) });
    expect((await discover()).pages).toMatchObject([{ recommendation: 'add' }]);
  });

  it('has a score that falls with the depth', async () => {
    put({ '/sitemap.xml': xml(sitemap(...['/a', '/a/b', '/a/b/c', '/a/b/c/d', '/a/b/c/d/e/f'].map((path) => site.url(path)))) });
    const scores = (await discover()).pages.map(({ url, score }) => [url.length, score]);
    expect(scores).toEqual(scores.toSorted(([a = 0], [b = 0]) => a - b));
    expect(new Set(scores.map(([, score]) => score)).size).toBe(5);
  });
});

describe('a website that moved to another host', () => {
  // Proves rule kb.52.
  it.each(['sitemap', 'link_discovery'])('is found through a redirect, by %s', async (sourceType) => {
    const other = await Site.open({
      '/': linking('/a'),
      '/a': html('A page', '<p>It is on the other host.</p>'),
      ...(sourceType === 'sitemap' && { '/robots.txt': 'Sitemap: /sitemap.xml' }),
    });
    if (sourceType === 'sitemap') other.pages.set('/sitemap.xml', xml(sitemap(other.url('/'), other.url('/a'))));
    put({ '/': answer(301, { location: other.url('/') }) });
    const { body } = await request();
    expect(body).toMatchObject({ success: true, source_type: sourceType });
    expect((body.pages as Found[]).map(({ url }) => url).sort()).toEqual([other.url('/'), other.url('/a')]);
    await other.close();
  });
});

describe('a website that cannot be read', () => {
  const failure = { status: 200, body: { success: false, pages: [], error: expect.stringMatching(/^[A-Z].{10,}/), limit_reached: false } };

  // Proves rule kb.54.
  it.each<[string, Page]>([
    ['answers 500', answer(500, {})],
    ['answers 404', answer(404, {})],
    ['is an image', answer(200, { 'content-type': 'image/png' }, 'x')],
    ['redirects forever', answer(302, { location: '/' })],
    ['closes the connection', (response) => response.destroy()],
    ['never ends', (response) => void response.writeHead(200, { 'content-type': 'text/html' }).write('<p>')],
  ])('returns a failure if it %s', async (_name, page) => {
    put({ '/': page });
    expect(await request()).toMatchObject(failure);
  });

  it('returns a failure if robots.txt forbids reading it', async () => {
    put({ '/': linking(), '/robots.txt': answer(200, {}, 'User-agent: *\nDisallow: /') });
    const { body } = await request();
    expect(body).toMatchObject({ success: false, pages: [], error: expect.stringContaining('robots.txt') });
  });

  it('returns a failure with the reason if nothing listens there', async () => {
    const url = site.url();
    await site.close();
    const { status, body } = await request({ url });
    expect([status, body]).toEqual([
      200,
      {
        success: false,
        error: expect.stringMatching(/refused/i),
        source_type: 'link_discovery',
        pages: [],
        max_pages: 5_000,
        limit_reached: false,
        limit_notice: null,
      },
    ]);
  });

  it('differs from an invalid address, which returns 400', async () => {
    for (const url of [undefined, null, '', 'nonsense', 'ftp://a.example/', 7])
      expect(await request({ url })).toMatchObject({ status: 400 });
  });
});
