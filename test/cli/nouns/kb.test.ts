import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { it } from '../../support/home-test.ts';
import { pdf } from '../../support/pdf.ts';
import { html, Site } from '../../support/site.ts';
import type { Home } from '../../support/terminal-world.ts';

let site: Site;

const links = '<nav><a href="/">Home</a> <a href="/faq">FAQ</a> <a href="/login">Log in</a> <a href="/a/b/c/d/e">Deep</a></nav>';

beforeAll(async () => {
  site = await Site.open();
});

afterAll(() => site.close());

it.beforeEach(async ({ home }) => {
  home.env = { MSGCTL_PROFILE: 'sandbox', MSGCTL_DATA_DIR: join(home.path, 'data') };
  // Another process reads the pages, so waits have to take real time.
  home.onSleep = () => pause(50);
  site.pages.clear();
  site.pages.set('/', html('Ferns', `${links}<main><h1>Ferns</h1><p>We sell ferns.</p></main>`));
  site.pages.set('/faq', html('FAQ', `${links}<main><h1>FAQ</h1><h2>Do you ship abroad?</h2><p>Yes, to all of Europe.</p></main>`));
  site.pages.set('/login', html('Log in', links));
  site.pages.set('/a/b/c/d/e', html('Deep', `${links}<p>Far away.</p>`));
  await home.run('agents', 'create', 'Ada');
});

const write = (home: Home, name: string, content: string | Buffer) => {
  writeFileSync(join(home.path, name), content);
  return join(home.path, name);
};
const json = async (home: Home, ...argv: string[]) => (await home.run(...argv, '-o', 'json')).json;
type Source = Record<string, unknown> & { source_id: string; url: string | null; status: string };
const stored = async (home: Home) => (await json(home, 'kb', 'list')).sources as Source[];

describe('kb text', () => {
  // Proves rule kb.94.
  it('shows what was read of a page, with the FAQs of each section', async ({ home }) => {
    await home.run('kb', 'import', site.url('/faq'), '--wait');
    const { code, json: read } = await home.run('kb', 'text', site.url('/faq'), '-o', 'json');
    expect(code).toBe(0);
    const [source] = await stored(home);
    const { faqs } = await json(home, 'faqs', 'list');
    expect(read).toMatchObject({
      source_id: source?.source_id,
      title: 'FAQ',
      sections: [{ heading: 'Do you ship abroad?', text: 'Yes, to all of Europe.', faq_ids: [faqs[0].id] }],
    });
    const { stdout } = await home.runOnTerminal(80, 'kb', 'text', site.url('/faq'));
    expect(stdout).toContain(`# Do you ship abroad?\nYes, to all of Europe.\n(1 FAQ: ${faqs[0].id})\n`);
  });

  it('wraps sentences at the words on a terminal, and neither tables nor code', async ({ home }) => {
    const row = 'Monday and Tuesday | from nine in the morning';
    const sentence = 'We send ferns to all of Europe within a week.';
    const table = `<table><tr><td>${row.replace(' | ', '</td><td>')}</td></tr></table>`;
    site.pages.set('/long', html('Long', `<main><h1>Long</h1><p>${sentence}</p>${table}<pre>  ${'let fern = 1; '.repeat(4)}</pre></main>`));
    await home.run('kb', 'import', site.url('/long'), '--wait');
    const { stdout } = await home.runOnTerminal(40, 'kb', 'text', site.url('/long'));
    const lines = stdout.split('\n');
    expect(lines).toContain('We send ferns to all of Europe within a');
    expect(lines).toContain(row);
    expect(lines).toContainEqual(expect.stringMatching(/^ +let fern = 1; let fern = 1; let fern = 1; let fern = 1;/));
    expect((await home.run('kb', 'text', site.url('/long'))).stdout).toContain(sentence);
  });

  it('says that a source is unknown, that nothing was read of it, or that the service does not show texts', async ({ home }) => {
    expect((await home.run('kb', 'text', 'src_unknown')).code).toBe(5);
    await home.run('kb', 'import', site.url('/none'), '--wait');
    expect((await home.runOnTerminal(80, 'kb', 'text', site.url('/none'))).stdout).toContain('Nothing was read: ');
    const { source_id: id = '' } = (await stored(home))[0] ?? {};
    await home.run('sandbox', 'faults', 'add', '--path', `/kb-sources/${id}/text`, '--status', '404', '--times', '9');
    const { code, stderr } = await home.run('kb', 'text', id);
    expect(code).toBe(5);
    expect(stderr).toContain('The service does not show the texts of sources');
  });
});

