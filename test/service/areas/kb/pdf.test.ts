import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { kb, site, testKnowledge } from '../../../support/kb-prelude.ts';
import { pdf, type PdfLine } from '../../../support/pdf.ts';
import { answer } from '../../../support/site.ts';

testKnowledge();

/** Imports a document. @returns its questions with their answers */
async function read(document: Buffer, name = 'a.pdf'): Promise<Record<string, string>> {
  expect(await kb.state(await kb.importFile(name, document))).toMatchObject({ status: 'ready', error_message: null });
  return await kb.answers();
}

/** The lines of a page from its top, each with its font size. An empty line is a gap. */
function page(...lines: (readonly [string | Buffer, number?, string?])[]): PdfLine[] {
  let y = 780;
  return lines.map(([text, size = 11, font]) => ({
    text,
    size,
    y: (y -= size * (text === '' ? 2 : 1.3)),
    ...(font !== undefined && { font }),
  }));
}

describe('a PDF', () => {
  it('is divided into sections by font size', async () => {
    const document = pdf(
      [
        page(
          ['The manual', 24],
          [''],
          ['This manual is about the bicycle and how to use it.'],
          [''],
          ['How do I brake?', 16],
          ['With both hands, and in good time, because the'],
          ['wheels are wet.'],
        ),
        page(['Care', 16], ['Oil the chain once a month.'], [''], ['Keep it dry.']),
      ],
      { title: 'Manual of the bicycle' },
    );
    expect(await read(document)).toEqual({
      'How do I brake?': 'With both hands, and in good time, because the wheels are wet.',
      'The manual': 'This manual is about the bicycle and how to use it.',
      Care: 'Oil the chain once a month.\n\nKeep it dry.',
    });
    expect((await kb.faqs())[0]).toMatchObject({ category: 'Manual of the bicycle' });
  });

  // Proves rule kb.69.
  it('has larger text that no other text follows, as in price lists and on slides', async () => {
    const document = pdf([
      page(
        ['Getting started', 24],
        ['Anna Smith', 16],
        ['Prices', 24],
        ['Gold plan: 40 euros a month', 16],
        [''],
        ['Silver plan: 20 euros a month', 16],
        [''],
        ['Support', 24],
        ['You can reach us by mail and by telephone, on every day of the week.'],
        ['Our people are at their desks from eight in the morning on.'],
      ),
    ]);
    const answers = await read(document);
    expect(Object.values(answers).join('\n')).toContain('Gold plan: 40 euros a month\n\nSilver plan: 20 euros a month');
    expect(answers.Support).toMatch(/^You can reach us/);
  });

  it('may be full of code and formulas', async () => {
    const code = Array.from({ length: 12 }, () => ['f() = g(()) [0] ({}) + [(1)] <> ((())) [[[]]]'] as [string]);
    const answers = await read(pdf([page(['The brackets of a program are paired.'], ...code)]));
    expect(Object.values(answers).join()).toContain('The brackets of a program are paired.');
  });

  it('may have accents that are printed above their letters', async () => {
    const document = pdf([
      [
        { text: 'Ez a r', x: 72, y: 700 },
        { text: '\u00B4', x: 100.3, y: 700 },
        { text: 'esz az els', x: 100, y: 700 },
        { text: 'A m\u00A8', x: 72, y: 680 },
        { text: 'uller, a mill', x: 92, y: 680 },
      ].map((line) => ({ ...line, text: Buffer.from(line.text, 'latin1') })),
    ]);
    expect(Object.values(await read(document)).join()).toMatch(/Ez a rész az els[^]*A müller, a mill/);
  });

  it('is read once where it is printed twice in the same place', async () => {
    const bold = [0, 0.3, 0.6].map((shift) => ({ text: 'Closed on Mondays.', x: 72 + shift, y: 700 }));
    expect(Object.values(await read(pdf([[...bold, { text: 'Closed on Mondays.', y: 650 }]])))).toEqual([
      'Closed on Mondays.\n\nClosed on Mondays.',
    ]);
  });

  it('has paragraphs in a larger font than most of its text', async () => {
    const large = Array.from(
      { length: 6 },
      (_, line) => [`Line ${line} of what we tell in large letters about our shop.`, 13] as [string, number],
    );
    const small = Array.from({ length: 30 }, (_, line) => [`Line ${line} of the small print about our shop.`, 9] as [string, number]);
    const id = await kb.importFile('a.pdf', pdf([page(['Terms', 20], ...small, ['About us', 20], ...large)]));
    const { sections } = (await kb.service.get(`/kb-sources/${id}/text`)).body as { sections: { heading: string; text: string }[] };
    expect(sections.map(({ heading }) => heading)).toEqual(['Terms', 'About us']);
    expect(sections[1]?.text).toContain('Line 5 of what we tell in large letters');
  });

  it('has paragraphs joined across pages, and hyphenated words joined', async () => {
    const document = pdf([
      page(['Oil the chain of the bicycle once a month, and always af-']),
      page(['ter it rained for a long'], ['time on the way.']),
    ]);
    expect(Object.values(await read(document))).toEqual([
      'Oil the chain of the bicycle once a month, and always after it rained for a long time on the way.',
    ]);
  });

  it('has lines in Chinese joined without spaces', async () => {
    const letters = [...'保养每月给自行车的链条上一次油下雨之后也要上'];
    const code = (letter: string) => String.fromCharCode(0x41 + letters.indexOf(letter));
    const written = (text: string) => [...text].map(code).join('');
    const mapped = letters.map((letter) => `<${code(letter).charCodeAt(0).toString(16)}> <${letter.charCodeAt(0).toString(16)}>`);
    const cmap = `begincmap 1 begincodespacerange <00> <ff> endcodespacerange ${mapped.length} beginbfchar ${mapped.join(' ')} endbfchar endcmap`;
    const document = pdf([page([written('保养'), 20], [written('每月给自行车的链条')], [written('上一次油')])], {
      objects: {
        3: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 5 0 R >>',
        5: `<< /Length ${cmap.length} >>\nstream\n${cmap}\nendstream`,
      },
    });
    expect(await read(document)).toEqual({ 保养: '每月给自行车的链条上一次油' });
  });

  it('may have many pages', async () => {
    const document = pdf(
      Array.from({ length: 300 }, (_, number) =>
        page([`Chapter ${number}`, 20], [`What is said in chapter number ${number} of this long book.`]),
      ),
    );
    const { faq_count: count } = await kb.state(await kb.importFile('book.pdf', document));
    expect(count).toBe(300);
  });

  it('is recognized whatever the Content-Type of its page', async () => {
    const document = pdf([page(['A page that is a document.'])]);
    site.pages.set('/page', answer(200, { 'content-type': 'text/html' }, document));
    expect(await kb.status(await kb.importPage(site.url('/page')))).toBe('ready');
    expect(Object.values(await kb.answers())).toEqual(['A page that is a document.']);
  });

  // Proves rule kb.73.
  it('fails without text, and suggests text recognition', async () => {
    expect(await kb.state(await kb.importFile('scan.pdf', pdf([[]])))).toMatchObject({
      status: 'failed',
      error_message: 'The PDF has no text: it may be scanned. Make it searchable first, with a program for text recognition',
    });
  });
});

