import { describe, expect, it } from 'vitest';
import { kb, readPage, site, testKnowledge } from '../../../support/kb-prelude.ts';
import { answer } from '../../../support/site.ts';

testKnowledge();

const sentence = 'We look after gardens in Kiel and around it, and we have done so for forty years with great care.';
const text = (count = 4) => `<p>${`${sentence} `.repeat(2)}</p>`.repeat(count);

/** Reads a page. @returns its text below its headings */
async function read(body: string, title = 'Gardens'): Promise<Record<string, string>> {
  const faqs = await readPage(body, title);
  const others = Object.entries(faqs).map(([question, all]) => [
    question,
    all
      .replaceAll(sentence, '')
      .replaceAll(/\s*\n\s*/g, '\n')
      .trim(),
  ]);
  return Object.fromEntries(others) as Record<string, string>;
}

// Proves rule kb.67.
describe('what belongs to the content of a page without a main part', () => {
  it.each([
    [
      'a telephone number and opening times',
      `<div class="box"><h1>Gardens</h1><p>Phone 0431 555 010</p><div class="intro">${text()}</div><p>Open 8:00 - 18:00.</p></div>`,
      'Phone 0431 555 010\nOpen 8:00 - 18:00.',
    ],
    [
      'a table, in Japanese',
      `<div id="header"><h1>田中歯科</h1></div><div id="wrap"><div class="text">${'<p>当院は一九八八年に開院し、地域の皆様の歯の健康を守ってまいりました。お気軽にご相談ください。</p>'.repeat(6)}</div><table><tr><th>診療時間<td>9:00〜18:00<tr><th>電話<td>03-5550-0101</table></div>`,
      '診療時間 | 9:00〜18:00\n電話 | 03-5550-0101',
    ],
    [
      'what DocBook sets before the first section',
      `<div class="refentry"><div class="refnamediv"><h2>x</h2><p>x — the number</p></div><div class="refsection"><h2>About</h2>${text()}</div></div>`,
      'x — the number',
    ],
  ])('is %s', async (_, body, wanted) => {
    expect(Object.values(await read(`<div class="menu"><a href="/">Home</a></div>${body}`)).join('\n')).toContain(wanted);
  });

  it('is not the rules for comments', async () => {
    const page = `<div><h1>Gardens</h1><div class="text">${text(8)}</div><div>We welcome what you write below this text.</div></div>`;
    expect(await read(page)).toEqual({ Gardens: '' });
  });
});

