import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { settle } from '../../../support/agents.ts';
import { docx, docxFiles, paragraph } from '../../../support/docx.ts';
import { kb, service, site, testKnowledge } from '../../../support/kb-prelude.ts';
import { Knowledge } from '../../../support/knowledge.ts';
import { pdf } from '../../../support/pdf.ts';
import { answer, html, Site } from '../../../support/site.ts';
import { cases, isLongSweep } from '../../../support/sweeps.ts';
import { TestService } from '../../../support/test-service.ts';
import { workbook, workbookFiles, zip } from '../../../support/workbook.ts';

// Broken and malicious documents. Whatever happens to one, other requests are served meanwhile, and the next document is read.

testKnowledge({}, () => TestService.open({ readingLimits: { reading: 10_000 } }));

/** Imports a document, and makes other requests until it has been read. @returns its state */
async function endure(name: string, content: string | Uint8Array) {
  const { body } = await kb.file(await kb.upload(name, content), name);
  let isDone = false;
  const settled = settle(service).then(() => (isDone = true));
  while (!isDone) {
    expect((await service.get('/tags')).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await settled;
  return await kb.state(body.source_id);
}

/** Expects that the document was read, at least in part, or failed because of a limit. */
function expectBounds({ status, error_message: problem }: Awaited<ReturnType<typeof endure>>): void {
  const known = { ready: /^$|^Only the first 5000 (?:FAQs|pages)/, failed: /seconds|memory|too many sections|A row is longer/ }[
    String(status)
  ];
  expect(problem ?? '').toMatch(known ?? 'no end state');
}

// On a busy machine the time can run out before a document fails otherwise.
const failed = (problem: RegExp) => {
  const message = new RegExp(`${problem.source}|takes more than \\d+ seconds`);
  return { status: 'failed', faq_count: 0, section_count: 0, error_message: expect.stringMatching(message) as unknown };
};

const cell = (text: string) => `<row r="1"><c r="A1" t="inlineStr"><is><t>${text}</t></is></c></row>`;

/** Entities that refer to each other and would expand to a billion letters. */
const entities = `<!DOCTYPE x [<!ENTITY a0 "ha">${Array.from({ length: 30 }, (_, level) => `<!ENTITY a${level + 1} "&a${level};&a${level};">`).join('')}]>`;

const external = '<!DOCTYPE x [<!ENTITY file SYSTEM "file:///etc/passwd">]>';

const withDoctype = (text: string, doctype: string, entity: string) => text.replace('?>\n', `?>\n${doctype}`).replace('TEXT', entity);

const word = (doctype: string, entity: string) => {
  const files = docxFiles(paragraph('TEXT'));
  return zip({ ...files, 'word/document.xml': withDoctype(files['word/document.xml'] ?? '', doctype, entity) });
};

const book = (doctype: string, entity: string) => {
  const files = workbookFiles({ rows: cell('TEXT') });
  return zip({ ...files, 'xl/worksheets/sheet1.xml': withDoctype(files['xl/worksheets/sheet1.xml'] ?? '', doctype, entity) });
};

/** More bytes than a document may decompress to. */
const unpacked = 80_000_000;

const good = pdf([[{ text: 'We open at nine.', y: 700 }]]);

// Proves rules kb.15, kb.19, kb.66.
describe('a hostile document', () => {
  it.each<[string, string, string | (() => Uint8Array), RegExp]>([
    ['is empty: PDF', 'a.pdf', '', /damaged, or not a PDF|no text/],
    ['is empty: DOCX', 'a.docx', '', /damaged.*Word/],
    ['is empty: XLSX', 'a.xlsx', '', /Excel|workbook/i],
    ['is empty: CSV', 'a.csv', '', /There is no text in it/],
    ['is empty: TXT', 'a.txt', '', /There is no text in it/],
    ['is empty: MD', 'a.md', ' \n\n ', /There is no text in it/],
    ['is text named PDF', 'a.pdf', 'We open at nine.', /damaged, or not a PDF/],
    ['is text named DOCX', 'a.docx', 'We open at nine.', /not a Word document/],
    ['is text named XLSX', 'a.xlsx', 'We open at nine.', /Excel|workbook/i],
    ['is a PDF named DOCX', 'a.docx', () => good, /not a Word document/],
    ['is a workbook named DOCX', 'a.docx', () => workbook({ rows: cell('x') }), /not a Word document/],
    ['is a Word document named XLSX', 'a.xlsx', () => docx(paragraph('x')), /Excel|workbook/i],
    ['is another archive', 'a.docx', () => zip({ 'a.txt': 'x' }), /not a Word document/],
    ['is truncated: PDF', 'a.pdf', () => good.subarray(0, 200), /damaged|no text/],
    ['is truncated: DOCX', 'a.docx', () => docx(paragraph('x')).subarray(0, 600), /damaged/],
    ['is truncated: XLSX', 'a.xlsx', () => workbook({ rows: cell('x') }).subarray(0, 900), /damaged|cut off|Excel|workbook/i],
    ['is an older workbook', 'a.xlsx', () => Buffer.from('d0cf11e0a1b11ae1'.padEnd(1_024, '0'), 'hex'), /./],
    [
      'is an older or locked Word document',
      'a.docx',
      () => Buffer.from('d0cf11e0a1b11ae1'.padEnd(1_024, '0'), 'hex'),
      /password|not a Word/,
    ],
    [
      'is locked with a password: PDF',
      'a.pdf',
      () =>
        pdf([[{ text: 'Secret', y: 700 }]], {
          trailer: `/Encrypt 5 0 R /ID [<${'00'.repeat(16)}> <${'00'.repeat(16)}>]`,
          objects: { 5: `<< /Filter /Standard /V 1 /R 2 /O <${'11'.repeat(32)}> /U <${'22'.repeat(32)}> /P -4 >>` },
        }),
      /password/,
    ],
    ['has broken XML', 'a.docx', () => zip({ ...docxFiles(''), 'word/document.xml': '<w:document><w:body>' }), /damaged|no text/],
    ['has a hundred thousand headings', 'a.md', () => Buffer.from('# a\nb\n\n'.repeat(100_000)), /too many sections/],
    ['has 300,000 rows', 'a.csv', () => Buffer.from(`question,answer\n${'a,b\n'.repeat(300_000)}`), /too many sections/],
    ['is larger than 10 MiB', 'a.txt', () => Buffer.alloc(10 * 1024 * 1024 + 1, 'a bicycle '), /larger than 10 MiB/],
    [
      'decompresses to too much: DOCX',
      'a.docx',
      () => zip({ ...docxFiles(''), 'word/media/x.xml': ' '.repeat(unpacked) }),
      /unpacks to more than 64 MiB/,
    ],
    [
      'decompresses to more than declared: DOCX',
      'a.docx',
      () => zip({ ...docxFiles(''), 'word/document.xml': { content: ' '.repeat(unpacked), declaredSize: 100 } }),
      /damaged|unpacks/,
    ],
    [
      'decompresses to too much: XLSX',
      'a.xlsx',
      () => workbook({ rows: `<row r="1"><c r="A1" t="inlineStr"><is><t>${' '.repeat(unpacked)}</t></is></c></row>` }),
      /./,
    ],
    ['has huge texts: XLSX', 'a.xlsx', () => workbook({ rows: cell('x'), strings: [`<t>${'ha'.repeat(unpacked / 2)}</t>`] }), /./],
    ['has exponentially growing entities: DOCX', 'a.docx', () => word(entities, '&a30;'), /./],
    ['has exponentially growing entities: XLSX', 'a.xlsx', () => book(entities, '&a30;'), /./],
    ['refers to a file: DOCX', 'a.docx', () => word(external, '&file;'), /./],
    ['refers to a file: XLSX', 'a.xlsx', () => book(external, '&file;'), /./],
    ['has a cyclic page tree', 'a.pdf', () => pdf([], { objects: { 2: '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 100000 >>' } }), /./],
    ['claims to have a billion pages', 'a.pdf', () => pdf([], { objects: { 2: '<< /Type /Pages /Kids [] /Count 1000000000 >>' } }), /./],
  ])('fails if it %s (%s)', async (_name, filename, content, problem) => {
    const state = await endure(filename, typeof content === 'string' ? content : content());
    expect(state).toMatchObject(failed(problem));
    expect(state.error_message).toMatch(/^[A-Z]/);
    expect(state.error_message).not.toMatch(/ at |node:|\/src\/|root:|Error:/);
    expect(await kb.balance()).toBe(1_000);
    // The next document is read.
    expect(await kb.status(await kb.importFile('b.txt', 'We open at nine.'))).toBe('ready');
  });

  it('is read to its end if it is Markdown with marks that are never closed', async () => {
    for (const mark of ['[', '![', '[a](', '**a ', '~~a ', '<s>', '`a ', '| ', '<a@']) {
      await kb.account({ credits: 100_000 });
      expect(await endure('a.md', `${mark.repeat(200_000)} We open at nine.`)).toMatchObject({ status: 'ready', error_message: null });
    }
  });

  it('fails if it is nested deeply: DOCX', async () => {
    const depth = 20_000;
    const body = `${'<w:tbl><w:tr><w:tc>'.repeat(depth)}${paragraph('x')}${'</w:tc></w:tr></w:tbl>'.repeat(depth)}`;
    expect(await endure('a.docx', docx(body))).toMatchObject(failed(/nested too deeply|too long|damaged|seconds/));
  });

  it('fails if it is nested deeply: XLSX', async () => {
    const depth = 20_000;
    const rows = `${'<x>'.repeat(depth)}${cell('x')}${'</x>'.repeat(depth)}`;
    expect(await endure('a.xlsx', workbook({ rows }))).toMatchObject(failed(/nested more than 100 deep/));
  });

  it.runIf(isLongSweep).each(['a.txt', 'a.md', 'a.csv'])(
    'is read or fails within limits if it has 10 MiB in one line: %s',
    async (name) => {
      await kb.account({ credits: 100_000 });
      expectBounds(await endure(name, Buffer.alloc(10 * 1024 * 1024, 'bicycles ')));
    },
  );

  it('is read or fails within limits if it has 10 MiB in one word', async () => {
    await kb.account({ credits: 100_000 });
    expectBounds(await endure('a.txt', Buffer.alloc(10 * 1024 * 1024, 'x')));
  });

  it('fails if it has millions of empty columns or rows', async () => {
    expect(await endure('a.csv', `question,answer\n${','.repeat(5_000_000)}\n`)).toMatchObject({ status: 'failed' });
    expect(await endure('a.csv', `question,answer\n${'\n'.repeat(5_000_000)}`)).toMatchObject(failed(/no text/));
  });

  it('is read or fails within limits if it has thousands of pages', async () => {
    await kb.account({ credits: 100_000 });
    const long = pdf(
      Array.from({ length: isLongSweep ? 10_000 : 2_000 }, (_, number) => [{ text: `Page ${number} of the book.`, y: 700 }]),
    );
    const state = await endure('a.pdf', long);
    expectBounds(state);
    if (isLongSweep && state.status === 'ready')
      expect(state.error_message).toMatch(/^Only the first 5000 pages were read: split the document/);
  });
});

it('the documents of an account do not delay those of other accounts', async () => {
  await kb.account({ credits: 100_000 });
  const path = await kb.upload('a.txt', 'A bicycle is checked twice. '.repeat(2_000));
  for (let number = 0; number < 30; number++) await kb.file(path, 'a.txt');
  const first = service.key;
  await service.freshAccount();
  const other = await Knowledge.make(service);
  const { source_id: id } = (await other.file(await other.upload('b.txt', 'We open at nine.'), 'b.txt')).body;
  const settled = settle(service);
  while ((await other.status(id)) !== 'ready') await new Promise(setImmediate);
  const ready = async () => (await service.get('/kb-sources?status=ready', { key: first })).body.sources.length as number;
  expect(await ready()).toBeLessThan(15);
  await settled;
  expect(await ready()).toBe(30);
});

it('unresponsive pages of an account do not delay those of other accounts', async () => {
  const hosts = await Promise.all(Array.from({ length: 5 }, () => Site.open()));
  const hanging: ServerResponse[] = [];
  const urls = hosts.flatMap((each) =>
    Array.from({ length: 4 }, (_, number) => (each.pages.set(`/${number}`, (response) => hanging.push(response)), each.url(`/${number}`))),
  );
  await kb.pages(urls);
  const settled = settle(service);
  // As many as one account may read concurrently.
  while (hanging.length < 12) await new Promise(setImmediate);
  await service.freshAccount();
  const other = await Knowledge.make(service);
  const quick = await Site.open({ '/': html('Hours', '<main><h2>When?</h2><p>At nine, every day.</p></main>') });
  const { source_id: id } = (await other.page(quick.url())).body;
  while ((await other.status(id)) !== 'ready') await new Promise(setImmediate);
  expect(hanging.length).toBe(12);
  expect(hanging.some((response) => response.destroyed)).toBe(false);
  for (const each of [...hosts, quick]) await each.close();
  await settled;
});

describe('a hostile page', () => {
  const importing = async (page: string | Buffer) => {
    site.pages.set('/page', answer(200, { 'content-type': 'text/html' }, page));
    const { body } = await kb.page(site.url('/page'));
    await settle(service);
    return await kb.state(body.source_id);
  };

  const endless: readonly (readonly [string, () => string])[] = [
    ['data', () => `<script type="application/ld+json">${'[{"@graph":'.repeat(50_000)}</script>`],
    ['elements', () => '<div>'.repeat(100_000)],
    ['lists', () => '<ul><li>'.repeat(50_000)],
    ['inline elements', () => '<b>'.repeat(100_000)],
    ['tables', () => '<table><tr><td>'.repeat(50_000)],
    ['related boxes', () => '<div class="related">'.repeat(20_000)],
  ];

  it.each(cases(2, endless))('is read or fails if it nests %s endlessly', async (_name, nested) => {
    const { status, error_message: problem } = await importing(html('x', `${nested()}text`));
    expect(['ready', 'failed']).toContain(status);
    if (status === 'failed') expect(problem).toMatch(/nested|seconds|memory|no text|damaged/);
    expect(await kb.status(await kb.importFile('b.txt', 'We open at nine.'))).toBe('ready');
  });

  const numerous: readonly (readonly [string, () => string])[] = [
    ['attributes', () => `<p ${'a="b" '.repeat(200_000)}>text</p>`],
    [
      'data with tags',
      () =>
        `<script type="application/ld+json">{"@type":"Question","name":"q","acceptedAnswer":{"text":"${'<'.repeat(200_000)}"}}</script>`,
    ],
    ['spaces', () => `<p>${' '.repeat(5_000_000)}text</p>`],
    ['comments', () => '<!--'.repeat(200_000)],
    ['entities', () => `<p>${'&amp;'.repeat(200_000)}</p>`],
    ['links', () => '<a href="/x">x</a> '.repeat(20_000)],
    ['dates', () => `<div>${'<div class="i"><span></span><p class="date">1 May</p></div>'.repeat(5_000)}</div>`],
    ['lists of tabs', () => '<div role="tablist"><a role="tab">A</a></div>'.repeat(5_000) + '<p role="tabpanel">x</p>'.repeat(5_000)],
    ['actions', () => `<div>${'<i></i>'.repeat(5_000)}${'<span>print this</span> '.repeat(5_000)}</div>`],
    ['characters in a line that is kept', () => `<p style="white-space:pre">${'x'.repeat(500_000)}</p>`],
    ['words of code with classes', () => `<pre>${'<span class="k">let</span><span class="n">a</span>\n'.repeat(10_000)}</pre>`],
    ['rows with classes', () => `<table>${'<tr class="row"><td>1</td></tr>'.repeat(10_000)}</table>`],
    ['texts for screen readers', () => '<span class="sr-only"></span>'.repeat(20_000)],
    ['angle brackets', () => '<'.repeat(1_000_000)],
  ];

  it.each(cases(4, numerous))('is read or fails if it has many %s', async (_name, many) => {
    expect(['ready', 'failed']).toContain((await importing(html('x', many()))).status);
    expect(await kb.status(await kb.importFile('b.txt', 'We open at nine.'))).toBe('ready');
  });

  it('is read to its end if a paragraph has thousands of links', async () => {
    const names = Array.from({ length: 5_000 }, (_, index) => `Shop ${index}`);
    const links = names.map((name) => `<a href="/shops">${name}</a>`).join(', ');
    const state = await importing(html('Shops', `<main><h1>Shops</h1><h2>Where are you?</h2><p>${links}</p></main>`));
    expect(state).toMatchObject({ status: 'ready', error_message: null });
    const text = (await kb.faqs()).map((faq) => faq.answer).join(' ');
    expect(names.filter((name) => !text.includes(name))).toEqual([]);
  });

  it('is read to its end if its elements are nested deeper than browsers allow', async () => {
    expect((await importing(html('x', `<main>${'<div>'.repeat(5_000)}We open at nine in the morning.`))).status).toBe('ready');
    expect((await kb.faqs()).map((faq) => faq.answer)).toEqual(['We open at nine in the morning.']);
  });

  it('causes no further requests through scripts and embedded content', async () => {
    site.take();
    const body = `<main><h2>When do you open?</h2><p>At nine in the morning, every day.</p><img src="/image.png"><iframe src="/frame"></iframe>
      <script src="/script.js"></script><link rel="stylesheet" href="/style.css"><video src="/video.mp4"></video></main>`;
    expect((await importing(html('x', body))).status).toBe('ready');
    expect(site.take()).toEqual(['/page']);
  });
});