/** The fonts that the standard defines for Japanese, Chinese and Korean: their text is encoded with a character map of the standard. */
function cjkFont(map: string, ordering: string) {
  return {
    fonts: { C: 6 },
    objects: {
      6: `<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /${map} /DescendantFonts [7 0 R] >>`,
      7: `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Any /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> /FontDescriptor 8 0 R /DW 1000 >>`,
      8: '<< /Type /FontDescriptor /FontName /Any /Flags 4 /FontBBox [0 -120 1000 880] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 700 /StemV 90 >>',
    },
  };
}

describe('the text of a PDF in Japanese, Chinese and Korean', () => {
  // Proves rule kb.80.
  it.each([
    ['90ms-RKSJ-H', 'Japan1', 'cp932', '月曜日から金曜日 9時から17時', '土曜日は休みです'],
    ['EUC-H', 'Japan1', 'euc-jp', '月曜日から金曜日', '土曜日は休みです'],
    ['UniJIS-UTF16-H', 'Japan1', 'utf16-be', '月曜日から金曜日 9時から17時', '土曜日は休みです'],
    ['GBK-EUC-H', 'GB1', 'gbk', '我们在三天内送货。', '三十天内可以退货。'],
    ['UniGB-UCS2-H', 'GB1', 'utf16-be', '我们在三天内送货。', '三十天内可以退货。'],
    ['ETen-B5-H', 'CNS1', 'big5', '我們在三天內送貨。', '三十天內可以退貨。'],
    ['KSCms-UHC-H', 'Korea1', 'cp949', '반품은 30일 이내에 가능합니다.', '배송은 무료입니다.'],
  ])('is read when it uses the character map %s', async (map, ordering, encoding, ...texts) => {
    const [first = '', second = ''] = texts;
    const written = (text: string) => iconv.encode(text, encoding);
    const document = pdf(
      [page(['Opening hours', 20], ['We are open as follows:'], [''], [written(first), 11, 'C'], [''], [written(second), 11, 'C'])],
      cjkFont(map, ordering),
    );
    expect(await read(document)).toEqual({ 'Opening hours': `We are open as follows:\n\n${first}\n\n${second}` });
  });

  it('may be written in columns from right to left', async () => {
    const written = (text: string) => iconv.encode(text, 'cp932');
    const column = (text: string, x: number) => ({ text: written(text), x, y: 760, size: 12, font: 'C' });
    const document = pdf([[column('月曜日から金曜日', 500), column('九時から十七時です。', 484)]], cjkFont('90ms-RKSJ-V', 'Japan1'));
    expect(Object.values(await read(document))).toEqual(['月曜日から金曜日九時から十七時です。']);
  });
});