// Proves rules kb.67, kb.92, kb.101 to kb.104.
it.each([
  [
    'between its title and its main part',
    `<div><h1>Gardens</h1><p>All about the work in our gardens.</p></div><main>${text()}</main>`,
    'All about the work in our gardens.',
  ],
  [
    'about a program, above the main part',
    `<div><h1>Gardens</h1><p>This module has bindings for JavaScript.</p></div><main>${text()}</main>`,
    'This module has bindings for JavaScript.',
  ],
  [
    'that ends with an accent',
    `<div><h1>Gardens</h1><p>Herzlich willkommen in unserem Café.</p></div><main>${text()}</main>`,
    'Herzlich willkommen in unserem Café.',
  ],
  [
    'after many line breaks',
    `<div><h1>Gardens</h1>${'<br>'.repeat(20_000)}</div><main>${text()}<p>Cut in March.</p></main>`,
    'Cut in March.',
  ],
  [
    'in a main part that is called like a bar, and has a form',
    `<div><h1>Gardens</h1></div><div>Asked 3 years ago</div><div id="mainbar" role="main">${text(8)}<p>Cut in March.</p><form><textarea></textarea></form></div>`,
    'Cut in March.',
  ],
  [
    'in most of a page, which has a form',
    `<div><h1>Gardens</h1></div><div>Asked 3 years ago</div><div id="mainbar">${text(8)}<p>Cut in March.</p><form><textarea></textarea></form></div>`,
    'Cut in March.',
  ],
  [
    'about cookies, where nothing is pressed',
    `<h1>Gardens</h1>${text()}<div class="row cookies"><h2>Our cookies</h2><p>Oat and nut.</p></div>`,
    'Oat and nut.',
  ],
  [
    'about cookies, with an address',
    `<h1>Gardens</h1><div class="cookie-policy"><h2>Data</h2>${text(8)}<p>Write to <a href="mailto:a@b.example">a@b.example</a>.</p></div>`,
    'Write to a@b.example.',
  ],
  [
    'about cookies, with links to parts and other pages',
    `<h1>Gardens</h1>${text()}<div class="cookie"><h3>Oat</h3><p>Oats and <a href="#h">honey</a>.</p><a class="btn" href="/oat">Order</a></div>`,
    'Oats and honey.',
  ],
  [
    'beside the form of a newsletter',
    `<main><h1>Gardens</h1>${text()}<div><p>Closed in August. Tel. 0431 555 010.</p><h3>Newsletter</h3><form><input type="email"></form></div></main>`,
    'Closed in August. Tel. 0431 555 010.',
  ],
  [
    'without an element, above the form of a newsletter',
    `<main><h1>Gardens</h1>${text()}<div>We are closed in August. <h3>Newsletter</h3><form><input type="email"></form></div></main>`,
    'We are closed in August.',
  ],
  [
    'in the foot of a box',
    `<main><h1>Gardens</h1>${text()}<article><h3>Lawn</h3><p>Cut.</p><footer>9 € a month</footer></article></main>`,
    '9 € a month',
  ],
  [
    'in a row that is called like a foot',
    `<main><h1>Gardens</h1>${text()}<table><tr><td>Lawn</td><td>9</td></tr><tr class="footer"><td>All</td><td>45</td></tr></table></main>`,
    'All | 45',
  ],
  [
    'in a line that is called like a foot',
    `<main><h1>Gardens</h1>${text()}<p class="footer">All prices include VAT.</p></main>`,
    'All prices include VAT.',
  ],
  [
    'in the heads of boxes',
    `<h1>Gardens</h1>${text()}<div class="plan"><header>Basic</header><p>19 €</p></div><div class="plan"><header>Family</header><p>29 €</p></div>`,
    'Family',
  ],
  [
    'in sentences below pictures that are most of a page',
    `<main><h1>Gardens</h1><div class="gallery">${'<div><img src="1.jpg"><p>The park has old trees, and a pond with ducks.</p></div>'.repeat(3)}</div></main>`,
    'The park has old trees, and a pond with ducks.',
  ],
  [
    'with a number, in a sidebar',
    `<main><h1>Gardens</h1>${text()}<div class="sidebar"><p>Call 01234 567890</p></div></main>`,
    'Call 01234 567890',
  ],
  [
    'in plans that are called like subscriptions',
    `<main><h1>Gardens</h1>${text()}${'<div class="subscription-plan"><div class="subscription-plan__header"><h3>Gym</h3></div><p class="subscription-plan__price">€29</p><ul class="subscription-plan__features"><li>All machines</li></ul></div>'.repeat(2)}</main>`,
    'All machines',
  ],
  [
    'in the foot of a card',
    `<main><h1>Gardens</h1>${text()}${['3 places left', 'Sold out'].map((foot) => `<div class="card"><h3>Roses</h3><p>In May.</p><div class="card-footer">${foot}</div></div>`).join('')}</main>`,
    'Sold out',
  ],
  [
    'in the foot of a card in a column',
    `<main><h1>Gardens</h1>${text()}<div class="row">${['€ 79', 'On request'].map((foot) => `<div class="col"><div class="card"><h3>Roses</h3><div class="card-footer">${foot}</div></div></div>`).join('')}</div></main>`,
    'On request',
  ],
  [
    'of a term, called like its writer',
    `<main><h1>Gardens</h1>${text()}<dl><dt>Guide</dt><dd class="author">Kim Novak</dd></dl></main>`,
    'Kim Novak',
  ],
  [
    'about consent, with a button that calls somebody',
    `<div><h1>Gardens</h1>${text()}<div class="consent"><h2>Consent</h2><p>Parents sign.</p><a class="btn" href="tel:+49123456">Call us</a></div></div>`,
    'Parents sign.',
  ],
  [
    'of a page about its newsletter',
    `<div class="content"><h1>Newsletter</h1><p>It appears each Monday.</p><form><input type="email"></form><p>You can leave it.</p></div>`,
    'You can leave it.',
  ],
  [
    'above a form to order something',
    `<main><h1>Gardens</h1>${text()}<section><h2>Subscribe to the veg box</h2><p>Delivered each Saturday.</p><form><input type="email"><select></select></form></section></main>`,
    'Delivered each Saturday.',
  ],
  ['that is a link to the ten best', `<main><h1>Gardens</h1>${text()}<p><a href="#top10">Top 10</a></p></main>`, 'Top 10'],
  [
    'called like what comes next',
    `<main><h1>Gardens</h1>${text()}<div class="next-ferry">Next ferry: 10:30</div></main>`,
    'Next ferry: 10:30',
  ],
  ['that says when', `<h1>Gardens</h1><p class="date">Saturday 12 October, 19:30</p>${text()}`, 'Saturday 12 October, 19:30'],
  [
    'in a sentence, called like something else',
    `<h1>Gardens</h1>${text()}<div class="related"><p>Bring your card and a letter.</p></div>`,
    'Bring your card and a letter.',
  ],
])('text %s is read', async (_, body, wanted) => {
  expect(Object.values(await read(body)).join('\n')).toContain(wanted);
});

