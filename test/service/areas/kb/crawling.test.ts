import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Crawlers } from '../../../../src/service/areas/kb/crawling/crawler.ts';
import { settle } from '../../../support/agents.ts';
import { kb, service, site, testKnowledge, useNewAccount } from '../../../support/kb-prelude.ts';
import { answer, html, type Page, Site } from '../../../support/site.ts';
import { TestService } from '../../../support/test-service.ts';

const page = html('A page', '<main><h2>What is this?</h2><p>A page about bicycles, and nothing else.</p></main>');

testKnowledge({ '/a': page, '/b': page }, () => TestService.open({ readingLimits: { request: 5_000, reading: 30_000 } }));

const robots = (text: string) => site.pages.set('/robots.txt', answer(200, { 'content-type': 'text/plain' }, text));

/** Imports a page. @returns the reason of its failure, or null */
async function problemOf(path: string): Promise<string | null> {
  const { status, error_message: problem } = await kb.state(await kb.importPage(site.url(path)));
  expect(status).toBe(problem === null ? 'ready' : 'failed');
  if (problem !== null) expect(problem).toMatch(/^[A-Z]/);
  return problem;
}

describe('crawler requests', () => {
  // Proves rule kb.60.
  it('identify the program', async () => {
    await problemOf('/a');
    expect(site.requests.map(({ path, headers }) => [path, headers['user-agent']])).toEqual([
      ['/robots.txt', 'msgctl/test'],
      ['/a', 'msgctl/test'],
    ]);
    for (const { headers } of site.requests)
      for (const name of ['cookie', 'authorization', 'referer']) expect(headers).not.toHaveProperty(name);
  });

  // Proves rule kb.63.
  it('use at most four connections per host, and read many hosts concurrently', async () => {
    const others = await Promise.all([Site.open(), Site.open(), Site.open()]);
    const sites = [site, ...others];
    // Pages are answered only when more are requested than two hosts may have connections.
    const waiting: (() => void)[] = [];
    let isOpen = false;
    const slow: Page = (response) => {
      waiting.push(() => response.setHeader('content-type', 'text/html').end(page));
      isOpen ||= waiting.length > 8;
      if (isOpen) for (const answer of waiting.splice(0)) answer();
    };
    const urls = sites.flatMap((each) =>
      Array.from({ length: 12 }, (_, number) => (each.pages.set(`/p${number}`, slow), each.url(`/p${number}`))),
    );
    expect((await kb.pages(urls)).body.queued).toBe(48);
    await settle(service);
    expect((await service.get('/kb-sources?status=ready&limit=100')).body.sources.length).toBe(48);
    for (const each of sites) {
      expect(each.most).toBeLessThanOrEqual(4);
      expect(each.take().length).toBe(12);
    }
    expect(isOpen).toBe(true);
    for (const each of others) await each.close();
  });

  it.each<[string, (text: string) => Buffer]>([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['identity', (text) => Buffer.from(text)],
  ])('accept the content encoding %s', async (packing, pack) => {
    site.pages.set('/packed', answer(200, { 'content-type': 'text/html', 'content-encoding': packing }, pack(page)));
    expect(await problemOf('/packed')).toBeNull();
  });

  it.each(['compress', 'gzip, gzip', 'nonsense'])('reject the content encoding %s and continue', async (packing) => {
    for (let number = 0; number < 6; number++)
      site.pages.set(`/packed${number}`, answer(200, { 'content-type': 'text/html', 'content-encoding': packing }, page.padEnd(2_000_000)));
    await kb.pages([...Array.from({ length: 6 }, (_, number) => site.url(`/packed${number}`)), site.url('/a')]);
    await settle(service);
    const { sources } = (await service.get('/kb-sources')).body;
    expect(sources.map(({ status }: { status: string }) => status)).toEqual(['ready', ...Array.from({ length: 6 }, () => 'failed')]);
  });
});