describe('kb import', () => {
  it('warns when less than half of a page was read', async ({ home }) => {
    site.pages.set('/little', html('Little', `${links.repeat(9)}<main><h1>Little</h1><p>We sell ferns.</p></main>`));
    const { code, stderr } = await home.run('kb', 'import', site.url('/little'), '--wait');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Only \d+ % of the text of http.*\/little was read: `msgctl kb text src_[\w-]+` shows it\.$/m);
  });

  it('warns of the other pages when the text of one cannot be looked at', async ({ home }) => {
    const names = ['/little', '/short'];
    for (const name of names) site.pages.set(name, html(name, `${links.repeat(9)}<main><h1>${name}</h1><p>We sell ferns.</p></main>`));
    await home.run('sandbox', 'faults', 'add', '--method', 'GET', '--path', '/kb-sources/*', '--status', '403', '--times', '1');
    const { stderr } = await home.run('kb', 'import', ...names.map((name) => site.url(name)), '--wait');
    expect(stderr.match(/^Only \d+ %/gm)).toHaveLength(1);
  });

  it('imports a page, waits, and lets an agent answer from it', async ({ home }) => {
    const { code, json: answer } = await home.run('kb', 'import', site.url('/faq'), '--agent', 'Ada', '--wait', '-o', 'json');
    expect(code).toBe(0);
    expect(answer.sources).toMatchObject([{ ref: site.url('/faq'), status: 'ready', faq_count: 1, section_count: 1, error_message: null }]);
    const asked = await json(home, 'kb', 'ask', 'Ada', 'do you ship abroad?');
    expect(asked).toMatchObject({ source: 'faq', answer: 'Yes, to all of Europe.' });
    expect(asked.faqs).toMatchObject([{ score: 1, question: 'Do you ship abroad?', page: 'FAQ', url: site.url('/faq') }]);
    const { stdout } = await home.runOnTerminal(80, 'kb', 'ask', 'Ada', 'do you ship abroad?');
    // An FAQ without a source belongs to no page, whatever its category.
    await home.run('campaigns', 'create', 'Spring', '--agent', 'Ada');
    await home.run('faqs', 'create', 'Spring', 'Do you gift-wrap?', 'Yes.', '--category', 'Gifts');
    await home.run('sandbox', 'settle');
    expect((await json(home, 'kb', 'ask', 'Ada', 'Do you gift-wrap?')).faqs[0]).toMatchObject({
      question: 'Do you gift-wrap?',
      page: null,
    });
    expect(stdout).toContain('Yes, to all of Europe.\n\n(the answer of the best FAQ)\n');
    expect(stdout).toContain('1.00');
  });

  it('imports addresses from stdin and from a file, and skips those that are there already', async ({ home }) => {
    home.stdin = `# the pages\n${site.url('/')}\n\n${site.url('/faq')}\n`;
    expect((await json(home, 'kb', 'import', '-')).sources.map(({ ref }: { ref: string }) => ref)).toEqual([
      site.url('/'),
      site.url('/faq'),
    ]);
    const { stderr } = await home.run('kb', 'import', `@${write(home, 'pages.txt', `${site.url('/')}\r\n${site.url('/login')}\r\n`)}`);
    expect(stderr).toBe('Queued 1 source; 1 page is already in the knowledge base. `msgctl kb status` shows the progress.\n');
    home.stdin = ['/', '/new', '/faq', '/new#part'].map((path) => site.url(path)).join('\n');
    const sources = (await json(home, 'kb', 'import', '-')).sources as { source_id: string; ref: string; status: string }[];
    expect(sources.map(({ ref, status }) => [ref, status])).toEqual([
      [site.url('/'), 'exists'],
      [site.url('/new'), 'queued'],
      [site.url('/faq'), 'exists'],
      [site.url('/new#part'), 'exists'],
    ]);
    expect(sources[3]?.source_id).toBe(sources[1]?.source_id);
    // The pages are imported even if they cannot be listed.
    await home.run('sandbox', 'faults', 'add', '--path', '/kb-sources', '--method', 'GET', '--status', '500', '--times', '9');
    home.stdin = ['/', '/faq'].map((path) => site.url(path)).join('\n');
    expect((await json(home, 'kb', 'import', '-')).sources).toEqual(Array(2).fill({ source_id: null, ref: null, status: 'exists' }));
    await home.run('sandbox', 'faults', 'clear');
    home.stdin = `${site.url('/')}\nshop.example\n`;
    const wrong = await home.run('kb', 'import', '-');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Line 2 of stdin is not an address: shop.example')]);
  });

  it('reports the address that the service refuses, with its line', async ({ home }) => {
    const reason = 'must be an http or https address without a user name';
    const refusal = async (...argv: string[]) => {
      const { code, stderr } = await home.run('kb', 'import', ...argv);
      return [code, stderr];
    };
    const wrong = 'http://ada:secret@127.0.0.1/';
    expect(await refusal(wrong)).toEqual([2, `Error: The address ${wrong} ${reason}\n`]);
    expect(await refusal(site.url('/'), wrong)).toEqual([2, `Error: The address ${wrong} ${reason}\n`]);
    const list = write(home, 'pages.txt', `# the pages\n${site.url('/')}\n\n${wrong}\n`);
    expect(await refusal(`@${list}`)).toEqual([2, `Error: The address ${wrong} (line 4 of ${list}) ${reason}\n`]);
    home.stdin = `${wrong}\n`;
    expect(await refusal('-')).toEqual([2, `Error: The address ${wrong} (line 1 of stdin) ${reason}\n`]);
    expect(await stored(home)).toEqual([]);
  });

  it('uploads documents only to a sandbox', async ({ home }) => {
    const manual = write(
      home,
      'manual.pdf',
      pdf([
        [
          { text: 'Watering', y: 780, size: 18 },
          { text: 'Once a week.', y: 750 },
        ],
      ]),
    );
    const { json: answer } = await home.run('kb', 'import', manual, '--agent', 'Ada', '--wait', '-o', 'json');
    expect(answer.sources).toMatchObject([{ ref: 'manual.pdf', status: 'ready', faq_count: 1 }]);
    expect((await json(home, 'kb', 'ask', 'Ada', 'watering')).answer).toBe('Once a week.');
    const wrong = await home.run('kb', 'import', write(home, 'picture.png', ''));
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('is neither an address nor a document')]);
    const missing = await home.run('kb', 'import', join(home.path, 'none.pdf'));
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('there is no such file')]);
    home.env = { MSGCTL_API_KEY: 'mk_x', MSGCTL_BASE_URL: 'http://127.0.0.1:9/v1' };
    const elsewhere = await home.run('kb', 'import', manual);
    expect([elsewhere.code, elsewhere.stderr]).toEqual([2, expect.stringContaining('--storage-path')]);
  });

  it('exits 8 with the reason when some or all sources failed', async ({ home }) => {
    const { code, json: answer } = await home.run('kb', 'import', site.url('/'), site.url('/none'), '--wait', '-o', 'json');
    expect(code).toBe(8);
    expect(answer.sources[1]).toMatchObject({ status: 'failed', error_message: 'The page does not exist: the server answered 404' });
    const all = await home.run('kb', 'import', site.url('/nowhere'), '--wait');
    expect([all.code, all.stderr]).toEqual([8, 'Imported 0 sources with 0 FAQs; 1 source failed.\n']);
  });

  it('imports the recommended pages of a website, and without a terminal only lists them for --discover', async ({ home }) => {
    const listed = await home.run('kb', 'import', site.url(), '--discover', '-o', 'json');
    expect([listed.code, listed.stderr]).toEqual([
      2,
      expect.stringContaining('choosing pages needs a terminal. Without one, --recommended imports'),
    ]);
    const quiet = await home.run('kb', 'import', site.url(), '--discover', '--agent', 'Ada', '--quiet');
    expect([quiet.code, quiet.stderr]).toEqual([2, expect.stringContaining('Nothing is imported')]);
    expect(listed.json.pages.map(({ recommendation }: { recommendation: string }) => recommendation)).toEqual([
      'add',
      'add',
      'maybe',
      'skip',
    ]);
    expect(await stored(home)).toEqual([]);
    await home.run('kb', 'import', site.url(), '--recommended', '--wait');
    expect((await stored(home)).map(({ url }) => url).sort()).toEqual([site.url('/'), site.url('/faq')]);
    const wrong = await home.run('kb', 'import', site.url(), site.url('/faq'), '--recommended');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('take the address of one website')]);
  });

  it('marks pages of a website that are there already, and leaves them out of the price', async ({ home }) => {
    await home.run('kb', 'import', `${site.url('/faq')}?utm_source=mail`, site.url('/none'), '--wait');
    const { json: found } = await home.run('kb', 'import', site.url(), '--discover', '-o', 'json');
    const present = (found.pages as { url: string; present: boolean }[]).filter((page) => page.present).map(({ url }) => url);
    expect([found.pages.length, present]).toEqual([4, [site.url('/faq')]]);
    const argv = ['kb', 'import', site.url('/'), site.url('/faq'), site.url('/none'), '--estimate'];
    const { stderr } = await home.run(...argv);
    expect(stderr).toBe('2 sources: at most 2 credits of 999; 1 page is already in the knowledge base.\n');
    expect((await json(home, ...argv)).estimates).toMatchObject([
      { ref: site.url('/faq'), chunks: 0, credits: 0, present: true },
      { ref: site.url('/'), credits: 1 },
      { ref: site.url('/none'), credits: 1, error: expect.stringContaining('404') },
    ]);
    expect((await home.run('kb', 'estimate', site.url('/faq'))).stderr).toBe(
      '0 sources: 0 credits; 1 page is already in the knowledge base.\n',
    );
  });

  it('estimates the price without queueing anything, and exits 3 if there are not enough credits', async ({ home }) => {
    const manual = write(home, 'manual.md', `# Ferns\n\n${'Water them. '.repeat(300)}`);
    const { code, stderr } = await home.run('kb', 'import', site.url(), manual, '--estimate');
    expect([code, stderr]).toEqual([0, '2 sources: 3 credits of 1,000.\n']);
    const answer = await json(home, 'kb', 'import', site.url(), manual, '--estimate');
    expect(answer).toMatchObject({
      estimates: [
        { ref: site.url(), chunks: 1, credits: 1 },
        { ref: manual, chunks: 2, credits: 2 },
      ],
      total_credits: 3,
      affordable: true,
      checked_chunks: 3,
      max_affordable_chunks: 1000,
    });
    expect(await stored(home)).toEqual([]);
    await home.run('sandbox', 'accounts', 'update', '--credits', '1');
    expect((await home.run('kb', 'estimate', site.url(), manual)).code).toBe(3);
    const refused = await home.run('kb', 'import', site.url(), site.url('/faq'));
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Not enough credits')]);
  });

  it('keeps the import after Ctrl-C, and says how to finish it', async ({ home }) => {
    home.onSleep = async () => home.interrupt();
    site.pages.set('/slow', () => {});
    const { code, stderr } = await home.run('kb', 'import', site.url('/slow'), '--wait');
    expect([code, stderr]).toEqual([
      130,
      'Error: Stopped waiting; the import is paused until the embedded service runs.\n`msgctl sandbox settle` finishes it.\n',
    ]);
    expect(await stored(home)).toMatchObject([{ url: site.url('/slow') }]);
  });

  it('imports more than a hundred pages, and says how many were queued before a failure', async ({ home }) => {
    await home.run('sandbox', 'jobs', 'hold', 'kb_import');
    const addresses = Array.from({ length: 101 }, (_, page) => site.url(`/${page}`));
    await home.run('sandbox', 'accounts', 'update', '--credits', '100');
    home.stdin = addresses.join('\n');
    const dear = await home.run('kb', 'import', '-');
    expect([dear.code, dear.stderr]).toEqual([1, expect.stringContaining('Not enough credits')]);
    await home.run('sandbox', 'accounts', 'update', '--credits', '1000');
    home.stdin = [...addresses.slice(0, 100), 'http://ada:secret@127.0.0.1/'].join('\n');
    const { code, stderr } = await home.run('kb', 'import', '-', '-o', 'json');
    const error = JSON.parse(stderr) as { message: string; sources: unknown[] };
    const refused = expect.stringMatching(/^Queued only 100 sources\. The address http:\S+ \(line 101 of stdin\) must be /);
    expect([code, error.message, error.sources.length]).toEqual([8, refused, 100]);
    home.stdin = addresses.join('\n');
    expect((await home.run('kb', 'import', '-')).stderr).toMatch(/^Queued 1 source; 100 pages are already in the knowledge base\./);
  });

  it.for([60, 80])('shows a line for each source in the order of the addresses, within %i columns', async (columns, { home }) => {
    const paths = ['/products/bicycles/mountain-bikes/with-a-long-name/overview', `/${'日本語'.repeat(20)}/end`, '/faq'];
    home.env.LANG = 'C.UTF-8';
    const argv = ['kb', 'import', ...paths.map((path) => site.url(path)), '--wait'];
    const { stdout, stderr } = await home.runOnTerminal(columns, ...argv);
    const bar = columns < 80 ? 10 : 24;
    const [drawn = ''] = /\[.*?of 3 sources/s.exec(stripVTControlCharacters(stderr)) ?? [];
    const lines = drawn.split('\n');
    for (const line of lines) expect(stringWidth(line)).toBeLessThan(columns);
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`^\\[░{${bar}}\\]   0 %  queued      127\\.0\\.\\S*….*/overview$`)),
      expect.stringMatching(/^\[\S+ {3}0 % {2}queued {6}127\.0\.\S*…\S*日本語\/end$/),
      expect.stringMatching(/^\[\S+ {3}0 % {2}queued {6}127\.0\.\S*\/faq$/),
      expect.stringMatching(/^\[\S+ {3}0 % {2}0 of 3 sources$/),
    ]);
    // The status column is visible.
    expect(stripVTControlCharacters(stdout)).toMatch(/│ REF +│ STATUS +│/);
  });

  it('stops waiting for a source that is deleted meanwhile', async ({ home }) => {
    await home.run('sandbox', 'jobs', 'hold', 'kb_import');
    home.onSleep = async () => void (await home.run('kb', 'delete', site.url('/faq'), '--yes'));
    const { code, json: answer } = await home.run('kb', 'import', site.url('/faq'), '--wait', '-o', 'json');
    expect(code).toBe(8);
    expect(answer.sources).toMatchObject([{ ref: site.url('/faq'), status: 'deleted', error_message: null }]);
  });

  it('needs something to import', async ({ home }) => {
    const { code, stderr } = await home.run('kb', 'import');
    expect([code, stderr]).toEqual([2, expect.stringContaining('Nothing to import')]);
  });
});