// Proves rule kb.92.
it.each([
  [
    'stands below the name of the site',
    '<header><h1><a href="/">Tea</a></h1><div>Your basket is empty at the moment.</div></header>',
    'basket',
  ],
  ['a page says of cookies', '<div><h1>Gardens</h1><p>We use cookies on all of our pages.</p></div>', 'cookies'],
])('what %s above the main part is not read', async (_, head, other) => {
  expect(Object.values(await read(`${head}<main>${text()}</main>`)).join('\n')).not.toContain(other);
});

// Proves rules kb.67, kb.88, kb.100 to kb.104.
it.each([
  [
    'a hidden request after a section',
    `<div><h2>Work</h2>${text()}</div><div style="display:none"><p>Please log in to save this page.</p></div>`,
    'Please log in',
  ],
  [
    'comments that nobody has written',
    `<section><h2>Comments</h2><p>0 comments</p><p>Please <a href="/s">sign in</a> to leave a comment.</p></section>`,
    '0 comments',
  ],
  ['the heading of closed comments', '<h2>Comments</h2><p>0 comments</p><p>Article is closed for comments.</p>', 'omments'],
  ['the foot of a page in its main part', '<footer>© 2024 Gardens. All rights reserved.</footer>', 'All rights'],
  ['when a text was written', '<div class="date">12 October 2024, 19:30</div>', 'October'],
  ['pictures with captions', `<div class="gallery">${'<figure><img><figcaption>A tree.</figcaption></figure>'.repeat(3)}</div>`, 'A tree'],
  ['the foot of a company', '<footer>Gardens Ltd. Registered in England. VAT no. 12345.</footer>', 'Registered'],
  [
    'the foot of a teaser',
    '<ul><li><article><h3><a href="/a">Lawn</a></h3><footer>By Anna | 3 comments</footer></article></li></ul>',
    'Anna',
  ],
  ['names of pictures', `<div class="gallery">${'<img><span>IMG_001.jpg</span>'.repeat(100)}</div>`, 'IMG'],
  [
    'what stands below the form of a newsletter',
    '<div><h3>Newsletter</h3><form><input type="email"></form><p>No spam ever.</p></div>',
    'spam',
  ],
  ['a link to the top', '<p><a href="#top">Back to top</a></p>', 'Back to top'],
  ['a button to the next picture', '<div class="slide-next" role="button">Slide 2</div><div class="prev">Previous</div>', 'li'],
  [
    'a request among items',
    '<ul><li class="sku">SKU 12</li><li class="share">Share this</li><li class="rating">No rating</li></ul>',
    'Share this',
  ],
  ['a comment in a list of terms', '<dl><dt class="comment-author">Bob said</dt><dd class="comment-body">Great place</dd></dl>', 'Great'],
  [
    'the copyright of columns',
    `<div class="row">${'<div class="col"><p>Tea</p><div class="footer">© 2024 Gardens</div></div>'.repeat(2)}</div>`,
    '2024',
  ],
  ['a part of a box with links to other writers', '<div class="author"><div class="author__links">More by Jane</div></div>', 'Jane'],
  ['a link to the top, with an arrow', '<p><a href="#top">↑ Top</a></p><p><a href="#">Nach oben ↑</a></p>', 'op'],
  ['a link back to the text from a footnote', '<p id="fn1">See the map. <a href="#ref1">↩</a></p>', '↩'],
  ['what Joomla says of a text', '<dl class="article-info"><dt>Details</dt><dd class="createdby">Written by Anna</dd></dl>', 'Anna'],
  ['a link to the next page', '<div class="next"><a href="/2">Roses</a></div>', 'Roses'],
  ['a list of networks below a heading', '<h4>Share</h4><ul><li><a href="/f">Facebook</a></li><li><a href="/t">Twitter</a></li></ul>', 'a'],
  [
    'a list of networks below a line with a colon',
    '<p>Share this:</p><ul><li><a href="/f">Facebook</a></li><li><a href="/t">Twitter</a></li></ul>',
    'a',
  ],
  ['a link to the top, in Japanese', '<p><a href="#">ページトップへ</a></p>', 'ページ'],
  ['a link to the page before', '<p>上一篇:<a href="/1">如何付款</a></p>', '上一篇'],
  [
    'a list of networks below a line to share the page',
    '<span>Partager la page</span><ul><li><a href="/f">Facebook</a></li><li><a href="/t">Twitter</a></li></ul>',
    'a',
  ],
  ['what a newsletter says of itself', '<p><a href="/v">View this email in your browser</a></p>', 'View'],
  ['a link that prints, in a heading', '<h2>Cutting<a href="javascript:print()"><span>Print</span></a></h2><p>Now.</p>', 'Print'],
  ['a link that edits, in a heading', '<h2>Cutting<a href="/e"><span>Edit</span></a></h2><p>Now.</p>', 'Edit'],
])('%s is not read', async (_, body, other) => {
  const faqs = await read(`<main><h1>Gardens</h1>${text()}${body}</main>`);
  expect(Object.entries(faqs).flat().slice(1).join('\n')).not.toContain(other);
});