describe('robots.txt', () => {
  it('blocks a page whose address has unnecessary escapes', async () => {
    robots('User-agent: *\nDisallow: /a');
    const { source_id: id } = (await kb.page(site.url('/%61'))).body;
    await settle(service);
    expect(await kb.state(id)).toMatchObject({ status: 'failed', error_message: expect.stringContaining('robots.txt') });
  });

  // Proves rule kb.61.
  it('is read anew when somebody imports a page of the host again', async () => {
    const states = [];
    for (const [text, path] of [
      ['User-agent: *\nAllow: /', '/one'],
      ['User-agent: *\nDisallow: /', '/two'],
      ['User-agent: *\nAllow: /', '/three'],
    ] as const) {
      robots(text);
      site.pages.set(path, answer(200, { 'content-type': 'text/plain' }, 'We are open from nine to six.'));
      const { source_id: id } = (await kb.page(site.url(path))).body;
      await settle(service);
      states.push((await kb.state(id)).status);
    }
    expect(states).toEqual(['ready', 'failed', 'ready']);
  });

  // Proves rule kb.60.
  it.each([
    ['rules for all crawlers', 'User-agent: *\nDisallow: /a'],
    ['rules for this crawler', 'User-agent: *\nAllow: /\n\nUser-agent: msgctl\nDisallow: /a'],
    ['another letter case', 'user-agent: MSGCTL\ndisallow: /a'],
    ['a group for several crawlers', 'User-agent: otherbot\nUser-agent: msgctl\nDisallow: /a'],
    ['a byte order mark', '\uFEFFUser-agent: *\nDisallow: /a'],
    ['a pattern', 'User-agent: *\nDisallow: /*a$'],
    ['other line endings', 'User-agent: *\rDisallow: /a\r'],
    ['comments', '# Ours\nUser-agent: * # all\nDisallow: /a # secret'],
    ['a longer match', 'User-agent: *\nAllow: /\nDisallow: /a'],
    ['unnecessary escapes', 'User-agent: *\nDisallow: /%61'],
  ])('blocks a page: %s', async (_name, text) => {
    robots(text);
    const { source_id: id } = (await kb.page(site.url('/a'))).body;
    await settle(service);
    expect(await kb.state(id)).toMatchObject({
      status: 'failed',
      error_message: `The page may not be read: robots.txt of ${site.host} does not allow it`,
    });
    expect(site.take()).toEqual([]);
    expect([await problemOf('/b'), await kb.balance()]).toEqual([null, 999]);
  });

  it.each([
    ['rules for another crawler', 'User-agent: otherbot\nDisallow: /'],
    ['a group for this crawler that allows it', 'User-agent: *\nDisallow: /\n\nUser-agent: msgctl\nDisallow: /private'],
    ['a longer exception', 'User-agent: *\nDisallow: /\nAllow: /a'],
    ['an empty Disallow', 'User-agent: *\nDisallow:'],
    ['an empty file', ''],
    ['an HTML page', '<!doctype html><html><body>Not found</body></html>'],
  ])('does not block a page: %s', async (_name, text) => {
    robots(text);
    expect(await problemOf('/a')).toBeNull();
  });

  // Proves rule kb.61.
  it.each([404, 401, 403, 410])('allows everything if it returns %d', async (status) => {
    site.pages.set('/robots.txt', answer(status, {}));
    expect(await problemOf('/a')).toBeNull();
  });

  it.each([500, 503, 429])('blocks everything for a while if it returns %d', async (status) => {
    site.pages.set('/robots.txt', answer(status, {}));
    expect(await problemOf('/a')).toContain(`robots.txt answered ${status}`);
    expect(site.take()).toEqual([]);
    robots('');
    service.clock.now += 60_000;
    expect(await problemOf('/a')).toBeNull();
  });

  it('is requested once for all pages of an import if it fails', async () => {
    site.pages.set('/robots.txt', answer(500, {}));
    const urls = Array.from({ length: 20 }, (_, number) => site.url(`/p${number}`));
    await kb.pages(urls);
    await settle(service);
    expect((await service.get('/kb-sources?status=failed')).body.sources.length).toBe(20);
    expect(site.requests.map(({ path }) => path)).toEqual(['/robots.txt']);
  });

  it('is read once, and again after ten minutes', async () => {
    await kb.pages([site.url('/a'), site.url('/b')]);
    await settle(service);
    const count = () => site.requests.filter(({ path }) => path === '/robots.txt').length;
    expect(count()).toBe(1);
    service.clock.now += 10 * 60_000;
    robots('User-agent: *\nDisallow: /');
    expect(await problemOf('/c')).toContain('robots.txt');
    expect(count()).toBe(2);
  });

  it('may be redirected', async () => {
    site.pages.set('/robots.txt', answer(301, { location: '/rules' }));
    site.pages.set('/rules', answer(200, {}, 'User-agent: *\nDisallow: /a'));
    expect(await problemOf('/a')).toContain('robots.txt');
  });

  it('is also checked on the host that a redirect leads to', async () => {
    const other = await Site.open({ '/': page, '/robots.txt': answer(200, {}, 'User-agent: *\nDisallow: /') });
    site.pages.set('/away', answer(302, { location: other.url() }));
    expect(await problemOf('/away')).toContain(`robots.txt of ${other.host}`);
    expect(other.take()).toEqual([]);
    await other.close();
  });

  const lines = (text: string, size: number) => `${text}\n`.repeat(Math.ceil(size / (text.length + 1)));

  // Proves rule kb.60.
  it('is read to its first 500 KiB, and without the line that is cut there', async () => {
    const limit = 500 * 1024;
    const start = 'User-agent: *\nDisallow: /b\n';
    const filler = '#'.padEnd(limit - start.length - '\nDisallow: /'.length, '-');
    robots(`${start}${filler}\nDisallow: /a\n${lines('Disallow: /', 2 * limit)}`);
    expect([await problemOf('/a'), await problemOf('/b')]).toEqual([null, expect.stringContaining('robots.txt')]);
    // A line that ends there is read.
    await useNewAccount();
    robots(`${start}${filler.slice(0, -2)}\nDisallow: /a\n${lines('Allow: /a', 2 * limit)}`);
    expect(await problemOf('/a')).toContain('does not allow it');
  });

  it('is read to its first 500 KiB if it is unpacked to more', async () => {
    const text = `User-agent: *\nDisallow: /a\n${lines('Allow: /a', 100 * 1024 * 1024)}`;
    site.pages.set('/robots.txt', answer(200, { 'content-encoding': 'gzip' }, gzipSync(text)));
    expect([await problemOf('/a'), await problemOf('/b')]).toEqual([null, null]);
  });

  it('is read to its first 500 KiB if it is endless', async () => {
    site.pages.set('/robots.txt', (response) => {
      response.writeHead(200);
      const write = () => {
        while (!response.destroyed && response.write('User-agent: *\nDisallow: /b\n'.repeat(1_000)));
        if (!response.destroyed) response.once('drain', write);
      };
      write();
    });
    expect([await problemOf('/a'), await problemOf('/b')]).toEqual([null, expect.stringContaining('does not allow it')]);
  });
});