describe('sources', () => {
  it.beforeEach(async ({ home }) => {
    await home.run('kb', 'import', site.url('/'), site.url('/faq'), '--agent', 'Ada', '--wait');
  });

  it('are found by their address or title', async ({ home }) => {
    const { json: source } = await home.run('kb', 'get', site.url('/faq'), '-o', 'json');
    expect(source).toMatchObject({ status: 'ready', faq_count: 1 });
    expect((await json(home, 'kb', 'get', 'FAQ')).source_id).toBe(source.source_id);
    const { code, stderr } = await home.run('kb', 'get', 'nothing');
    expect([code, stderr]).toEqual([5, expect.stringContaining("There is no source 'nothing'")]);
    await home.run('agents', 'create', 'Eve');
    await home.run('agents', 'sources', 'attach', 'Eve', source.source_id as string);
    expect((await json(home, 'kb', 'list', '--agent', 'Eve')).sources).toMatchObject([{ url: site.url('/faq') }]);
  });

  it('are listed by their address, with their title, state and FAQs, on a terminal of 80 columns', async ({ home }) => {
    home.env = { ...home.env, NO_COLOR: '1' };
    const { stdout } = await home.runOnTerminal(80, 'kb', 'list');
    expect(stdout).toMatch(/│ URL +│ TITLE +│ STATUS +│ FAQS │/);
    expect(stdout).toContain(`│ ${site.url('/faq')} `);
  });

  it('are counted by website', async ({ home }) => {
    expect((await json(home, 'kb', 'status')).websites).toEqual([
      { host: site.host, sources: 2, ready: 2, waiting: 0, processing: 0, failed: 0, other: 0, faqs: 2, refresh: null },
    ]);
    const { code, stderr } = await home.run('kb', 'status', 'shop.example');
    expect([code, stderr]).toEqual([5, expect.stringContaining('msgctl kb import https://shop.example --discover')]);
    const pasted = await home.run('kb', 'status', 'https://shop.example/?a=1&b=2');
    expect(pasted.stderr).toContain("msgctl kb import 'https://shop.example/?a=1&b=2' --discover");
  });

  it('are refreshed one by one or as a website', async ({ home }) => {
    site.pages.set('/faq', html('FAQ', '<h1>FAQ</h1><h2>Do you ship abroad?</h2><p>No longer.</p>'));
    expect((await home.run('kb', 'refresh', site.url('/faq'), '--wait')).code).toBe(0);
    expect((await json(home, 'kb', 'ask', 'Ada', 'do you ship abroad?')).answer).toBe('No longer.');
    const { code, json: answer } = await home.run('kb', 'refresh', '--host', site.host, '--wait', '-o', 'json');
    expect([code, answer]).toMatchObject([0, { job: { status: 'completed', total: 2, succeeded: 2 } }]);
    site.pages.delete('/faq');
    expect((await home.run('kb', 'refresh', '--host', site.url('/anything'), '--wait')).code).toBe(8);
    const { stdout } = await home.runOnTerminal(200, 'kb', 'refresh', '--host', site.host, '--wait');
    expect(stdout).toMatch(/status/);
    expect(stdout).toMatch(/skipped_duplicate\S* +0\n\S*started_at\S* +2026.*\n\S*refresh_id\S* +kbr_/);
    expect((await home.run('kb', 'refresh')).code).toBe(2);
    expect((await home.run('kb', 'refresh', '--host', 'shop.example')).code).toBe(5);
    expect((await home.run('kb', 'cancel-refresh', 'shop.example')).code).toBe(5);
  });

  it('are left as they are when the refresh of their website is cancelled', async ({ home }) => {
    await home.run('sandbox', 'jobs', 'hold', 'kb_refresh');
    let canceled = { code: 1, stderr: '' };
    home.onSleep = async () => void (canceled = await home.run('kb', 'cancel-refresh', site.host));
    const { code, json: answer } = await home.run('kb', 'refresh', '--host', site.host, '--wait', '-o', 'json');
    expect([code, answer]).toMatchObject([1, { job: { status: 'cancelled', succeeded: 0 } }]);
    expect(canceled).toMatchObject({ code: 0, stderr: `The refresh of ${site.host} is cancelled. Pages left unchanged: 2.\n` });
  });

  it('cannot be left as they are once only duplicates are merged, which the error says', async ({ home }) => {
    await home.run('sandbox', 'jobs', 'hold', 'kb_refresh');
    await home.run('kb', 'refresh', '--host', site.host);
    const store = new DatabaseSync(join(home.path, 'data', 'msgctl.db'));
    store.exec("update kb_refreshes set status = 'deduplicating'");
    store.close();
    const canceled = await home.run('kb', 'cancel-refresh', site.host, '-o', 'json');
    expect([canceled.code, JSON.parse(canceled.stderr)]).toMatchObject([
      6,
      { status: 'deduplicating', cancelled_units: 0, reason: 'already_finalizing', code: 'conflict' },
    ]);
  });

  it('are found up to a limit, which the document says', async ({ home }) => {
    const all = await json(home, 'kb', 'discover', site.url());
    expect(all).toMatchObject({ limit_reached: false, limit_notice: null });
    const some = await json(home, 'kb', 'discover', site.url(), '--max-pages', '1');
    expect(some).toMatchObject({ pages: { length: 1 }, source_type: all.source_type, max_pages: 1, limit_reached: true });
    expect(some.limit_notice).toEqual(expect.any(String));
  });

  it('are left out of kb discover --new', async ({ home }) => {
    const { pages } = await json(home, 'kb', 'discover', site.url(), '--new');
    expect(pages.map(({ url }: { url: string }) => url)).toEqual([site.url('/a/b/c/d/e'), site.url('/login')]);
  });

  it('stand in the whole answer of the interface with kb discover -o json', async ({ home }) => {
    const found = { source_type: 'link_discovery', limit_reached: false, limit_notice: null, max_pages: expect.any(Number) as number };
    const { pages, ...further } = await json(home, 'kb', 'discover', site.url());
    expect([pages.length, further]).toEqual([4, found]);
    const { pages: fresh, ...compared } = await json(home, 'kb', 'discover', site.url(), '--new');
    expect([fresh.length, compared]).toEqual([2, { ...found, discovered: 4, new_urls_queued: 0, existing_refresh_queued: 2 }]);
  });

  it('are deleted after a question that names them and says what happens to their FAQs', async ({ home }) => {
    const { code, stderr } = await home.run('kb', 'delete', 'FAQ');
    expect([code, stderr]).toEqual([2, expect.stringContaining(`Delete the source '${site.url('/faq')}' and keep its FAQs?`)]);
    await home.run('kb', 'delete', 'FAQ', '--yes');
    expect((await json(home, 'faqs', 'list')).faqs).toHaveLength(2);
    const { stderr: done } = await home.run('kb', 'delete', site.url('/'), '--delete-faqs', '--yes');
    expect(done).toBe(`Deleted the source ${site.url('/')} with 1 FAQ.\n`);
    expect((await json(home, 'faqs', 'list')).faqs).toHaveLength(1);
    expect(await stored(home)).toEqual([]);
  });

  it('are deleted one by one without their FAQs, and a failure says which are deleted', async ({ home }) => {
    const [first = '', second = ''] = (await stored(home)).map(({ source_id: id }) => id);
    const asked = await home.run('kb', 'delete', 'FAQ', 'Ferns');
    expect(asked.stderr).toContain(`Delete 2 sources and keep their FAQs: '${site.url('/faq')}', '${site.url('/')}'?`);
    for (const verb of ['delete', 'refresh']) {
      const { requests } = await json(home, 'kb', verb, first, second, '--dry-run');
      expect((requests as { url: string }[]).map(({ url }) => [first, second].find((id) => url.includes(id)))).toEqual([first, second]);
    }
    await home.run('sandbox', 'faults', 'add', '--method', 'DELETE', '--path', `/kb-sources/${second}`, '--status', '400');
    const { code, stderr } = await home.run('kb', 'delete', first, second, '--yes', '-o', 'json');
    expect([code, JSON.parse(stderr)]).toMatchObject([8, { deleted: [first], left: [second] }]);
    expect(await stored(home)).toMatchObject([{ source_id: second }]);
  });

  it('are deleted with their FAQs in the background when they are several', async ({ home }) => {
    const { stderr } = await home.run('kb', 'delete', 'FAQ', 'Ferns', '--delete-faqs', '--yes');
    expect(stderr).toBe('Deleting 2 sources with their FAQs, in the background.\n');
    expect(await stored(home)).toEqual([]);
    expect((await json(home, 'faqs', 'list')).faqs).toEqual([]);
  });
});