describe('a page whose glyphs cannot be read', () => {
  const readable = page(['Do you deliver?', 20], ['Yes, within two days.'], ['Everywhere in the country.']);
  const unreadable = page(
    ['Opening hours', 20],
    ['We are open as follows:'],
    [iconv.encode('月曜日から金曜日 9時から17時', 'cp932'), 11, 'C'],
  );

  // Proves rule kb.81.
  it.each([
    ['the character map is unknown', cjkFont('No-Such-H', 'Japan1')],
    ['the font has numbers of glyphs only', cjkFont('Identity-H', 'Identity')],
  ])('is left out, and the source says so: %s', async (_, options) => {
    const state = await kb.state(await kb.importFile('a.pdf', pdf([readable, unreadable], options)));
    expect(state).toMatchObject({ status: 'ready', error_message: expect.stringMatching(/^1 page was left out, because/) as string });
    expect(await kb.answers()).toEqual({ 'Do you deliver?': 'Yes, within two days. Everywhere in the country.' });
    const none = await kb.state(await kb.importFile('b.pdf', pdf([unreadable, unreadable], options)));
    expect(none).toMatchObject({ status: 'failed', error_message: expect.stringMatching(/does not say which characters/) as string });
  });

  it('is none when its glyphs are numbered by their characters, without a table', async () => {
    const lines = ['Tak, między poniedziałkiem a piątkiem', 'od dziewiątej rano do siedemnastej'];
    const written = page(['Do you deliver?', 20], ...lines.map((line) => [iconv.encode(line, 'utf16-be'), 11, 'C'] as const));
    const id = await kb.importFile('a.pdf', pdf([written], cjkFont('Identity-H', 'Identity')));
    expect(await kb.state(id)).toMatchObject({ status: 'ready', error_message: null });
    expect(await kb.answers()).toEqual({ 'Do you deliver?': lines.join(' ') });
  });

  it('is none when it is a table of symbols', async () => {
    const cmap = 'begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <41> <5a> <2713> endbfrange endcmap';
    const options = {
      fonts: { P: 6 },
      objects: {
        6: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 7 0 R >>',
        7: `<< /Length ${cmap.length} >>\nstream\n${cmap}\nendstream`,
      },
    };
    const rows = Array.from({ length: 12 }, () => ['ABABABABABABABAB', 11, 'P'] as [string, number, string]);
    const id = await kb.importFile('a.pdf', pdf([page(['Which sizes are there?', 20], ['S, M and L.'], ...rows)], options));
    expect(await kb.state(id)).toMatchObject({ status: 'ready', error_message: null });
    expect((await kb.answers())['Which sizes are there?']).toContain('\u2713\u2714');
  });

  /** A text as a font shows it whose glyphs are at the places of other characters. */
  const shifted = (text: string, by: number) =>
    text.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 97 + by) % 26) + 97));
  const sentence =
    'the shop opens every day at nine and closes when the last visitor has left the house, but never later than seven in the evening';
  const lines = (text: string) => Array.from({ length: 4 }, (_, line) => ({ text, y: 700 - line * 14 }));

  it.each([1, 3, 7, 20])('is one whose letters are those of other glyphs, moved by %d', async (by) => {
    const page = lines(shifted(sentence, by));
    expect(await kb.state(await kb.importFile('a.pdf', pdf([page])))).toMatchObject({
      status: 'failed',
      error_message: expect.stringContaining('does not say which characters its glyphs stand for') as string,
    });
    const read = await kb.state(await kb.importFile('b.pdf', pdf([page, lines(sentence)])));
    expect(read).toMatchObject({ status: 'ready', error_message: expect.stringMatching(/^1 page was left out/) as string });
  });

  it('is one when its font writes no text on all pages together, however little each has', async () => {
    const words = shifted(sentence, 7).split(' ');
    const short = Array.from({ length: 3 }, (_, part) => [{ text: words.slice(part * 9, part * 9 + 9).join(' '), y: 700 }]);
    expect(
      await kb.status(await kb.importFile('a.pdf', pdf([...short, ...short.map((page) => page.concat(lines(shifted(sentence, 11))))]))),
    ).toBe('failed');
    expect(await kb.status(await kb.importFile('b.pdf', pdf([short[0] ?? []])))).toBe('ready');
  });

  it('is none because of the abbreviations of a glossary in bold letters', async () => {
    const short = 'CPU GPU VPN KPA BMW PDF HDMI LCD DVD GPS VHF UHF FM PLC BHKW PKW LKW KWH MPH CMYK'.split(' ');
    const entries = short.flatMap((word, line) => [
      { text: word, y: 700 - line * 14, font: 'B' },
      { text: 'is explained in the sentence on the right side of it', x: 120, y: 700 - line * 14 },
    ]);
    const options = { fonts: { B: 6 }, objects: { 6: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>' } };
    const id = await kb.importFile(
      'a.pdf',
      pdf(
        Array.from({ length: 5 }, () => entries),
        options,
      ),
    );
    expect(await kb.state(id)).toMatchObject({ status: 'ready', error_message: null });
  });

  it.each([
    'za darmo nie dostaniesz nic, ale sklep jest otwarty codziennie od dziewiatej do siedemnastej oprocz poniedzialku',
    'obchod je otevren kazdy den od deviti hodin a zavira v sedm hodin vecer, mimo pondeli a statni svatky v cervnu',
    'dukkan her gun saat dokuzda acilir ve aksam yedide kapanir, yalniz pazartesi gunleri butun gun kapalidir',
    'mae gan y siop amser agor newydd bob dydd ac mae hi ar gau bob nos ar ol saith o gloch yn y gaeaf',
    'cua hang mo cua moi ngay luc chin gio va dong cua luc bay gio toi, tru ngay thu hai va cac ngay le',
    'TABLE OF CONTENTS .............................................................. 12',
    'K4X-11 B7Q-22 ZX9-33 WV8-44 GH7-55 JK6-66 4F3C 9D2B 88EE C0FFEE 7B7B',
  ])('is none in another language, or with codes: %s', async (text) => {
    expect(await kb.status(await kb.importFile('a.pdf', pdf([lines(text)])))).toBe('ready');
  });

  it.each([
    ['is none, but read without it, when a chart in it', 1, 'ready'],
    ['is one when the words of its sentences', 20, 'failed'],
  ])('%s cannot be read', async (_, words, status) => {
    const around = Array.from({ length: 40 }, (_each, line) => ({
      text: `Bicycle ${line} is repaired within two days, by us.`,
      y: 800 - line * 12,
    }));
    const lost = Array.from({ length: words }, (_each, line) => ({
      text: Buffer.from('\0\x13\0\x14\0\x15\0\x16\0\x17'.repeat(60 / words), 'latin1'),
      y: 300 - line * 12,
      font: 'C',
    }));
    const mixed = words === 1 ? [...around, ...lost] : around.flatMap((line, index) => [line, lost[index] ?? line]);
    const id = await kb.importFile('a.pdf', pdf([mixed], cjkFont('Identity-H', 'Identity')));
    expect(await kb.status(id)).toBe(status);
    if (status === 'ready') expect(Object.values(await kb.answers()).join()).toMatch(/Bicycle 39 is repaired within two days, by us\.$/);
  });

  it('is one with characters for private use, but not for a few of them, such as bullets', async () => {
    const cmap = 'begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <41> <5a> <e041> endbfrange endcmap';
    const options = {
      fonts: { P: 6 },
      objects: {
        6: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 7 0 R >>',
        7: `<< /Length ${cmap.length} >>\nstream\n${cmap}\nendstream`,
      },
    };
    const bullets = page(['What do you sell?', 20], ['A', 11, 'P'], ['Bicycles for the city, and for the mountains.']);
    const lost = page(['Where are you?', 20], ['IN THE OLD TOWN NEXT TO THE BRIDGE', 11, 'P']);
    expect(await kb.state(await kb.importFile('a.pdf', pdf([bullets, lost], options)))).toMatchObject({
      status: 'ready',
      error_message: expect.stringMatching(/^1 page was left out/) as string,
    });
    expect(Object.keys(await kb.answers())).toEqual(['What do you sell?']);
  });
});