// Proves rule kb.101.
it.each([
  '<div id="cookie-banner"><h3>Cookies</h3><p>We use cookies.</p><a class="btn" href="#accept">Accept all</a></div>',
  '<div class="cookie-notice"><h3>Cookies</h3><p>We use cookies.</p><a class="button" href="?cookies=accept">OK</a></div>',
  '<div class="cookieconsent"><h2>Cookies</h2><p>We use cookies.</p><a href="#ok">OK</a></div>',
])('a cookie banner whose buttons are links is not read: %s', async (banner) => {
  expect(Object.entries(await read(`${banner}<h1>Gardens</h1>${text()}`)).join()).not.toMatch(/cookies/i);
});

// Proves rule kb.103.
it('the head of a page is not read, whatever stands beside it', async () => {
  const page = `<div><header>Acme Ltd, Call 0431 555 010</header></div><div><header><h1>Gardens</h1></header>${text()}</div>`;
  expect(await read(page)).toEqual({ Gardens: '' });
});

// Proves rule kb.92.
it.each(['12 March, 10:15', 'Saturday 12 October 2024, 19:30'])('a date that can be that of the text is not read: %s', async (date) => {
  expect(await read(`<h1>Gardens</h1><p class="date">${date}</p>${text()}`)).toEqual({ Gardens: '' });
});

// Proves rule kb.100.
it.each([
  ['<h2>1. <a href="javascript:void(0)">How do I pay?</a></h2>', '1. How do I pay?'],
  ['<h2>How to <a href="/glossary/print">print</a> a page</h2>', 'How to print a page'],
  ['<h2>We do <a href="/web">web</a>, <a href="/print">Print</a></h2>', 'We do web, Print'],
])('links that are words of a heading are read: %s', async (heading, name) => {
  expect(Object.keys(await read(`<main><h1>Gardens</h1>${text()}${heading}<p>Come in.</p></main>`)).join()).toContain(name);
});