describe('an error of a kb command', () => {
  it('names the option or the argument instead of the field', async ({ home }) => {
    const said = async (...argv: string[]) => {
      const { code, stderr } = await home.run('kb', ...argv);
      return [code, stderr.split('\n', 1)[0]];
    };
    expect(await said('refresh', '--host', 'not a host')).toEqual([2, expect.stringMatching(/^Error: --host must be /)]);
    expect(await said('cancel-refresh', 'not a host')).toEqual([2, expect.stringMatching(/^Error: <host> 'not a host' must be /)]);
    expect(await said('discover', site.url(), '--max-pages', '99999999')).toEqual([
      2,
      expect.stringMatching(/^Error: --max-pages must be /),
    ]);
    expect(await said('discover', 'shop')).toEqual([2, expect.stringMatching(/^Error: <url> 'shop' must be /)]);
  });
});

describe('kb cancel, kb resume', () => {
  it('cancel waiting imports, and resume imports that a failing key paused', async ({ home }) => {
    await home.run('sandbox', 'jobs', 'hold', 'kb_import');
    await home.run('kb', 'import', site.url('/'), site.url('/faq'));
    expect(await json(home, 'kb', 'cancel', '--host', 'shop.example')).toEqual({ cancelled: 0, in_flight: 0 });
    expect(await json(home, 'kb', 'cancel')).toEqual({ cancelled: 2, in_flight: 0 });
    await home.run('sandbox', 'jobs', 'release');
    await home.run('sandbox', 'accounts', 'update', '--own-ai-key', 'failing');
    const { code, json: answer } = await home.run('kb', 'import', site.url('/faq'), '--wait', '-o', 'json');
    expect([code, answer.sources[0].status]).toEqual([8, 'paused']);
    const asked = await home.run('kb', 'resume');
    expect([asked.code, asked.stderr]).toEqual([
      2,
      expect.stringMatching(/Resume the imports of 1 source\? .* credits of the platform: 0\.5 to 2 .* The balance is [\d,]+ credits\./),
    ]);
    expect(await json(home, 'kb', 'resume', '--yes')).toEqual({ resumed: 1 });
    expect((await stored(home))[0]).toMatchObject({ url: site.url('/faq'), status: 'ready' });
  });
});