describe('the running heads of a PDF', () => {
  const head = { text: 'Shop Manual - Version 3', y: 800, size: 9 };
  const foot = (text: string) => ({ text, x: 280, y: 40, size: 9 });
  const body = (...texts: readonly string[]) => texts.map((text, index) => ({ text, y: 760 - index * 14 }));
  const first = [
    { text: 'How do I return an item?', y: 758, size: 20 },
    ...body('', '', 'Send it back within 30 days. Keep the receipt').slice(2),
  ];
  const next = body('until the refund has been paid.', 'It takes five days.');
  const answers = {
    'How do I return an item?': 'Send it back within 30 days. Keep the receipt until the refund has been paid. It takes five days.',
  };

  // Proves rule kb.82.
  it.each([
    ['Page 1 of 2', 'Page 2 of 2'],
    ['1', '2'],
    ['- 1 -', '- 2 -'],
    ['iii', 'iv'],
    ['Seite 8 · Stand 2026', 'Seite 9 · Stand 2026'],
  ])('and numbers such as "%s" are left out, and the sentence goes on', async (one, two) => {
    const document = pdf([
      [head, ...first, foot(one)],
      [head, ...next, foot(two)],
    ]);
    expect(await read(document)).toEqual(answers);
  });

  it('may have several lines, and the pages may have nothing else', async () => {
    const second = { text: 'Confidential', y: 788, size: 9 };
    const document = pdf([
      [head, second, ...first, foot('1')],
      [head, second, foot('2')],
      [head, second, ...next, foot('3')],
    ]);
    expect(await read(document)).toEqual(answers);
  });

  it('and the number of a single page are told from its text', async () => {
    const document = pdf([[...first, ...body('', '', '', 'until it is paid.').slice(3), foot('Page 1 of 1')]]);
    expect(Object.values(await read(document))).toEqual(['Send it back within 30 days. Keep the receipt until it is paid.']);
  });

  it('may be sentences, and larger than the text', async () => {
    const large = { text: 'Acme Guide', y: 810, size: 16 };
    const texts = [
      'We deliver within two days, in the whole country',
      'and to the islands, where it takes a week in winter',
      'and three days in summer.',
    ];
    const document = pdf(
      texts.map((text, index) => [large, { text, y: 750 }, foot(`© 2025 Acme Inc. All rights reserved. Page ${index + 1}.`)]),
    );
    expect(Object.values(await read(document))).toEqual([texts.join(' ')]);
  });

  const lines = (from: number, distance: number, ...texts: readonly string[]) =>
    texts.map((text, index) => ({ text, y: from - index * distance }));

  // Each document has two pages, of which nothing may be lost.
  it.each([
    [
      'prices',
      (own: string, price: string) => [...lines(800, 14, `The ${own} plan is small.`, 'It has all.'), { text: price, y: 750 }],
      ['5 EUR per month', '9 EUR per month'],
    ],
    ['deadlines', (own: string, time: string) => lines(800, 30, `How do I ${own} it?`, time), ['Within 14 days', 'Within 24 days']],
    [
      'steps',
      (_: string, step: string) => [
        { text: step, y: 800 },
        { text: 'Wait.', y: 770 },
      ],
      ['Step 1', 'Step 2'],
    ],
    [
      'numbered paragraphs',
      (own: string, title: string) => [
        { text: title, y: 800 },
        { text: `${own} is free.`, y: 770 },
      ],
      ['1. Delivery', '2. Delivery'],
    ],
    [
      'slides',
      (own: string, growth: string) => [{ text: own, y: 700, size: 24 }, ...lines(600, 40, `Revenue of ${own}`, growth)],
      ['Growth 1 %', 'Growth 2 %'],
    ],
    [
      'tables',
      (own: string, last: string) => lines(800, 30, 'Size Price', 'Small 10', `${own} 20`, last),
      ['Shipping extra', 'Returns extra'],
    ],
    ['answers of a number', (own: string, count: string) => lines(800, 30, `How many ${own} do I get`, count), ['1', '2']],
  ] as const)('are told from %s', async (_, made, kept) => {
    const document = pdf(kept.map((each, index) => made(['Alpha', 'Beta'][index] ?? '', each)));
    const text = Object.values(await read(document)).join('\n');
    const questions = Object.keys(await kb.answers()).join('\n');
    for (const [index, each] of kept.entries())
      for (const { text: line } of made(['Alpha', 'Beta'][index] ?? '', each)) expect(`${questions}\n${text}`).toContain(line);
  });
});