describe('a Crawl-delay', () => {
  /** The requested pauses in milliseconds, each with a function that ends it. */
  let pauses: { readonly milliseconds: number; readonly end: () => void }[];
  let crawlers: Crawlers;
  let other: Site;

  beforeEach(async () => {
    pauses = [];
    crawlers = new Crawlers({
      allowPrivate: true,
      version: 'test',
      realNow: Date.now,
      sleep: (milliseconds) => new Promise<void>((end) => pauses.push({ milliseconds, end })),
    });
    other = await Site.open({ '/a': page, '/b': page });
  });

  afterEach(async () => {
    await crawlers.close();
    await other.close();
  });

  const read = async (where: Site, path: string) => {
    const crawler = crawlers.of('acc_1');
    const url = new URL(where.url(path));
    await crawler.withinPageLimit(url, () => crawler.readPage(url));
  };

  // Proves rule kb.62.
  it.each([
    ['0.2', 200],
    ['5', 5_000],
    ['86400', 5_000],
  ])('of %s delays the next request, up to a limit', async (value, milliseconds) => {
    robots(`User-agent: msgctl\nCrawl-delay: ${value}`);
    const paths = ['/a', '/b', '/a?again', '/b?again'];
    for (const path of paths) site.pages.set(path, page);
    const reading = paths.map((path) => read(site, path));
    const requested: string[] = [];
    for (const [index, path] of paths.entries()) {
      await reading[index];
      requested.push(...site.take());
      expect([requested.at(-1), requested.length, pauses.length]).toEqual([path, index + 1, index + 1]);
      pauses[index]?.end();
    }
    expect(pauses.map((pause) => pause.milliseconds)).toEqual(paths.map(() => milliseconds));
  });

  it('also applies across successive imports, and does not delay other hosts', async () => {
    robots('User-agent: *\nCrawl-delay: 1');
    await read(site, '/a');
    const next = read(site, '/b');
    // Meanwhile the next page would be requested if nothing delayed it.
    for (const path of ['/a', '/b']) await read(other, path);
    expect([other.take(), site.take()]).toEqual([['/a', '/b'], ['/a']]);
    pauses[0]?.end();
    await next;
    expect(site.take()).toEqual(['/b']);
  });

  it.each(['0', '-1', 'soon', ''])('of %j does not delay requests', async (value) => {
    robots(`User-agent: *\nCrawl-delay: ${value}`);
    for (const path of ['/a', '/b']) await read(site, path);
    expect([site.take(), pauses]).toEqual([['/a', '/b'], []]);
  });
});