describe('faqs generate', () => {
  it('drafts inactive FAQs for a campaign', async ({ home }) => {
    await home.run('campaigns', 'create', 'Spring');
    const { code } = await home.run('faqs', 'generate', 'Spring', write(home, 'prices.csv', 'question,answer\nWhat is a fern?,4 EUR\n'));
    expect(code).toBe(0);
    expect((await json(home, 'faqs', 'list', '--campaign', 'Spring')).faqs).toMatchObject([
      { question: 'What is a fern?', answer: '4 EUR', is_active: false },
    ]);
    expect((await home.run('faqs', 'generate', 'Spring')).code).toBe(2);
  });

  it('waits with --wait until they are drafted, and reports the number for each document', async ({ home }) => {
    await home.run('campaigns', 'create', 'Spring');
    await home.run('faqs', 'create', 'Spring', 'Is this old?', 'Yes.', '--is-active', 'false');
    const prices = write(home, 'prices.csv', 'question,answer\nWhat is a fern?,4 EUR\nAnd a pot?,2 EUR\n');
    const empty = write(home, 'empty.txt', '');
    const both = await home.run('faqs', 'generate', 'Spring', prices, empty, '--wait', '-o', 'json');
    expect([both.code, both.json.documents]).toEqual([
      8,
      [
        { ref: prices, storage_path: expect.stringContaining('/prices.csv'), faq_count: 2 },
        { ref: empty, storage_path: expect.stringContaining('/empty.txt'), faq_count: 0 },
      ],
    ]);
    const { code, stderr } = await home.run('faqs', 'generate', 'Spring', prices, '--wait');
    expect([code, stderr]).toEqual([0, 'Drafted 2 FAQs, which are not active.\n']);
    const none = await home.run('faqs', 'generate', 'Spring', empty, '--wait');
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('; 1 document gave none: it has no readable text')]);
  });

  it('stops waiting after ten minutes', async ({ home }) => {
    await home.run('campaigns', 'create', 'Spring');
    await home.run('sandbox', 'jobs', 'hold', 'faq_generate');
    home.onSleep = async () => void (home.now += 10 * 60_000);
    const { code, stderr } = await home.run('faqs', 'generate', 'Spring', write(home, 'a.txt', 'Ferns need water.'), '--wait');
    expect([code, stderr]).toEqual([1, expect.stringContaining('No FAQ was drafted within 10 minutes')]);
  });
});