describe('the title of a PDF', () => {
  // Proves rule kb.83.
  it.each([
    'Microsoft Word - manual_final2.docx',
    'manual.indd',
    'C:\\Users\\ana\\manual',
    'manual_final2',
    'Untitled-1',
    'PowerPoint Presentation',
    'x.docx [Compatibility Mode]',
    'Untitled document',
    'Price list - Google Docs',
  ])('is none when a program made it: %s', async (title) => {
    const document = pdf([page(['We are open every day. Only on Sundays we are closed.'])], { title });
    expect(await read(document, 'hours.pdf')).toEqual({
      'We are open every day.': 'We are open every day. Only on Sundays we are closed.',
    });
    expect((await kb.faqs())[0]).toMatchObject({ category: 'hours.pdf' });
  });
});

it.each(['Microsoft Teams - Setup guide', 'Returns/refunds policy', 'E-mail'])(
  'a PDF keeps a title that a person gave it: %s',
  async (title) => {
    await read(pdf([page(['We are open every day.'])], { title }), 'hours.pdf');
    expect((await kb.faqs())[0]).toMatchObject({ category: title });
  },
);

describe('a PDF written from right to left', () => {
  // The visual order of the letters: they are drawn from left to right.
  const letters = [...new Set('מחיר הכרטיס הוא שקלים'.replaceAll(' ', ''))];
  const code = (letter: string) => (letter === ' ' ? 0x20 : 0x41 + letters.indexOf(letter));
  const written = (text: string) => Buffer.from([...text].reverse().map(code));
  const mapped = letters.map((letter) => `<${code(letter).toString(16)}> <${letter.charCodeAt(0).toString(16).padStart(4, '0')}>`);
  const cmap = `begincmap 1 begincodespacerange <00> <ff> endcodespacerange ${mapped.length + 1} beginbfchar ${mapped.join(' ')} <20> <0020> endbfchar endcmap`;

  it('keeps the spaces between its runs, in a line and across lines', async () => {
    const options = {
      fonts: { H: 6 },
      objects: {
        6: `<< /Type /Font /Subtype /TrueType /BaseFont /Hebrew /FirstChar 32 /LastChar 255 /Widths [${Array(224).fill(500).join(' ')}] /ToUnicode 7 0 R >>`,
        7: `<< /Length ${cmap.length} >>\nstream\n${cmap}\nendstream`,
      },
    };
    // Each letter is 8 points wide.
    const run = (text: string, x: number, y = 700) => ({ text: written(text), x, y, size: 16, font: 'H' });
    const number = { text: '45', x: 355, y: 700, size: 16 };
    const document = pdf([[run('מחיר הכרטיס הוא', 380), number, run('שקלים', 305), run('הוא', 476, 680)]], options);
    expect(Object.values(await read(document))).toEqual(['מחיר הכרטיס הוא 45 שקלים הוא']);
  });
});