describe('redirects', () => {
  // Proves rule kb.64.
  it.each([301, 302, 303, 307, 308])('with status %d are followed', async (status) => {
    site.pages.set('/old', answer(status, { location: '/a' }));
    expect(await problemOf('/old')).toBeNull();
    expect(site.take()).toEqual(['/old', '/a']);
  });

  it('are followed up to five times', async () => {
    for (let number = 0; number < 10; number++) site.pages.set(`/hop${number}`, answer(302, { location: `/hop${number + 1}` }));
    site.pages.set('/hop5', page);
    expect(await problemOf('/hop0')).toBeNull();
    site.pages.set('/hop5', answer(302, { location: '/hop6' }));
    await useNewAccount();
    expect(await problemOf('/hop0')).toBe('The page redirects more than 5 times');
  });

  it.each([
    ['ftp://other.example/', 'http'],
    ['file:///etc/passwd', 'http'],
    ['javascript:alert(1)', 'http'],
    ['http://user:secret@other.example/', 'http'],
  ])('to %s are rejected', async (location, expected) => {
    site.pages.set('/old', answer(302, { location }));
    const problem = await problemOf('/old');
    expect(problem).toContain(expected);
    expect(problem).not.toContain('secret');
  });

  // Proves rule kb.64.
  it.each(['0; url=/a', '0;URL=/a', ' 00.0 , Url = "/a" ', "0 '/a'", '0;/a#part', '0; url=b/../a'])(
    'are followed if a page asks for them without delay: %s',
    async (content) => {
      const meta = `<META HTTP-EQUIV="Refresh" CONTENT='${content.replaceAll("'", '&#39;')}'>`;
      site.pages.set('/old', html('Old', '<p>We have moved.</p>').replace('<head>', `<head>${meta}`));
      expect(await problemOf('/old')).toBeNull();
      expect(site.take()).toEqual(['/old', '/a']);
      await useNewAccount();
      site.pages.set('/old', answer(200, { 'content-type': 'text/html', refresh: content }, html('Old', '<p>We have moved.</p>')));
      expect(await problemOf('/old')).toBeNull();
      expect(site.take()).toEqual(['/old', '/a']);
    },
  );

  it.each([
    '<meta http-equiv="refresh" content="5; url=/a">',
    '<meta http-equiv="refresh" content="0">',
    '<meta http-equiv="refresh" content="0; url=/old#top">',
    '<meta http-equiv="refresh" content="0; url=javascript:alert(1)">',
    '<noscript><meta http-equiv="refresh" content="0; url=/a"></noscript>',
  ])('are not what leads nowhere else, or later: %s', async (meta) => {
    site.pages.set('/old', html('Old', '<p>We are still here.</p>').replace('<head>', `<head>${meta}`));
    expect(await problemOf('/old')).toBeNull();
    expect(site.take()).toEqual(['/old']);
  });

  it('of pages are followed within the rules', async () => {
    const to = (address: string) => html('Old', '').replace('<head>', `<head><meta http-equiv="refresh" content="0; url=${address}">`);
    site.pages.set('/robots.txt', 'User-agent: *\nDisallow: /private');
    site.pages.set('/old', to('/private'));
    expect(await problemOf('/old')).toContain('robots.txt');
    await useNewAccount();
    site.pages.set('/ping', to('/pong'));
    site.pages.set('/pong', to('/ping'));
    expect(await problemOf('/ping')).toBe('The page redirects more than 5 times');
  });

  it('without a Location are treated as an unreadable page', async () => {
    site.pages.set('/old', answer(302, {}));
    expect(await problemOf('/old')).toBe('The page cannot be read: the server answered 302');
  });
});

