import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { docx, docxFiles, item, paragraph, table } from '../../../support/docx.ts';
import { kb, service, site, testKnowledge, useNewAccount } from '../../../support/kb-prelude.ts';
import { pdf } from '../../../support/pdf.ts';
import { answer, html } from '../../../support/site.ts';
import { workbook, workbookFiles, zip } from '../../../support/workbook.ts';

testKnowledge();

/** Imports a document. @returns its questions with their answers */
async function read(name: string, content: string | Uint8Array): Promise<Record<string, string>> {
  expect(await kb.state(await kb.importFile(name, content))).toMatchObject({ status: 'ready', error_message: null });
  return await kb.answers();
}

/** Imports a page. @returns its questions with their answers */
async function readPage(
  page: string | Buffer,
  headers: Record<string, string> = { 'content-type': 'text/html' },
): Promise<Record<string, string>> {
  site.pages.set('/page', answer(200, headers, page));
  expect(await kb.state(await kb.importPage(site.url('/page')))).toMatchObject({ status: 'ready', error_message: null });
  return await kb.answers();
}

describe('a page', () => {
  const furniture = `
    <header><nav><ul><li><a href="/">Start of the menu</a></li><li><a href="/x">Products of the menu</a></li></ul></nav></header>
    <div id="cookie-banner"><h2>We value your privacy</h2><p>This site sets cookies. Accept all of them?</p><button>Accept all</button></div>
    <div class="cc-consent" role="dialog"><p>Another banner about consent</p></div>`;
  const rest = `
    <aside class="sidebar"><h3>Newsletter</h3><form><input><button>Subscribe now</button></form></aside>
    <footer><p>Copyright of the footer</p><a href="/imprint">Imprint of the footer</a></footer>
    <script>var secret = "script text";</script><style>.x { color: red }</style><noscript>Please enable scripts</noscript>`;

  // Proves rule kb.92.
  it.each([
    [
      'a biography',
      '<h2>Dr. Ada</h2><div class="bio"><p>WANTED has led the practice since 2009. She studied in Lund and Oslo, and has treated the teeth of four generations of families in this town.</p></div>',
    ],
    ['a sentence with a date', '<h2>Courses</h2><div class="date"><p>WANTED begins on 3 May at noon.</p></div>'],
    ['a list of steps', `<h2>Then</h2><ol class="next">${'<li>WANTED: fill in the form, and send it to us by post</li>'.repeat(4)}</ol>`],
    ['recommended dishes', '<section id="menu"><h2>Recommended dishes</h2><p>WANTED is our soup of the day, with bread.</p></section>'],
    [
      'a menu with one link',
      '<section id="menu"><h2>Menu</h2><h3><a href="/soup">Soup</a></h3><p>WANTED with bread.</p><h3>Pasta</h3><p>With basil.</p></section>',
    ],
    ['a dose', '<aside><h2>Recommended dose</h2><p>WANTED twice a day, with water.</p></aside>'],
    ['popular questions', '<section id="popular"><h2>Popular questions</h2><h3>Do you ship?</h3><p>WANTED to all of Europe.</p></section>'],
  ])('keeps inside its main part what is only called like clutter: %s', async (_, part) => {
    const found = await readPage(`<body><main><h1>Our house</h1><p>We are open every day of the year.</p>${part}</main></body>`);
    expect(JSON.stringify(found)).toContain('WANTED');
  });

  // Proves rule kb.67.
  it('is read without navigation, cookie banners and footers', async () => {
    const content = `<article><h1>Delivery</h1><p>We deliver within two days, in the whole country, to your door.</p>
      <h2>What does delivery cost?</h2><p>Nothing for orders above fifty crowns. Otherwise it costs five crowns.</p>
      <h2>Abroad</h2><p>We deliver to the neighbouring countries too, which takes a week.</p></article>`;
    const answers = await readPage(html('Delivery', furniture + content + rest));
    expect(answers).toEqual({
      'What does delivery cost?': 'Nothing for orders above fifty crowns. Otherwise it costs five crowns.',
      Delivery: 'We deliver within two days, in the whole country, to your door.',
      Abroad: 'We deliver to the neighbouring countries too, which takes a week.',
    });
    expect((await kb.faqs()).map(({ question }) => question)).toEqual(['What does delivery cost?', 'Delivery', 'Abroad']);
  });

  it('keeps lists and tables as text', async () => {
    const answers = await readPage(
      html(
        'Bikes',
        `<main><h1>Bikes</h1><h2>What do you sell?</h2><p>Three kinds:</p>
        <ul><li>City bikes</li><li>Mountain bikes<ul><li>with one spring</li></ul></li><li><p>Cargo bikes</p></li></ul>
        <h2>How do I order?</h2><ol><li>Choose a bike.</li><li>Pay for it.</li></ol>
        <h2>What do they cost?</h2><table><thead><tr><th>Bike</th><th>Price</th></tr></thead>
        <tbody><tr><td>City</td><td>500 crowns</td></tr><tr><td>Cargo</td><td>2,000 crowns</td></tr></tbody></table>
        <h2>Where are you?</h2><p>Old street 1<br>1234 Town</p></main>`,
      ),
    );
    expect(answers).toEqual({
      'What do you sell?': 'Three kinds:\n\n- City bikes\n- Mountain bikes\n- - with one spring\n- Cargo bikes',
      'How do I order?': '1. Choose a bike.\n2. Pay for it.',
      'What do they cost?': 'Bike | Price\nCity | 500 crowns\nCargo | 2,000 crowns',
      'Where are you?': 'Old street 1\n1234 Town',
    });
  });

  it('may have buttons as questions', async () => {
    const answers = await readPage(
      html(
        'FAQ',
        `<main><h1>FAQ</h1><h3><button aria-expanded="false">Can I pay later?</button></h3><div hidden><p>Yes, within thirty days of the delivery.</p></div>
        <h3><button aria-expanded="false"><span>Do you repair bikes?</span></button></h3><div style="display:none">Yes, of all brands and of all ages.</div>
        <button>Show more</button></main>`,
      ),
    );
    expect(answers).toEqual({
      'Can I pay later?': 'Yes, within thirty days of the delivery.',
      'Do you repair bikes?': 'Yes, of all brands and of all ages.',
    });
  });

  it('may have buttons outside headings as questions', async () => {
    const answers = await readPage(
      html(
        'FAQ',
        `<main><h1>FAQ</h1><button>Menu</button><div><button aria-expanded="false">Where are you?</button><div>In the old town, next to the bridge.</div></div>
        <div><button>Since when?</button><div>Since the year 1990, in the same house.</div></div></main>`,
      ),
    );
    expect(answers).toEqual({
      'Where are you?': 'In the old town, next to the bridge.',
      'Since when?': 'Since the year 1990, in the same house.',
    });
  });

  it.each(['hidden', 'style="display:none"', 'aria-hidden="true"', 'class="hidden"'])('may have answers hidden with %s', async (hidden) => {
    const intro = '<p>This is the introduction of the page about bikes, and nothing else.</p>'.repeat(10);
    const panel = (name: string) =>
      `<h3><button aria-expanded="false" aria-controls="${name}">What is ${name}?</button></h3><div id="${name}" ${hidden}><p>It is ${name}, of course.</p></div>`;
    expect(await readPage(html('FAQ', `<main><h1>FAQ</h1>${intro}${panel('alpha')}${panel('beta')}</main>`))).toMatchObject({
      'What is alpha?': 'It is alpha, of course.',
      'What is beta?': 'It is beta, of course.',
    });
  });

  it('may be about cookies and consent, which are not mistaken for banners', async () => {
    const answers = await readPage(
      html(
        'Bakery',
        `<div class="cookie-notice"><p>We use cookies, and not those to eat.</p></div><div class="cookie-shop"><main><h1>Our cookies</h1>
        <div class="product cookie-dark"><h2>What is in the dark cookie?</h2><p>Four hundred grams of dark chocolate.</p></div>
        <div class="consent-form"><h2>What do I sign?</h2><p>A form of consent, for the photos of the party.</p></div>
        <div id="cookie-banner"><p>Accept all of them?</p></div></main></div><div class="footer"><p>Copyright of the footer</p></div>`,
      ),
    );
    expect(answers).toEqual({
      'What is in the dark cookie?': 'Four hundred grams of dark chocolate.',
      'What do I sign?': 'A form of consent, for the photos of the party.',
    });
  });

  it('may have questions in details elements and definition lists', async () => {
    const answers = await readPage(
      html(
        'FAQ',
        `<main><h1>FAQ</h1><details><summary>Can I pay later?</summary><p>Yes, within thirty days of the delivery.</p></details>
        <details><summary>Do you repair bikes?</summary>Yes, of all brands and of all ages.</details>
        <dl><dt>Who are you?</dt><dd>A small shop in the old town.</dd><dt>Since when?</dt><dd>Since the year 1990.</dd></dl></main>`,
      ),
    );
    expect(answers).toEqual({
      'Can I pay later?': 'Yes, within thirty days of the delivery.',
      'Do you repair bikes?': 'Yes, of all brands and of all ages.',
      'Who are you?': 'A small shop in the old town.',
      'Since when?': 'Since the year 1990.',
    });
  });

  // Proves rule kb.88.
  it.each([
    '<del>120 euros</del> <ins>90 euros</ins>',
    '<s>120 euros</s> 90 euros',
    '<STRIKE>120 euros</STRIKE> 90 euros',
    '<span style="color: red; text-decoration: line-through">120 euros</span> 90 euros',
    '<span STYLE="TEXT-DECORATION:LINE-THROUGH">120 euros</span> 90 euros',
    '<span class="price line-through">120 euros</span> 90 euros',
    '<del><p>It was 120 euros.</p></del>90 euros',
    '<span role="Deletion">120 euros</span> 90 euros',
    '<span class="strikethrough">120 euros</span> 90 euros',
    '<span style="text-decoration: none; --old: line-through">90 euros</span>',
  ])('is read without what is struck out: %s', async (price) => {
    const answers = await readPage(html('Course', `<main><h2>What does it cost?</h2><p>The course costs</p><div>${price}</div></main>`));
    expect(answers).toEqual({ 'What does it cost?': 'The course costs\n\n90 euros' });
  });

  it.each([
    ['.old { text-decoration: line-through; }', '<span class="old">120 euros</span> 90 euros'],
    [
      '/* .x { } */ p b.OLD, .off{color:red;text-decoration:line-through red}',
      '<p><i class="off">120</i> <b class="OLD">110</b> 90 euros</p>',
    ],
    ['@charset "utf-8"; @layer base { #was, .x { TEXT-DECORATION-LINE: LINE-THROUGH } }', '<span id="was">120 euros</span> 90 euros'],
    ['@media screen { div > i { text-decoration: line-through } }', '<i>120 euros</i> 90 euros'],
    ['.now { text-decoration: line-through } .now { text-decoration: none }', '<span class="now">90 euros</span>'],
    ['i.now { text-decoration: underline } .now { text-decoration: line-through }', '<i class="now">90 euros</i>'],
    ['i.now { text-decoration: none } .was { text-decoration: line-through !important }', '<i class="now was">120</i> 90 euros'],
    ['.now { text-decoration: line-through }', '<span class="now" style="text-decoration: none">90 euros</span>'],
    ['.now:hover, .now[disabled], body, 1a, > b { text-decoration: line-through }', '<span class="now">90 euros</span>'],
    ['@media print { .now { text-decoration: line-through } }', '<span class="now">90 euros</span>'],
    ['.now { text-decoration: line-through', '<span class="now">90 euros</span>'],
  ])('is read without what its style sheet strikes out: %s', async (sheet, price) => {
    const page = html('Course', `<main><h2>What does it cost?</h2><p>The course costs</p><div>${price}</div></main>`);
    const answers = await readPage(page.replace('</head>', `<style>${sheet}</style></head>`));
    expect(answers).toEqual({ 'What does it cost?': 'The course costs\n\n90 euros' });
  });

  it('has structured questions without what is struck out', async () => {
    const data = { '@type': 'Question', name: 'What does it cost?', acceptedAnswer: { text: '<p><s>120</s> 90 euros &amp; a coffee</p>' } };
    const marked = `<div itemscope itemtype="https://schema.org/Question"><h3 itemprop="name">And the book?</h3><div itemscope itemtype="https://schema.org/Answer"><p itemprop="text"><del>20</del> 15 euros</p></div></div>`;
    const answers = await readPage(
      html('Course', `<script type="application/ld+json">${JSON.stringify(data)}</script><main><h1>Course</h1>${marked}</main>`),
    );
    expect(answers).toMatchObject({ 'What does it cost?': '90 euros & a coffee', 'And the book?': '15 euros' });
  });

  // Proves rule kb.89.
  it.each([
    ['<a href="mailto:info@shop.example?subject=Hello">Write to us</a>', 'Write to us (info@shop.example)'],
    ['<a href="mailto:info%40shop.example">Info@Shop.example</a>', 'Info@Shop.example'],
    ['<a href="tel:+41441234567">Call us</a>', 'Call us (+41441234567)'],
    ['<a href="tel:+41441234567">044 123 45 67</a>', '044 123 45 67'],
    ['<a href="sms:+41791234567">Text us</a>', 'Text us (+41791234567)'],
    ['<a href="https://wa.me/41791234567?text=Hi">Chat with us</a>', 'Chat with us (+41791234567)'],
    ['<A HREF="mailto:info@shop.example">Write to us</A>', 'Write to us (info@shop.example)'],
    [
      '<a class="__cf_email__" href="/cdn-cgi/l/email-protection" data-cfemail="422b2c242d02312a2d326c273a232f322e27">[email&#160;protected]</a>',
      'info@shop.example',
    ],
    ['<a href="/cdn-cgi/l/email-protection#422b2c242d02312a2d326c273a232f322e27">Write to us</a>', 'Write to us (info@shop.example)'],
    ['<a href="/contact">Write to us</a>', 'Write to us'],
    ['<a href="tel:112">Emergency</a>', 'Emergency (112)'],
    ['<a href="tel:911">911 now</a>', '911 now'],
    ['<a href="tel:1-800-FLOWERS">Call</a>', 'Call (1-800-FLOWERS)'],
    ['<a href="tel: %2B49 30 123456">Call</a>', 'Call (+49 30 123456)'],
    ['<a href="tel:+14155550100">Hotline 09:00-17:00</a>', 'Hotline 09:00-17:00 (+14155550100)'],
    ['<a href="https://api.whatsapp.com/send?text=x&amp;phone=14155550100">Chat</a>', 'Chat (+14155550100)'],
    ['<a href="//wa.me/14155550100">Chat</a>', 'Chat (+14155550100)'],
  ])('has the contact details behind its links in the text: %s', async (link, text) => {
    expect(await readPage(html('Contact', `<main><h2>How do I reach you?</h2><p>You can: ${link}.</p></main>`))).toEqual({
      'How do I reach you?': `You can: ${text}.`,
    });
  });

  it.each(['<div role="heading" aria-level="3">', '<span role="heading">', '<DIV ROLE="HEADING" ARIA-LEVEL="9">'])(
    'may have headings that only their role makes one: %s',
    async (tag) => {
      const end = `</${/^<(\w+)/.exec(tag)?.[1] ?? ''}>`;
      const body = `${tag}Is parking free?${end}<p>For two hours.</p>${tag}Is there a café?${end}<p>Next to the bridge.</p>`;
      expect(await readPage(html('Help', `<main><h1>Help</h1>${body}</main>`))).toEqual({
        'Is parking free?': 'For two hours.',
        'Is there a café?': 'Next to the bridge.',
      });
    },
  );

  // Proves rule kb.90.
  it.each([
    '<a href="/faq">FAQ</a> <a href="/returns">Returns</a> <a href="/hours">Hours</a> <a href="/login">Log in</a>',
    '<ul><li><a href="/faq">FAQ</a></li><li><a href="/returns">Returns</a></li><li><a href="/login">Log in</a></li></ul>',
    '<p><a href="/faq">FAQ</a> | <a href="/returns">Returns</a> | <a href="/hours">Hours</a></p>',
    '<div><A HREF="/">Home</A> › <A HREF="/shop">Shop</A> › <A HREF="/about">About us</A></div>',
    '<p>Next: <a href="/3">Tyres</a>, Previous: <a href="/1">Bells</a>, Up: <a href="/">Manual</a> &nbsp; [<a href="/c">Contents</a>][<a href="/i">Index</a>]</p>',
    '<b> Next:</b> <a href="/3">Tyres</a> <b> Up:</b> <a href="/">Manual</a><hr>',
  ])('is read without the links of its navigation: %s', async (links) => {
    expect(await readPage(html('Shop', `<main><h2>When do you open?</h2><p>We open at nine.</p>${links}</main>`))).toEqual({
      'When do you open?': 'We open at nine.',
    });
  });

  it.each([
    [
      '<p>We sell:</p><ul><li><a href="/a">Bikes</a></li><li><a href="/b">Tyres</a></li><li><a href="/c">FAQ</a></li></ul>',
      'We sell:\n\n- Bikes\n- Tyres\n- FAQ',
    ],
    ['<p>See <a href="/a">bikes</a>, <a href="/b">tyres</a> and <a href="/login">log in</a>.</p>', 'See bikes, tyres and log in.'],
    [
      '<p>There are courses.</p><ul><li><a href="/a">Brakes</a></li><li><a href="/b">Tyres</a></li><li><a href="/c">Bells</a></li></ul>',
      'There are courses.\n\n- Brakes\n- Tyres\n- Bells',
    ],
    [
      '<ol><li><a href="/r">Register</a></li><li><a href="/p">Choose</a></li><li><a href="/c">Checkout</a></li></ol>',
      '1. Register\n2. Choose\n3. Checkout',
    ],
    [
      '<ul><li><a href="/s">Sign in</a></li><li><a href="/p">My account</a></li><li><a href="/c">Change it</a></li></ul>',
      '- Sign in\n- My account\n- Change it',
    ],
    [
      '<p>Pay with these.</p><p><a href="/v">Visa</a> <a href="/p">PayPal</a> <a href="/k">Klarna</a></p>',
      'Pay with these.\n\nVisa PayPal Klarna',
    ],
    [
      '<p>We are here.</p><p><a href="mailto:a@x.example">Contact</a> <a href="tel:+14155550100">Call</a> <a href="mailto:b@x.example">Sales</a></p>',
      'We are here.\n\nContact (a@x.example) Call (+14155550100) Sales (b@x.example)',
    ],
  ])('keeps links that are the answer: %s', async (content, text) => {
    expect(await readPage(html('Shop', `<main><h2>How do I buy?</h2>${content}<h2>And?</h2><p>That is all there is.</p></main>`))).toEqual({
      'How do I buy?': text,
      'And?': 'That is all there is.',
    });
  });

  // Proves rule kb.70.
  it('yields its structured questions first, and each question once', async () => {
    const data = {
      '@context': 'https://schema.org',
      '@type': 'FAQPage',
      mainEntity: [
        {
          '@type': 'Question',
          name: 'Is it waterproof?',
          acceptedAnswer: { '@type': 'Answer', text: '<p>Yes, &amp; <b>more</b> than that.</p>' },
        },
        { '@type': 'Question', name: 'How heavy is it?', acceptedAnswer: { '@type': 'Answer', text: 'Nine kilograms.' } },
      ],
    };
    const script = `<script type="application/ld+json">${JSON.stringify(data)}</script><script type="application/ld+json">{ broken</script>`;
    await readPage(
      html(
        'Bag',
        `${script}<main><h1>The bag</h1><p>A bag for bikes, which many like.</p><h2>How heavy is it?</h2><p>About nine kilograms, we think.</p></main>`,
      ),
    );
    expect((await kb.faqs()).map(({ question, answer: text }) => [question, text])).toEqual([
      ['Is it waterproof?', 'Yes, & more than that.'],
      ['How heavy is it?', 'Nine kilograms.'],
      ['The bag', 'A bag for bikes, which many like.'],
    ]);
  });

  it.each([
    ['in a graph', (question: object) => ({ '@graph': [{ '@type': 'WebSite' }, { '@type': ['FAQPage'], mainEntity: [question] }] })],
    ['as a list', (question: object) => [{ '@type': 'FAQPage', mainEntity: question }]],
  ])('may have structured questions %s', async (_name, data) => {
    const question = { '@type': 'Question', name: 'Is it waterproof?', acceptedAnswer: [{ '@type': 'Answer', text: 'Yes.' }] };
    const script = `<script type="application/ld+json">${JSON.stringify(data(question))}</script>`;
    expect(await readPage(html('Bag', `${script}<main><p>A bag for bikes, which many like.</p></main>`))).toMatchObject({
      'Is it waterproof?': 'Yes.',
    });
  });

  it('may have structured questions in microdata', async () => {
    const body = `<main itemscope itemtype="https://schema.org/FAQPage"><div itemscope itemprop="mainEntity" itemtype="https://schema.org/Question">
      <h3 itemprop="name">Is it waterproof?</h3><div itemscope itemprop="acceptedAnswer" itemtype="https://schema.org/Answer">
      <div itemprop="text">Yes, it is waterproof.</div></div></div></main>`;
    expect(await readPage(html('Bag', body))).toEqual({ 'Is it waterproof?': 'Yes, it is waterproof.' });
  });

  // Proves rule kb.68.
  const german = html(
    'Größe',
    '<main><h2>Größe der Fahrräder für Männer?</h2><p>Über die Größe sagen wir hier etwas – „sofort“.</p></main>',
  );
  const latin = german.replace('–', '-').replace(/[„“]/g, '"');
  const marked = (charset: string) => latin.replace('<head>', `<head><meta charset="${charset}">`);
  it.each<[string, Buffer, string, string]>([
    ['the header', iconv.encode(latin, 'iso-8859-1'), 'text/html; charset=ISO-8859-1', latin],
    ['the header, in quotes', iconv.encode(german, 'windows-1252'), 'text/html; charset="windows-1252"', german],
    ['a meta element', iconv.encode(marked('iso-8859-15'), 'iso-8859-15'), 'text/html', latin],
    [
      'an older meta element',
      iconv.encode(
        latin.replace('<head>', '<head><meta http-equiv="Content-Type" content="text/html; charset=windows-1252">'),
        'windows-1252',
      ),
      'text/html',
      latin,
    ],
    ['the header, before a meta element', Buffer.from(marked('iso-8859-1')), 'text/html; charset=utf-8', latin],
    ['a byte order mark, before the header', Buffer.from(`\uFEFF${german}`), 'text/html; charset=iso-8859-1', german],
    ['a byte order mark of UTF-16', Buffer.from(`\uFEFF${german}`, 'utf16le'), 'text/html', german],
    ['nothing: UTF-8', Buffer.from(german), 'text/html', german],
    ['nothing: Windows-1252', iconv.encode(german, 'windows-1252'), 'text/html', german],
    ['UTF-8 in a meta element, if the header says Latin-1', Buffer.from(marked('utf-8')), 'text/html; charset=iso-8859-1', latin],
    ['a meta element, if the header does not fit', iconv.encode(marked('windows-1252'), 'windows-1252'), 'text/html; charset=utf-8', latin],
    ['the header, if a meta element does not fit', iconv.encode(marked('utf-8'), 'windows-1252'), 'text/html; charset=windows-1252', latin],
    ['its zeros, without a name', Buffer.from(german, 'utf16le'), 'text/html', german],
    ['a header with an unknown name', Buffer.from(german), 'text/html; charset=nonsense', german],
    ['a meta element, if the header is no character set', iconv.encode(marked('cp850'), 'cp850'), 'text/html; charset=base64', latin],
    [
      'an XML declaration',
      Buffer.concat([Buffer.from('<?xml version="1.0" encoding="cp850"?>\n'), iconv.encode(latin, 'cp850')]),
      '',
      latin,
    ],
    ['an XML declaration that is no character set', Buffer.from(`<?xml version="1.0" encoding="hex"?>\n${german}`), 'text/html', german],
    ['a header that says UTF-16', Buffer.from(`${german}`, 'utf16le'), 'text/html; charset=utf-16', german],
    ['UTF-8, if a header says UTF-16, which has zeros', Buffer.from(german), 'text/html; charset=utf-16be', german],
    ...['base64', 'hex', 'binary', 'utf7', 'UTF-7', 'cesu-8', 'utf-32', 'base64:1999', 'ucs-2', 'unicode', 'replacement'].flatMap(
      (name): [string, Buffer, string, string][] => [
        [`UTF-8, if a header says ${name}`, Buffer.from(german), `text/html; charset=${name}`, german],
        [`UTF-8, if a meta element says ${name}`, Buffer.from(german.replace('<head>', `<head><meta charset="${name}">`)), '', german],
      ],
    ),
  ])('has its encoding determined by %s', async (_name, bytes, contentType, expected) => {
    const text = /<p>(.*)<\/p>/.exec(expected)?.[1] ?? '';
    expect(await readPage(bytes, { 'content-type': contentType })).toEqual({ 'Größe der Fahrräder für Männer?': text });
  });

  it.each([
    ['Shift_JIS', '営業時間は何時ですか？', '午前九時から午後五時まで、毎日営業しています。'],
    ['windows-1251', 'Когда вы открыты?', 'Мы открыты каждый день с девяти часов утра.'],
    ['gb18030', '你们几点开门？', '我们每天早上九点开门，晚上六点关门。'],
  ])('may be encoded in %s', async (charset, question, text) => {
    const page = html('x', `<main><h2>${question}</h2><p>${text}</p></main>`);
    expect(await readPage(iconv.encode(page, charset), { 'content-type': `text/html; charset=${charset}` })).toEqual({ [question]: text });
  });

  it('may be plain text in the encoding of its header', async () => {
    const text = iconv.encode('Когда вы открыты?\nМы открыты каждый день.', 'windows-1251');
    for (const [path, type] of [
      ['/page', 'text/plain; charset=windows-1251'],
      ['/page.md', 'text/plain; charset=windows-1251'],
    ] as const) {
      site.pages.set(path, answer(200, { 'content-type': type }, text));
      await kb.importPage(site.url(path));
    }
    const { faqs } = (await service.get('/faqs')).body as { faqs: { answer: string }[] };
    expect(faqs.length).toBe(2);
    for (const faq of faqs) expect(faq.answer).toContain('Мы открыты каждый день.');
  });

  it('may lack a doctype, a body and closing tags', async () => {
    expect(
      await readPage(
        '<title>Old page</title><h2>When do you open?</h2><p>At nine in the morning.<h2>Where?</h2><p>In the old town,<p>near the bridge.<ul><li>one<li>two</ul>',
      ),
    ).toEqual({
      'When do you open?': 'At nine in the morning.',
      'Where?': 'In the old town,\n\nnear the bridge.\n\n- one\n- two',
    });
  });

  // Proves rule kb.87.
  it.each([
    ['<p>At nine<p>every day', 'At nine\n\nevery day'],
    ['<ul><li>Monday<p>and Tuesday<li>Friday</ul>', '- Monday and Tuesday\n- Friday'],
    [
      '<table><caption>In summer</caption><thead><tr><th>Day<th>Hour<tbody><tr><td>Monday<td>9</table>',
      'In summer\nDay | Hour\nMonday | 9',
    ],
    ['<table><tr><td>Monday</td></tr><p>In summer:</p></table>', 'In summer:\n\nMonday'],
    ['</div></span><p>At <b>nine<p>every</b> day', 'At nine\n\nevery day'],
    ['<fieldset><legend>In summer</legend>At nine.</fieldset>', 'In summer\n\nAt nine.'],
    ['</body></html><p>At nine.</p>', 'At nine.'],
    ['<h3></h2><p>At nine.', 'At nine.'],
  ])('is read as browsers read it: %s', async (content, text) => {
    const page = `<title>Shop</title><h1>Shop</h1><p>We sell bikes.</p><h2>When do you open?</h2>${content}`;
    expect(await readPage(page)).toMatchObject({ 'When do you open?': text });
  });

  it('may be XHTML with elements that have no content', async () => {
    const page =
      '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>Shop</title><script src="/x.js"/></head><body><h1>Shop</h1><a id="top"/><h2>When do you open?</h2><p>At nine<br/>every day.</p></body></html>';
    expect(await readPage(page, { 'content-type': 'application/xhtml+xml' })).toEqual({ 'When do you open?': 'At nine\nevery day.' });
  });

  it('is recognized without a Content-Type', async () => {
    expect(await readPage(html('x', '<main><h2>When do you open?</h2><p>At nine in the morning.</p></main>'), {})).toEqual({
      'When do you open?': 'At nine in the morning.',
    });
  });

  it.each<[string, string, string | Buffer]>([
    [
      'application/pdf',
      '/x',
      pdf([
        [
          { text: 'Opening hours', y: 700, size: 20 },
          { text: 'We open at nine.', y: 670 },
        ],
      ]),
    ],
    [
      'application/octet-stream',
      '/x',
      pdf([
        [
          { text: 'Opening hours', y: 700, size: 20 },
          { text: 'We open at nine.', y: 670 },
        ],
      ]),
    ],
    ['text/plain', '/x.md', '# Opening hours\n\nWe open at nine.\n'],
    ['text/markdown', '/x', '# Opening hours\n\nWe open at nine.\n'],
  ])('may be a document of type %s at %s', async (type, path, content) => {
    site.pages.set(path, answer(200, { 'content-type': type }, content));
    expect(await kb.status(await kb.importPage(site.url(path)))).toBe('ready');
    expect(await kb.answers()).toEqual({ 'Opening hours': 'We open at nine.' });
  });

  it.each<[string, string, Record<string, string>]>([
    [
      'adjacent articles',
      '<main><h1>Help</h1><p>Ask us.</p><article><h2>A?</h2><p>One.</p></article><article><h2>B?</h2><p>A longer answer than that.</p></article></main>',
      { Help: 'Ask us.', 'A?': 'One.', 'B?': 'A longer answer than that.' },
    ],
    [
      'articles in a list',
      '<h1>Help</h1><ul><li><article><h2>A?</h2><p>One.</p></article></li><li><article><h2>B?</h2><p>Two.</p></article></li></ul>',
      { 'A?': 'One.', 'B?': 'Two.' },
    ],
    ['two main elements', '<main><h2>A?</h2><p>One.</p></main><main><h2>B?</h2><p>Two.</p></main>', { 'A?': 'One.', 'B?': 'Two.' }],
    [
      'text beside its only article',
      '<main><h1>Paint</h1><p>We paint.</p><article><h2>Houses?</h2><p>Those too.</p></article></main>',
      { Paint: 'We paint.', 'Houses?': 'Those too.' },
    ],
    [
      'a form around it',
      '<form method="post" action="./"><input type="hidden" name="v"><div><h2>A?</h2><p>One.</p></div></form>',
      { 'A?': 'One.' },
    ],
    [
      'a form with inputs',
      '<main><h2>A?</h2><p>One of the answers.</p><form><h2>Subscribe</h2><p>Your address</p><input name="email"></form></main>',
      { 'A?': 'One of the answers.' },
    ],
    [
      'headings in headers',
      '<main><h1>Help</h1><section><header><h2>A?</h2></header><p>One.</p></section><section><header><h2>B?</h2></header><p>Two.</p></section></main>',
      { 'A?': 'One.', 'B?': 'Two.' },
    ],
    [
      'a line break in a heading',
      '<main><h2>Opening<br>hours?</h2><p>Nine.</p><h2><div>Two</div><div>blocks?</div></h2><p>Yes.</p></main>',
      { 'Opening hours?': 'Nine.', 'Two blocks?': 'Yes.' },
    ],
    [
      'elements within words',
      '<main><h2>A?</h2><p>un<i>believ</i>able <b>W</b>elcome "<em>q</em>"</p><ul><li><a href="/x">li</a>nk</li></ul></main>',
      { 'A?': 'unbelievable Welcome "q"\n\n- link' },
    ],
    ['links from headings to themselves', '<main><h2 id="a">A?<a href="#a">¶</a></h2><p>One.</p></main>', { 'A?': 'One.' }],
    [
      'the menu of a restaurant',
      '<main><section class="menu"><h2>Soups</h2><p>Tomato.</p></section><section><h2>A?</h2><p>One.</p></section></main>',
      { Soups: 'Tomato.', 'A?': 'One.' },
    ],
    [
      'only an element that looks like a banner',
      '<div class="cookies"><h2>Which cookies do you sell?</h2><p>Oat cookies.</p></div>',
      { 'Which cookies do you sell?': 'Oat cookies.' },
    ],
  ])('is read in full with %s', async (_name, page, expected) => {
    expect(await readPage(html('FAQ', page))).toEqual(expected);
  });

  const about = (what: string) => `<p>This is about ${what}, and it explains everything in detail.</p>`;
  const clutterNames = ['error', 'comments', 'newsletter', 'cookies', 'related', 'popular', 'footer', 'banner', 'tags', 'menu', 'sidebar'];

  // Proves rule kb.92.
  it.each(clutterNames.flatMap((name) => [`id="${name}"`, `class="${name}"`]))('is read with a section with %s', async (name) => {
    for (const [start, end] of [
      ['<main>', '</main>'],
      ['', ''],
    ] as const) {
      await useNewAccount();
      const section = `<section ${name}><h2>What about it?</h2>${about('it')}</section>`;
      expect(await readPage(html('Help', `${start}<h1>Help</h1>${about('us')}${section}<h2>And then?</h2>${about('more')}${end}`))).toEqual(
        {
          Help: 'This is about us, and it explains everything in detail.',
          'What about it?': 'This is about it, and it explains everything in detail.',
          'And then?': 'This is about more, and it explains everything in detail.',
        },
      );
    }
  });

  it.each([
    '<p>Comments</p>',
    '<strong>Comments</strong>',
    '<table><tr><td><p>Comments</p></td></tr></table>',
    '<ul><li><p>Comments</p></li></ul>',
    '<h2>Comments</h2>',
    '<h2>Related</h2>',
  ])('is read to its end beyond the line %s', async (line) => {
    const answers = await readPage(
      html('Help', `<main><h1>Help</h1>${about('us').repeat(9)}${line}${about('it')}<h2>And then?</h2>${about('more')}</main>`),
    );
    expect(answers['And then?']).toBe('This is about more, and it explains everything in detail.');
    expect(Object.values(answers).join()).toContain('This is about it');
  });

  // Proves rule kb.94.
  it('can be looked at: its sections, the FAQs of each, and how much was left out', async () => {
    const part = '<h2>Hours</h2><p>Nine to five.</p>';
    await readPage(
      html(
        'Shop',
        `<nav>${'Menu '.repeat(5)}</nav><main><h1>Shop</h1><p>Ferns.</p><section><h2>Town</h2>${part}</section><h2>Port</h2><h3>Hours</h3><p>Ten to six.</p></main>`,
      ),
    );
    const source = ((await service.get('/kb-sources')).body as { sources: { source_id: string }[] }).sources[0]?.source_id ?? '';
    const { status, body } = await service.get(`/kb-sources/${source}/text`);
    expect(status).toBe(200);
    const faqs = new Map((await kb.faqs()).map(({ question, id }) => [question, id]));
    expect(body).toEqual({
      success: true,
      source_id: source,
      title: 'Shop',
      kept: 0.68,
      sections: [
        { heading: 'Shop', text: 'Ferns.', faq_ids: [faqs.get('Shop')] },
        { heading: 'Hours', text: 'Nine to five.', faq_ids: [faqs.get('Shop: Hours')] },
        { heading: 'Hours', text: 'Ten to six.', faq_ids: [faqs.get('Port: Hours')] },
      ],
    });
    expect((await service.get('/kb-sources/src_unknown/text')).status).toBe(404);
  });

  it.each([
    '<h3>Related articles</h3><ul><li><a href="/a">Brakes of bikes</a></li><li><a href="/b">Bells of bikes</a></li></ul>',
    '<h2>Table of contents</h2><div><ul><li><a href="#a">What about it?</a></li><li><a href="#b">And then?</a></li></ul></div>',
    '<div class="tableOfContents"><ul><li><a href="#a">What about it?</a></li></ul></div>',
    '<div class="byline">By <a href="/ann">Ann</a>, 3 May</div>',
  ])('is read without what leads elsewhere: %s', async (list) => {
    expect(await readPage(html('Help', `<main><h1>Help</h1>${about('us')}${list}<h2>And then?</h2>${about('more')}</main>`))).toEqual({
      Help: 'This is about us, and it explains everything in detail.',
      'And then?': 'This is about more, and it explains everything in detail.',
    });
  });

  it('is read without the comments of its readers', async () => {
    const comments = `<div id="comments"><h3>2 comments</h3><ol class="comment-list"><li class="comment"><div class="comment-content"><p>I liked it.</p></div></li></ol>
      <form><textarea></textarea></form></div>`;
    expect(await readPage(html('Post', `<main><article><h1>Post</h1>${about('us').repeat(3)}</article>${comments}</main>`))).toEqual({
      Post: 'This is about us, and it explains everything in detail.\n\n'.repeat(3).trim(),
    });
  });

  it('has terms with one description as one heading of it, and terms without any as text', async () => {
    const page = `<main><h1>Words</h1><p>What we sell:</p><dl><dt>Coats</dt><dt>Jackets</dt><dd>In all sizes, for the summer and the winter.</dd></dl>
      <h2>Brands</h2><dl><dt>Northwind</dt><dt>Contoso</dt></dl><h2>Classes</h2><dl><dt>class Coat(size)</dt><dd></dd></dl></main>`;
    expect(await readPage(html('Words', page))).toEqual({
      Words: 'What we sell:',
      'Coats, Jackets': 'In all sizes, for the summer and the winter.',
      Brands: 'Northwind\nContoso',
      Classes: 'class Coat(size)',
    });
  });

  // Proves rule kb.93.
  it('of a documentation has the texts of its links, and no marks in its headings', async () => {
    const page = `<main><h2>How?<a class="hash-link" href="#how">\u200B</a></h2><p>Use <a class="reference internal" href="#alpha"><span>alpha</span></a> here, or <a class="anchor" href="b.html#beta">beta</a>.</p>
      <h2>How long?<a class="headerlink" href="https://docs.example/#long">¶</a></h2><p>An hour.</p>
      <dl><dt>run(x)<a class="headerlink" href="#run">¶</a></dt><dd>Runs it.</dd></dl><h2>Wo\u00ADhin?</h2><p>North.</p></main>`;
    expect(await readPage(html('Docs', page))).toEqual({
      'How?': 'Use alpha here, or beta.',
      'How long?': 'An hour.',
      'run(x)': 'Runs it.',
      'Wohin?': 'North.',
    });
  });

  it.each([
    ['<pre><code><span class="line">a = 1</span><span class="line">b = 2</span></code></pre>', 'a = 1\nb = 2'],
    ['<pre>a = 1 <span class="comment"># one</span>\n<span class="hljs-meta">b</span> = 2</pre>', 'a = 1 # one\nb = 2'],
    ['<pre>a = 1<br>b = 2</pre>', 'a = 1\nb = 2'],
    ['<pre><div>a = 1</div><div>b = 2</div></pre>', 'a = 1\nb = 2'],
    ['<pre><span style="display: block">a = 1</span><span class="hljs-line">b = 2</span></pre>', 'a = 1\nb = 2'],
    ['<pre>if a:\n    b = 2\n\n\treturn  b</pre>', 'if a:\n    b = 2\n\treturn b'],
    ['<table><tr><td class="gutter"><pre>1\n2</pre></td><td><pre>a = 1\nb = 2</pre></td></tr></table>', 'a = 1\nb = 2'],
    ['<ul><li><p>Run:</p><div><pre>a = 1\nb = 2\n</pre></div></li></ul>', '- Run:\na = 1\nb = 2'],
    ['<table><tr><td class="linenos"><pre>1\n2</pre></td><td><pre>a = 1\nb = 2</pre></td></tr></table>', 'a = 1\nb = 2'],
  ])('has the lines of its code: %s', async (code, text) => {
    expect(await readPage(html('Docs', `<main><h2>How?</h2>${code}</main>`))).toEqual({ 'How?': text });
  });

  it.each([
    ['a heading before a named list', '<h2>Menu</h2><div id="related"><ul><li>Soup 5 EUR</li></ul></div>', { Menu: '- Soup 5 EUR' }],
    [
      'dishes with pages of their own',
      '<h1>Zoë</h1><p>Welcome.</p><section id="menu"><h2>Dishes</h2><h3><a href="/soup">Soup</a></h3><p>With leek, for 5 EUR.</p><h3><a href="/cake">Cake</a></h3><p>With plums, for 4 EUR.</p></section>',
      { Zoë: 'Welcome.', Soup: 'With leek, for 5 EUR.', Cake: 'With plums, for 4 EUR.' },
    ],
    [
      'headings about what is popular or recommended',
      '<h2>Popular dishes</h2><p><a href="/soup">Soup</a></p><p><a href="/cake">Cake</a></p><h2>Latest check-in</h2><p><a href="/in">At 22:00</a></p>',
      { 'Popular dishes': 'Soup\n\nCake', 'Latest check-in': 'At 22:00' },
    ],
    ['a tip beside its text', '<h2>Zebra?</h2><p>Yes.</p><aside class="tip">Keep it cold</aside>', { 'Zebra?': 'Yes.\n\nKeep it cold' }],
    [
      'a panel that a click opens',
      '<h2>Lions</h2><p>Yes.</p><div class="title">Where?</div><div class="panel" style="display:none">In the south.</div>',
      { Lions: 'Yes.\n\nWhere?\n\nIn the south.' },
    ],
    [
      'headings that have nothing but headings below them',
      '<h1>Zoë</h1><p>Welcome.</p><h2>Hours</h2><h4>Mon 9 to 5</h4><h4>Tue 10 to 6</h4><h2>Team</h2><h3><a href="/ann">Ann</a></h3><h3>Why us?</h3><h2>Menu</h2>',
      { Zoë: 'Welcome.', Hours: 'Mon 9 to 5\nTue 10 to 6' },
    ],
    ['characters that are not seen', '<h2>\u200EWhere\u2060?\u202C</h2><p>\u2066North\u2069.</p>', { 'Where?': 'North.' }],
    [
      'links to edit a section',
      '<h2>Where?<span class="mw-editsection">[<a href="/edit">edit</a>]</span></h2><p>North.</p>',
      { 'Where?': 'North.' },
    ],
    [
      'what a wiki adds',
      '<div id="siteSub">From a wiki</div><a class="mw-jump-link" href="#s">Jump to search</a><h2>Where?</h2><p>North.<sup class="reference"><a href="#1">[1]</a></sup></p><div class="printfooter">Retrieved from here</div><div id="catlinks">Categories: Zoos</div>',
      { 'Where?': 'North.' },
    ],
    [
      'shadow roots',
      '<h2>Where?</h2><x-answer><template shadowrootmode="open"><style>p { color: red }</style><p>North.</p><x-more><template shadowrootmode="closed"><p>Or south.</p></template></x-more></template><p>Or east.</p></x-answer>',
      { 'Where?': 'North.\n\nOr south.\n\nOr east.' },
    ],
  ])('keeps what is inside its main part: %s', async (_, content, sections) => {
    expect(await readPage(html('Docs', `<main>${content}</main>`))).toEqual(sections);
  });

  it('with one long article is read without related articles', async () => {
    const others = ['One', 'Two'].map((name) => `<article><h3><a href="/${name}">${name}</a></h3><p>Teaser</p></article>`).join('');
    const page = `<article><h1>Post</h1><p>${'The text of the post. '.repeat(20)}</p></article><section class="related">${others}</section>`;
    expect(await readPage(html('Post', page))).toEqual({ Post: 'The text of the post. '.repeat(20).trim() });
  });

  const card = (name: string) => `<article class="card"><h3><a href="/${name}">${name}</a></h3><p>Teaser</p></article>`;
  const questions = `<h2>A?</h2><p>${'One answer. '.repeat(9)}</p><h2>B?</h2><p>${'Another answer. '.repeat(9)}</p>`;

  it.each([
    ['cards that link to other pages', `<div class="entry-content">${questions}</div><div class="row">${card('One')}${card('Two')}</div>`],
    ['a small main element', `<div id="content">${questions}</div><div role="main"><p>skip</p></div>`],
    ['cards beside its article', `<article>${questions}</article>${card('One')}${card('Two')}`],
    ['a form to fill in', `<main>${questions}<form><p>We never share your data.</p><input name="email"></form></main>`],
  ])('is read without %s', async (_name, page) => {
    expect(Object.keys(await readPage(html('FAQ', page)))).toEqual(['A?', 'B?']);
  });

  it('may be in a stateful encoding', async () => {
    const bytes = Buffer.concat([
      Buffer.from('<html><body><main><h2>Q '),
      Buffer.from([0x1b, 0x24, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x1b, 0x28, 0x42]),
      Buffer.from('?</h2><p>Yes.</p></main></body></html>'),
    ]);
    expect(await readPage(bytes, { 'content-type': 'text/html; charset=ISO-2022-JP' })).toEqual({ 'Q 日本?': 'Yes.' });
  });

  // Proves rule kb.73.
  it.each([
    ['no content', ''],
    ['no text', html('Empty', '<main><img src="a.png"></main>')],
  ])('fails with %s', async (_name, page) => {
    site.pages.set('/page', answer(200, { 'content-type': 'text/html' }, page));
    expect(await kb.state(await kb.importPage(site.url('/page')))).toMatchObject({
      status: 'failed',
      error_message: 'There is no text in it',
    });
  });
});