describe('turned text of a PDF', () => {
  /** Turns lines of an upright page of 595 by 842 points. */
  const turned = (lines: readonly PdfLine[], turn: number): PdfLine[] =>
    lines.map(({ x = 72, y, ...line }) => {
      const places: Record<number, readonly [number, number]> = { 0: [x, y], 90: [842 - y, x], 180: [595 - x, 842 - y], 270: [y, 595 - x] };
      const [left = 0, bottom = 0] = places[turn] ?? [];
      return { ...line, x: left + 100, y: bottom - 50, turn };
    });
  const text = (name: string) => [
    { text: 'Shop manual', y: 815, size: 9 },
    { text: `${name}?`, y: 700, size: 20 },
    { text: 'Send it back within 30', y: 660 },
    { text: 'days.', x: 220, y: 660 },
    { text: 'Keep the receipt.', y: 646 },
    { text: 'We pay within a week.', y: 600 },
  ];
  const answer = 'Send it back within 30 days. Keep the receipt.\n\nWe pay within a week.';

  // Proves rule kb.91.
  it.each([0, 90, 180, 270])('is read as upright text when its pages are turned by %d degrees', async (turn) => {
    const [width, height] = turn % 180 === 0 ? [595, 842] : [842, 595];
    const document = pdf([turned(text('How do I return it'), turn), turned(text('How do I exchange it'), turn)], {
      page: `/Rotate ${turn}`,
      edges: [100, -50, 100 + width, height - 50],
    });
    expect(await read(document)).toEqual({ 'How do I return it?': answer, 'How do I exchange it?': answer });
  });

  // Proves rule kb.91.
  it('stands apart from the text of its page', async () => {
    const beside = [
      { text: 'Made in Ghent', x: 30, y: 300, turn: 90 },
      { text: 'since 1990.', x: 44, y: 300, turn: 90 },
    ];
    const document = pdf([[{ text: 'We open at nine.', y: 700 }, ...beside, { text: 'We close at six.', y: 686 }]]);
    expect(Object.values(await read(document))).toEqual(['We open at nine.\n\nMade in Ghent since 1990.\n\nWe close at six.']);
  });
});