describe('a private address', () => {
  // Proves rule kb.8.
  it('is rejected before anything is queued', async () => {
    const strict = await TestService.open({ receivers: { allowPrivate: false } });
    const addresses = [
      site.url('/a'),
      'http://localhost/',
      'http://10.0.0.1/',
      'http://169.254.169.254/latest/meta-data',
      'http://[::1]/',
      'http://[::ffff:127.0.0.1]/',
      'http://0x7f.1/',
      'http://2130706433/',
      'http://printer.local/',
      'http://metadata.google.internal/',
      'http://127.0.0.1./',
    ];
    for (const url of addresses) {
      for (const [path, body] of [
        ['url', { url }],
        ['bulk-import', { urls: ['https://93.184.216.34/', url] }],
        ['discover-pages', { url }],
        ['refresh-domain', { baseUrl: url }],
      ] as const)
        expect([url, path, (await strict.post(`/kb-sources/${path}`, body)).status]).toEqual([url, path, 400]);
      expect((await strict.post('/kb-sources/estimate-cost', { urls: [url] })).body.estimates).toMatchObject([
        { chunks: 1, error: expect.stringMatching(/private|public/) },
      ]);
    }
    expect((await strict.get('/kb-sources')).body.sources).toEqual([]);
    expect(site.requests).toEqual([]);
    await strict.close();
  });

  // Proves rule kb.64.
  it('is never connected to', async () => {
    const crawlers = new Crawlers({ allowPrivate: false, version: 'test', realNow: Date.now });
    const read = crawlers.of('acc_1').readPage(new URL(site.url('/a')));
    await expect(read).rejects.toMatchObject({ name: 'Unreadable', message: 'The page is at a private address' });
    expect(site.requests).toEqual([]);
    await crawlers.close();
  });
});

describe('a page that fails', () => {
  it.each([
    [404, 'The page does not exist: the server answered 404'],
    [410, 'The page does not exist: the server answered 410'],
    [401, 'The page is not public: the server answered 401'],
    [403, 'The page is not public: the server answered 403'],
    [500, 'The page cannot be read: the server answered 500'],
    [304, 'The page cannot be read: the server answered 304'],
  ])('reports the status %d', async (status, problem) => {
    site.pages.set('/x', answer(status, {}, status === 304 ? '' : page));
    expect(await problemOf('/x')).toBe(problem);
  });

  it.each(['image/png', 'application/json', 'video/mp4', 'application/zip'])('reports the type %s', async (type) => {
    site.pages.set('/x', answer(200, { 'content-type': type }, page));
    expect(await problemOf('/x')).toBe(`The page is of the type ${type}, which has no text`);
  });

  it('reports that nothing listens on its address', async () => {
    const closed = await Site.open();
    const url = closed.url('/x');
    await closed.close();
    const state = await kb.state(await kb.importPage(url));
    expect(state).toMatchObject({ status: 'failed', error_message: expect.stringMatching(/^The page could not be fetched: .*refused/i) });
  });

  // Proves rule kb.65.
  it.each<[string, Page, RegExp]>([
    ['never ends', (response) => void response.writeHead(200, { 'content-type': 'text/html' }).write('<p>'), /more than 5 seconds/],
    [
      'arrives byte by byte',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        const timer = setInterval(() => response.write('a'), 50);
        response.on('close', () => clearInterval(timer));
      },
      /more than 5 seconds/,
    ],
    ['never starts', () => {}, /more than 5 seconds|answer/],
    ['closes the connection', (response) => response.destroy(), /could not be fetched/],
    [
      'is shorter than its Content-Length',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/html', 'content-length': '100000' });
        response.write(page);
        setTimeout(() => response.destroy(), 50);
      },
      /could not be fetched/,
    ],
    [
      'is endless',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        const write = () => {
          while (!response.destroyed && response.write('<p>More and more. '.repeat(1_000)));
          if (!response.destroyed) response.once('drain', write);
        };
        write();
      },
      /larger than 10 MiB|more than 5 seconds/,
    ],
    [
      'is too large when decompressed',
      answer(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(20_000_000))),
      /larger than 10 MiB/,
    ],
    [
      'is not compressed as declared',
      answer(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }, page),
      /cannot be decompressed/,
    ],
    [
      'is compressed and truncated',
      answer(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }, gzipSync(page).subarray(0, 40)),
      /cannot be decompressed/,
    ],
    ['does not answer with HTTP', (response) => void response.socket?.end('nonsense\r\n\r\n'), /could not be fetched/],
    [
      'has endless headers',
      (response) => {
        response.socket?.write(`HTTP/1.1 200 OK\r\n${'x-more: and more of it\r\n'.repeat(100_000)}\r\n`);
        response.socket?.end();
      },
      /could not be fetched/,
    ],
  ])('reports that it %s, while other pages are served', async (_name, hostile, problem) => {
    site.pages.set('/hostile', hostile);
    const { source_id: id } = (await kb.page(site.url('/hostile'))).body;
    const good = (await kb.page(site.url('/a'))).body.source_id;
    const settled = settle(service);
    for (let number = 0; number < 20; number++) {
      expect((await service.get('/tags')).status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await settled;
    expect(await kb.state(id)).toMatchObject({ status: 'failed', faq_count: 0, error_message: expect.stringMatching(problem) });
    expect(await kb.status(good)).toBe('ready');
  });
});