// Proves rule kb.97.
describe('the heading of a page', () => {
  it.each([
    [
      'the heading, where the site stands first in the title',
      'Stadt Kiel - Opening times',
      '<div class="hero"><h1>Opening times</h1></div>',
      'Opening times',
    ],
    [
      'the title, where the heading leads to the first page',
      'Opening times - Stadt Kiel',
      '<h1><a href="/">Stadt Kiel</a></h1>',
      'Opening times',
    ],
    [
      'the title without the site and its subtitle',
      'Opening times - Stadt Kiel - Am Meer',
      '<div id="header"><h1><a href="/">Stadt Kiel</a></h1></div>',
      'Opening times',
    ],
    [
      'the title, with quotation marks before the site',
      'Opening times « Stadt Kiel',
      '<div id="header"><h1><a href="/">Stadt Kiel</a></h1></div>',
      'Opening times',
    ],
    [
      'the first heading, where one further down says the site',
      'Gasthof Adler - Prices',
      '<main><h2>Double room</h2><p>80 €</p><h2>Gasthof Adler</h2></main>',
      'Double room',
    ],
    [
      'the part of the title that a heading says',
      'Opening times - Forum',
      '<div role="banner"><h1>Forum</h1></div><h2>Opening times</h2>',
      'Opening times',
    ],
    [
      'the title, where another heading says it',
      'Old radios: Mending one',
      '<header><h1>Old radios</h1></header><h3>Mending one</h3>',
      'Mending one',
    ],
  ])('is %s', async (_, title, head, name) => {
    expect(await readPage(`${head}<main><p>From 8 to 12.</p></main>`, title)).toHaveProperty([name]);
  });

  it.each([
    ['in the head of the page', '/', '<header class="page"><h1>Menu</h1></header><main><p>From 12.</p></main>'],
    ['in the head of an article', '/index.html', '<main><article><header><h1>Menu</h1></header><p>From 12.</p></article></main>'],
  ])('is the heading %s, where a link to the first page, %s, has the name of the site', async (_, first, body) => {
    expect(await readPage(`<nav><a href="${first}">Gasthof Adler</a></nav>${body}`, 'Gasthof Adler - Menu')).toEqual({ Menu: 'From 12.' });
  });

  it('is the heading, where a link to a page of the first address has its name', async () => {
    const body = '<nav><a href="/?page_id=7">Menu</a></nav><main><h1>Menu</h1><p>From 12.</p></main>';
    expect(await readPage(body, 'Menu - Gasthof Adler')).toEqual({ Menu: 'From 12.' });
  });

  it('is the heading on the first page, where its link to itself has its name', async () => {
    const body = '<nav><a href="/">Menu</a></nav><main><h1>Menu</h1><p>From 12.</p></main>';
    const head = '<title>Menu - Gasthof Adler</title>';
    site.pages.set('/', answer(200, { 'content-type': 'text/html' }, `<html><head>${head}</head><body>${body}</body></html>`));
    await kb.status(await kb.importPage(site.url('/')));
    expect(await kb.answers()).toEqual({ Menu: 'From 12.' });
  });

  it('is not the other part where a link leads to the first page of another site', async () => {
    const body = '<h1><a href="/">Acme</a></h1><main><p>We use <a href="https://zendesk.example/">Zendesk</a>.</p></main>';
    expect(await readPage(body, 'Zendesk | Acme')).toEqual({ Zendesk: 'We use Zendesk.' });
  });

  it('is the title without the name of the site, where the page has no other', async () => {
    const body = '<div><a href="/">茶問屋みどり</a></div><div id="main"><p>全国一律500円です。5,000円以上で無料になります。</p></div>';
    expect(await readPage(body, 'よくあるご質問|茶問屋みどり')).toHaveProperty(['よくあるご質問']);
  });

  it('is the heading, where the page says that the other part is the name of the site', async () => {
    const head = '<title>Hours - Kiel</title><meta property="og:site_name" content="Kiel">';
    const body = '<h1>Hours</h1><main><p>8 to 12.</p><h2>Kiel</h2><p>A town.</p></main>';
    site.pages.set('/page', answer(200, { 'content-type': 'text/html' }, `<html><head>${head}</head><body>${body}</body></html>`));
    await kb.status(await kb.importPage(site.url('/page')));
    expect(await kb.answers()).toMatchObject({ Hours: '8 to 12.', Kiel: 'A town.' });
  });

  it('is the title, where the page says that the heading is the name of the site', async () => {
    const head = '<title>Hours - Kiel</title><meta property="og:site_name" content="Kiel">';
    site.pages.set(
      '/page',
      answer(
        200,
        { 'content-type': 'text/html' },
        `<html><head>${head}</head><body><h1>Kiel</h1><main><p>8 to 12.</p></main></body></html>`,
      ),
    );
    await kb.status(await kb.importPage(site.url('/page')));
    expect(await kb.answers()).toEqual({ Hours: '8 to 12.' });
  });
});