describe('a text file', () => {
  it('is one section, named after its first sentence', async () => {
    expect(await read('hours.txt', 'We open at nine.\r\nEvery day.\r\n\r\nOn Sundays we are closed.\r\n')).toEqual({
      'We open at nine.': 'We open at nine.\nEvery day.\n\nOn Sundays we are closed.',
    });
  });

  it('is named after a sentence with short forms and numbers', async () => {
    const text = 'Dr. Hill ist z. B. am 3. Mai ab 9.30 Uhr da. Danach nicht.';
    expect(await read('a.txt', text)).toEqual({ 'Dr. Hill ist z. B. am 3. Mai ab 9.30 Uhr da.': text });
  });

  it.each(['utf-8', 'utf-16le', 'windows-1252'])('may be encoded in %s', async (encoding) => {
    const text = 'Über die Größe der Fahrräder.';
    const bytes = iconv.encode(encoding === 'windows-1252' ? text : `\uFEFF${text}`, encoding);
    expect(Object.values(await read('a.txt', bytes))).toEqual([text]);
  });

  // Proves rule kb.71.
  it('becomes several FAQs without loss if it is long', async () => {
    const paragraphs = Array.from({ length: 40 }, (_, number) => `This is paragraph ${number}. ${'It says something. '.repeat(10)}`.trim());
    const faqs = Object.entries(await read('long.txt', paragraphs.join('\n\n')));
    expect(faqs.length).toBeGreaterThan(3);
    for (const [, text] of faqs) expect(text.length).toBeLessThanOrEqual(2_000);
    expect(faqs.map(([question]) => question).slice(0, 2)).toEqual(['This is paragraph 0.', 'This is paragraph 0. (2)']);
    expect(faqs.map(([, text]) => text).join('\n\n')).toBe(paragraphs.join('\n\n'));
  });
});