it('a remark in PDF that is longer than its page does not make headings of the text', async () => {
  const content = pdf([page(['Delivery', 20], ['We deliver within three days.'])], {
    page: '/Annots [6 0 R]',
    objects: {
      6: `<< /Type /Annot /Subtype /FreeText /F 4 /Contents (${'A remark. '.repeat(30)}) /DA (/F1 11 Tf) /Rect [72 460 300 474] >>`,
    },
  });
  expect(await kb.status(await kb.importFile('remark.pdf', content))).toBe('ready');
  expect(Object.keys(await kb.answers())).toEqual(['Delivery']);
});

// Proves rule kb.95.
it('a form in PDF is read with what it is filled with, and without passwords', async () => {
  const field = (more: string, y: number) => `<< /Type /Annot /Subtype /Widget /FT /Tx /F 4 /Rect [72 ${y} 300 ${y + 14}] ${more} >>`;
  const content = pdf([page(['Registration', 20], ['Please fill in this form.'])], {
    page: '/Annots [6 0 R 7 0 R 8 0 R 9 0 R]',
    objects: {
      6: field('/T (name) /V (Ann Miller)', 500),
      7: field('/T (secret) /V (hunter2) /Ff 8192', 480),
      8: '<< /Type /Annot /Subtype /FreeText /F 4 /Contents (Closed in May) /DA (/F1 11 Tf) /Rect [72 460 300 474] >>',
      9: '<< /Type /Annot /Subtype /FreeText /F 2 /Contents (Hidden remark) /DA (/F1 11 Tf) /Rect [72 440 300 454] >>',
    },
  });
  expect(await kb.status(await kb.importFile('form.pdf', content))).toBe('ready');
  const text = Object.values(await kb.answers()).join(' ');
  expect(text).toContain('Please fill in this form.');
  expect(text).toContain('Ann Miller');
  expect(text).toContain('Closed in May');
  expect(text).not.toMatch(/hunter2|Hidden remark/);
});