// Proves rules kb.67, kb.93, kb.97.
it.each<[string, string, Record<string, string>]>([
  [
    'an answer with a heading that repeats the title',
    '<details><summary>What is it?</summary><h3>Cake</h3><p>Very good food.</p></details>',
    { 'What is it?': 'Very good food.' },
  ],
  [
    'a heading that repeats the title',
    '<h2>Cake</h2><p>For eight.</p><h2>Storage</h2><p>Cold.</p>',
    { Cake: 'For eight.', Storage: 'Cold.' },
  ],
  [
    'a section after the article with the title',
    '<article><h1>Zimmer</h1><p>Hell.</p></article><section><h2>Preise</h2><p>80 €</p></section>',
    { Preise: '80 €' },
  ],
  [
    'text after an article that has only a heading',
    '<article><h2>Dr. Huber</h2></article><div><p>Heart.</p></div>',
    { 'Dr. Huber': 'Heart.' },
  ],
  [
    'text after a note with a heading',
    '<h2>Install</h2><h3>On Linux</h3><aside><h2>Warning</h2><p>Be quick.</p></aside><p>Then run it.</p>',
    { Warning: 'Be quick.', 'On Linux': 'Then run it.' },
  ],
  [
    'parts that are called like the page',
    '<h2>Berlin</h2><h3>Cake</h3><p>Plum.</p><h2>Bonn</h2><h3>Cake</h3><p>Nut.</p>',
    { 'Berlin: Cake': 'Plum.', 'Bonn: Cake': 'Nut.' },
  ],
  [
    'an entry without a heading after one that has one',
    '<article><h2>School closed</h2><p>All day.</p></article><article><p>Trains run.</p></article>',
    { 'School closed': 'All day.', Cake: 'Trains run.' },
  ],
  [
    'a unit that is spoken and shown',
    '<h2>Time</h2><p>45<span class="sr-only"> minutes</span> <span aria-hidden="true">mins</span></p>',
    { Time: '45 minutes' },
  ],
  [
    'lines of code with numbers',
    '<h2>Code</h2><pre><code><span class="line"><span class="ln">1</span><span class="cl">let a = 1;</span></span><span class="line"><span class="ln">2</span><span class="cl">send(a);</span></span></code></pre>',
    { Code: 'let a = 1;\nsend(a);' },
  ],
  [
    'text after a list within an item',
    '<h2>Options</h2><ul><li>Use one: <ul><li>slow</li></ul> It is not needed.</li><li>Stop</li></ul>',
    { Options: '- Use one:\n- - slow\nIt is not needed.\n- Stop' },
  ],
  [
    'the name of a photographer after a sentence',
    '<h2>Harbour</h2><div><span>A ferry in the harbour.</span><span>Photo: Tan</span></div>',
    { Harbour: 'A ferry in the harbour. Photo: Tan' },
  ],
  [
    'the kicker of a headline',
    '<h2><span>Infrastruktur</span><span>Warum Brücken fehlen</span></h2><p>Zu teuer.</p>',
    { 'Infrastruktur Warum Brücken fehlen': 'Zu teuer.' },
  ],
  [
    'a price above the name of a room',
    `<h2>Rooms</h2>${['€79 Single', '€119 Double'].map((room) => `<div class="room"><div class="room-info"><p class="price">from ${room.split(' ')[0]}</p><h3>${room.split(' ')[1]}</h3><p>One bed.</p></div></div>`).join('')}`,
    { Single: 'from €79\n\nOne bed.', Double: 'from €119\n\nOne bed.' },
  ],
  [
    'the panel of a radio button',
    '<div class="tabbed-set"><input type="radio" id="t1"><input type="radio" id="t2"><div class="tabbed-labels"><label for="t1">Linux</label><label for="t2">Windows</label></div><div class="tabbed-content"><div><p>Use apt.</p></div><div><p>Use the icon.</p></div></div></div>',
    { Linux: 'Use apt.', Windows: 'Use the icon.' },
  ],
  [
    'an answer in a nav element of Webflow',
    '<div class="accordion-toggle w-dropdown-toggle"><div class="accordion-heading">Hourly rate</div></div><nav class="accordion-content w-dropdown-list"><p>It is 40 each hour.</p></nav>',
    { 'Hourly rate': 'It is 40 each hour.' },
  ],
])('%s is read in its place', async (_, body, faqs) => {
  expect(await readPage(`<main><h1>Cake</h1>${body}</main>`, 'Cake')).toMatchObject(faqs);
});