describe('Markdown', () => {
  // Proves rule kb.69.
  it('is divided into sections by its headings', async () => {
    const text = [
      '---',
      'layout: page',
      '---',
      '# The shop',
      '',
      'We *sell* **bikes**, and [repair](https://x.example) them.',
      '',
      'When do you open?',
      '-----------------',
      '',
      'At nine:',
      '',
      '* on Mondays',
      '* on Fridays',
      '',
      '## Prices ##',
      '',
      '| Bike | Price |',
      '|------|-------|',
      '| City | 500 |',
      '',
      '```',
      '# not a heading',
      '```',
      '',
    ].join('\n');
    expect(await read('shop.md', text)).toEqual({
      'When do you open?': 'At nine:\n\n- on Mondays\n- on Fridays',
      'The shop': 'We sell bikes, and repair them.',
      Prices: 'Bike | Price\nCity | 500\n\n# not a heading',
    });
    expect((await kb.faqs())[0]?.category).toBe('The shop');
  });

  it('is given distinct questions for equal headings by adding the parent heading', async () => {
    const text = '# Bikes\n\n## City\n\n### Price\n\n500\n\n## Cargo\n\n### Price\n\n2,000\n';
    expect(await read('a.md', text)).toEqual({ 'City: Price': '500', 'Cargo: Price': '2,000' });
  });

  it('has sections with the same heading joined, so that nothing is lost', async () => {
    expect(await read('a.md', '## When?\n\nAt nine.\n\n## Where?\n\nHere.\n\n## when?\n\nAt ten.\n')).toEqual({
      'When?': 'At nine.\n\nAt ten.',
      'Where?': 'Here.',
    });
  });

  it('keeps the section under the document title, and the text before it', async () => {
    expect(await read('a.md', 'Intro.\n\n# Returns\n\nWithin 30 days.\n')).toEqual({ Returns: 'Intro.\n\nWithin 30 days.' });
  });

  it('keeps a section whose heading looks like the numbered part of another', async () => {
    const [first, second] = ['a', 'b'].map((letter) => letter.repeat(1_500));
    expect(await read('a.md', `## Rules\n\n${first}\n\n${second}\n\n## Rules (2)\n\nBe kind.\n`)).toEqual({
      Rules: first,
      'Rules (2)': `${second}\n\nBe kind.`,
    });
  });
});

describe('Markdown', () => {
  // Proves rule kb.88.
  it('is read without what is struck out, and with contact details', async () => {
    const text =
      '# What does it cost?\n\nIt costs ~~120 euros~~ 90 euros, <del>or 80</del> with `~5`% off, `~~code~~` and `<s>x</s>` stay.\n\nIt weighs ~~5 kg, costs ~~7 euros~~.\n\n# And ~~then~~ now?\n\n[Write to us](mailto:info@shop.example "Mail"), or <info@shop.example>.';
    expect(await read('prices.md', text)).toEqual({
      'What does it cost?': 'It costs 90 euros, with ~5% off, ~~code~~ and <s>x</s> stay.\n\nIt weighs ~~5 kg, costs .',
      'And now?': 'Write to us (info@shop.example), or info@shop.example.',
    });
  });
});

describe('the text of Markdown', () => {
  // Proves rule kb.88.
  it.each([
    ['The course costs ~~120\neuros~~ 90 euros.', 'The course costs 90 euros.'],
    ['It costs ~120 euros~ 90 euros.', 'It costs 90 euros.'],
    ['It costs ~120\neuros~ <s>100\neuros</s> 90 euros.', 'It costs 90 euros.'],
    ['It costs ~~120 `euros` or **more**~~ 90 euros.', 'It costs 90 euros.'],
    [
      'H~2~O is ~5 euros, ~10 with ice, from 9~17~18 in ~/shop or `~y~`.',
      'H~2~O is ~5 euros, ~10 with ice, from 9~17~18 in ~/shop or ~y~.',
    ],
    ['Costs ~~5 or \\~~6\\~~ euros, ~~~7~~~, and ~~ 8 ~~.', 'Costs ~~5 or ~~6~~ euros, ~~~7~~~, and ~~ 8 ~~.'],
    ['We sell:\n- ~~skis\n- boots~~\n- ~~bikes~~\n- cars', 'We sell:\n- ~~skis\n- boots~~\n- cars'],
    ['| A | B |\n|---|---|\n| ~~1 | 2~~ |\n| ~~3~~ | 4 |', 'A | B\n~~1 | 2~~\n| 4'],
    ['> It costs ~~120\n> euros~~ 90 euros.', 'It costs 90 euros.'],
    ['[Write\nto us](mailto:info@shop.example), it is **for\nfree**.', 'Write\nto us (info@shop.example), it is for\nfree.'],
    ['At nine. <!-- Ask\nAda. --> Or `<!-- ten -->`.\n\n* * *\n\nDaily.', 'At nine. Or <!-- ten -->.\n\nDaily.'],
    ['Run\n```msgctl whoami```\nfirst.', 'Run\nmsgctl whoami\nfirst.'],
  ])('is what applies: %j', async (text, shown) => {
    expect(await read('prices.md', `# What does it cost?\n\n${text}\n`)).toEqual({ 'What does it cost?': shown });
  });
});

describe('plain text', () => {
  it('has its questions recognized as headings', async () => {
    const text = [
      'Our shop.',
      '',
      'When do you open?',
      'At nine.',
      'A. Smith opens.',
      '',
      'Do you deliver?',
      '',
      'Yes.',
      '',
      'Everywhere.',
      'Q: Do you wrap',
      'A: Always.',
      'Question: For free?',
      'Answer: a) yes',
      '',
      'Who asks?',
      'Why not?',
    ];
    expect(await read('faq.txt', text.join('\n'))).toEqual({
      'Our shop.': 'Our shop.',
      'When do you open?': 'At nine.\nA. Smith opens.',
      'Do you deliver?': 'Yes.\n\nEverywhere.',
      'Do you wrap': 'Always.',
      'For free?': 'a) yes\n\nWho asks?\n\nWhy not?',
    });
  });

  it('stays text if it consists only of questions', async () => {
    expect(await read('faq.txt', 'Who?\n\nWhy?')).toEqual({ 'Who?': 'Who?\n\nWhy?' });
  });
});

describe('a table', () => {
  const rows = (separator: string) =>
    [
      ['Answer', 'Question', 'Note'],
      ['At nine.', 'When do you open?', 'x'],
      ['"In the', 'x', 'y'],
    ]
      .slice(0, 2)
      .map((row) => row.join(separator))
      .join('\n');

  it('is read to its end when quotation marks are out of order', async () => {
    const text = 'question,answer\nHow wide?,A 5" pipe.\nOpen?,"At nine.\n"Closed?" ,"At ten." \nWhere?,="In the garden."\n';
    expect(await read('faq.csv', text)).toEqual({
      'How wide?': 'A 5" pipe.',
      'Open?': '"At nine.',
      'Closed?': 'At ten.',
      'Where?': 'In the garden.',
    });
  });

  it.each([',', ';', '\t', '|'])('yields its questions and answers, with %j between columns', async (separator) => {
    expect(await read('faq.csv', rows(separator))).toEqual({ 'When do you open?': 'At nine.' });
  });

  it('may have quotes, line breaks, empty lines, and rows of any length', async () => {
    const text = '\uFEFFquestion,answer\r\n"When, exactly?","At ""nine"".\nOr later."\r\n\r\nWhere?\r\n,no question\r\nWho?,We,more\r\n';
    expect(await read('faq.csv', text)).toEqual({ 'When, exactly?': 'At "nine".\nOr later.', 'Who?': 'We' });
  });

  it('prefers the columns named question and answer', async () => {
    expect(await read('faq.csv', 'Frage;q;question;answer\nx;y;When?;At nine.\n')).toEqual({ 'When?': 'At nine.' });
  });

  it.each(['Frage;Antwort', 'pregunta;respuesta', 'Q;A', ' QUESTION ; Answer '])('may have the header %s', async (header) => {
    expect(await read('faq.csv', `${header}\nWhen?;At nine.\n`)).toEqual({ 'When?': 'At nine.' });
  });

  it.each([
    ['sep=;', ';', '\n'],
    ['"sep=;"', ';', '\r\n'],
    ['SEP=^', '^', '\r'],
  ])('may begin with the line %s', async (line, between, end) => {
    const lines = [line, `Days${between}Hours, in short`, `Monday, Tuesday${between}From nine`];
    expect(await read('hours.csv', lines.join(end))).toEqual({
      'Monday, Tuesday': 'Days: Monday, Tuesday\nHours, in short: From nine',
    });
  });

  it('may have quoted headers with commas', async () => {
    expect(await read('bikes.csv', '"Bike, with frame, and wheels";Price\nCity;500\n')).toEqual({
      City: 'Bike, with frame, and wheels: City\nPrice: 500',
    });
  });

  // Proves rule kb.69.
  it('has a section per row if it has no questions', async () => {
    expect(await read('bikes.csv', 'Bike,Price,Weight\nCity,500,15 kg\nCargo,2000,\n')).toEqual({
      City: 'Bike: City\nPrice: 500\nWeight: 15 kg',
      Cargo: 'Bike: Cargo\nPrice: 2000',
    });
  });

  it('may have a title above its heading', async () => {
    expect(await read('faq.csv', 'Our answers,,\n\nid,Question,Answer\n1,When?,At nine.\n')).toEqual({ 'When?': 'At nine.' });
    await useNewAccount();
    expect(await read('bikes.csv', 'Prices 2026,\nBike,Price\nCity,500\n')).toEqual({ City: 'Bike: City\nPrice: 500' });
    await useNewAccount();
    expect(await read('list.csv', 'Bike\nCity\nCargo\n')).toEqual({ City: 'Bike: City', Cargo: 'Bike: Cargo' });
  });

  it('has rows with the same first cell joined', async () => {
    expect(await read('a.csv', 'Name,Size,Price\nShirt,S,10\nCap,M,5\nShirt,L,14\n,XL,20\n')).toEqual({
      Shirt: 'Name: Shirt\nSize: S\nPrice: 10\n\nName: Shirt\nSize: L\nPrice: 14',
      Cap: 'Name: Cap\nSize: M\nPrice: 5',
      XL: 'Size: XL\nPrice: 20',
    });
  });

  it('keeps every answer to a repeated question', async () => {
    expect(await read('a.csv', 'question,answer\nPrice?,10 for adults\nPrice?,5 for children\nPrice?,10 for adults\n')).toEqual({
      'Price?': '10 for adults\n\n5 for children',
    });
  });

  it('may be an Excel workbook', async () => {
    const text = (column: string, row: number, value: string) => `<c r="${column}${row}" t="inlineStr"><is><t>${value}</t></is></c>`;
    const rowOf = (row: number, ...cells: string[]) =>
      `<row r="${row}">${cells.map((cell, index) => text('ABC'[index] ?? '', row, cell)).join('')}</row>`;
    const book = workbook({
      rows: rowOf(1, 'Question', 'Answer') + rowOf(2, 'When?', 'At nine.') + rowOf(3, 'Where?', 'In the old town.'),
    });
    expect(await read('faq.xlsx', book)).toEqual({ 'When?': 'At nine.', 'Where?': 'In the old town.' });
  });

  it.each([
    ['visible', { 'First?': 'One.', 'Second?': 'Two.' }],
    ['hidden', { 'First?': 'One.' }],
  ])('includes a second sheet of a workbook unless it is hidden: %s', async (state, expected) => {
    const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
    const row = (...texts: string[]) => `<row>${texts.map(cell).join('')}</row>`;
    const sheets = `<sheet name="S1" sheetId="1" r:id="rId1"/><sheet name="S2" sheetId="2" state="${state}" r:id="rId4"/>`;
    const rows = row('question', 'answer') + row('First?', 'One.');
    const secondRows = row('question', 'answer') + row('Second?', 'Two.');
    expect(await read('two.xlsx', workbook({ rows, secondRows, sheets }))).toEqual(expected);
  });

  it('shows the numbers of a workbook as formatted', async () => {
    const strings = ['Bike', 'Price', 'City'].map((text) => `<t>${text}</t>`);
    const book = workbook({
      rows: '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row><row r="2"><c r="A2" t="s"><v>2</v></c><c r="B2" s="0"><v>1234.5</v></c></row>',
      strings,
      formats: ['#,##0.00'],
    });
    expect(await read('bikes.xlsx', book)).toEqual({ City: 'Bike: City\nPrice: 1,234.50' });
  });

  // Proves rule kb.88.
  it('is read without what a workbook strikes out: cells, and parts of their texts', async () => {
    const font = (strikes: string) => `<font>${strikes}</font>`;
    const runs = (...each: (readonly [string, string])[]) =>
      each.map(([font, text]) => `<r>${font === '' ? '' : `<rPr>${font}</rPr>`}<t xml:space="preserve">${text}</t></r>`).join('');
    const strings = [
      '<t>Bike</t>',
      '<t>Price</t>',
      '<t>City</t>',
      runs(['', 'From '], ['<strike/>', '500 '], ['<strike val="0"/>', '400 crowns']),
      '<t>Cargo</t>',
      runs(['', '900 '], ['<b/>', '800 crowns']),
      '<t>Race</t>',
    ];
    const cell = (content: string, style = 0) => `<c s="${style}" t="s"><v>${content}</v></c>`;
    const rows = [
      cell('0') + cell('1'),
      cell('2') + cell('3') + '<c s="1"><v>7</v></c>',
      cell('4') + cell('5', 1) + `<c s="1" t="inlineStr"><is>${runs(['', 'a year'], ['<strike/>', 'or two'], ['<i/>', 'in red'])}</is></c>`,
      cell('6', 1) + cell('2', 1),
    ];
    const files = workbookFiles({ rows: rows.map((each) => `<row>${each}</row>`).join(''), strings });
    const styles = `<fonts>${font('')}${font('<strike/>')}</fonts><cellXfs><xf fontId="0"/><xf fontId="1"/></cellXfs>`;
    const book = { ...files, 'xl/styles.xml': `<styleSheet>${styles}</styleSheet>` };
    expect(await read('bikes.xlsx', zip(book))).toEqual({
      City: 'Bike: City\nPrice: From 400 crowns',
      Cargo: 'Bike: Cargo\nPrice: 800 crowns\nin red',
    });
  });

  it.each(['question,answer\n', 'question,answer', 'Bike,Price\n'])('fails without rows: %j', async (text) => {
    expect(await kb.state(await kb.importFile('a.csv', text))).toMatchObject({ status: 'failed', error_message: 'There is no text in it' });
  });
});

describe('a Word document', () => {
  it('is divided into sections by its headings, with lists and tables', async () => {
    const body = [
      paragraph('The shop', 'Title'),
      paragraph('We sell bikes.'),
      paragraph('When do you open?', 'Heading1'),
      paragraph('At nine:'),
      item('on Mondays'),
      item('on Fridays'),
      paragraph('Prices', 'Heading2'),
      table([
        ['Bike', 'Price'],
        ['City', '500'],
      ]),
    ];
    expect(await read('shop.docx', docx(body.join('')))).toEqual({
      'When do you open?': 'At nine:\n\n- on Mondays\n- on Fridays',
      'The shop': 'We sell bikes.',
      Prices: 'Bike | Price\nCity | 500',
    });
    expect((await kb.faqs())[0]).toMatchObject({ category: 'The shop' });
  });

  const run = (text: string, properties = '') =>
    `<w:r>${properties === '' ? '' : `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;
  const ticket = (...runs: string[]) =>
    docx(`${paragraph('What does it cost?', 'Heading1')}<w:p>${run('The ticket costs ')}${runs.join('')}${run('30 euros.')}</w:p>`);

  // Proves rule kb.88.
  it.each([
    '<w:strike/>',
    '<w:b/><w:dstrike/>',
    '<w:strike w:val="false"/><w:dstrike w:val="true"/>',
    '<w:vanish/>',
    '<w:vanish w:val="1"/><w:strike w:val="0"/>',
  ])('is read without what is struck out or hidden: %s', async (properties) => {
    expect(await read('prices.docx', ticket(run('50 ', properties)))).toEqual({ 'What does it cost?': 'The ticket costs 30 euros.' });
  });

  it('is read with what is struck out no more', async () => {
    const runs = [run('at ', '<w:strike w:val="0"/>'), run('least ', '<w:dstrike w:val="false"/><w:vanish w:val="off"/>'), '<w:r/>'];
    expect(await read('prices.docx', ticket(...runs))).toEqual({ 'What does it cost?': 'The ticket costs at least 30 euros.' });
  });

  it('is read without what styles strike out or hide', async () => {
    const style = (type: string, id: string, properties: string, base = '') =>
      `<w:style w:type="${type}" w:styleId="${id}"><w:name w:val="${id}"/>${base && `<w:basedOn w:val="${base}"/>`}<w:rPr>${properties}</w:rPr></w:style>`;
    const styles =
      style('character', 'Old', '<w:dstrike/>') +
      style('character', 'Older', '<w:b/>', 'Old') +
      style('character', 'Again', '<w:dstrike w:val="0"/>', 'Old') +
      style('paragraph', 'Note', '<w:vanish/>');
    const ofStyle = (text: string, id: string, more = '') => run(text, `<w:rStyle w:val="${id}"/>${more}`);
    const note = `<w:p><w:pPr><w:pStyle w:val="Note"/></w:pPr>${run('Ask the boss.')}${run('Children pay half.', '<w:vanish w:val="0"/>')}</w:p>`;
    const body = `<w:p>${run('It costs ')}${ofStyle('60 ', 'Older')}${ofStyle('at least ', 'Again')}${ofStyle('30 euros.', 'Old', '<w:dstrike w:val="0"/>')}</w:p>${note}`;
    const files = docxFiles(paragraph('What does it cost?', 'Heading1') + body);
    const withStyles = { ...files, 'word/styles.xml': (files['word/styles.xml'] ?? '').replace('</w:styles>', `${styles}</w:styles>`) };
    expect(await read('prices.docx', zip(withStyles))).toEqual({
      'What does it cost?': 'It costs at least 30 euros.\n\nChildren pay half.',
    });
  });
});

describe('a document', () => {
  it('is stored if it has NUL and emoji, even where texts are cut', async () => {
    const id = await kb.importFile('a.csv', 'question,answer\nWhen\0?,At\0 nine \u{1F6B2}\uFEFF.\n');
    expect(await kb.status(id)).toBe('ready');
    expect((await kb.faqs())[0]?.answer).toContain('\u{1F6B2}');
    const title = `# A\0 bike ${'\u{1F6B2}'.repeat(1_000)}\n\nIt has a title without end.\n`;
    expect(await kb.status(await kb.importFile('a.md', title))).toBe('ready');
    const cut = `question,answer\nWhy?,x${'\u{1F6B2}'.repeat(9_000)}\n`;
    expect(await kb.status(await kb.importFile('b.csv', cut))).toBe('ready');
  });

  // Proves rule kb.73.
  it.each(['txt', 'md', 'csv'])('fails without charge if a .%s file is binary', async (ending) => {
    const before = await kb.balance();
    const id = await kb.importFile(`a.${ending}`, Buffer.from([0, 1, 2, 0x80, 0xff].flatMap((byte) => Array<number>(50).fill(byte))));
    expect(await kb.state(id)).toMatchObject({ status: 'failed', error_message: 'It is not text' });
    expect(await kb.balance()).toBe(before);
  });

  it('is stored with overlong questions and answers shortened', async () => {
    await kb.account({ credits: 100_000 });
    const id = await kb.importFile('a.csv', `question,answer\n${'Why '.repeat(5_000)}?,${'Because '.repeat(5_000)}.\n`);
    expect(await kb.status(id)).toBe('ready');
    const [faq] = await kb.faqs();
    expect(faq?.question.length).toBeLessThanOrEqual(10_000);
    expect(faq?.answer.length).toBeLessThanOrEqual(10_000);
  });
});
