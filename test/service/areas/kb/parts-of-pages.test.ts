import { expect, it } from 'vitest';
import { readPage, testKnowledge } from '../../../support/kb-prelude.ts';

testKnowledge();

type Case = [name: string, body: string, faqs: Record<string, string>];

const intro = '<p>We look after gardens in Kiel.</p>';
const read = (body: string) => readPage(`<main><h1>Gardens</h1>${intro}${body}</main>`);

// Proves rule kb.67: what stands above the heading of a box is about the box.
it.each<Case>([
  [
    'dates of cards',
    '<div><div class="card"><div class="card__day">12 maj</div><h3>Jazz</h3><p>120 kr.</p></div><div class="card"><div class="card__day">18 maj</div><h3>Teater</h3><p>90 kr.</p></div></div>',
    { Jazz: '12 maj\n\n120 kr.', Teater: '18 maj\n\n90 kr.' },
  ],
  [
    'prices of plans',
    '<ul><li><p>9 €</p><h3>Basis</h3><p>Ein Platz.</p></li><li><p>beliebt</p><p>49 €</p><h3>Pro</h3><p>Zehn Plätze.</p></li></ul>',
    { Basis: '9 €\n\nEin Platz.', Pro: 'beliebt\n\n49 €\n\nZehn Plätze.' },
  ],
  [
    'dates with a class of their own',
    '<div class="spectacle"><div class="date"><span>12</span> <span>mai</span></div><div><h2>Tartuffe</h2><p>Comédie.</p></div></div><div class="spectacle"><div class="date"><span>14</span> <span>mai</span></div><div><h2>Le Cid</h2><p>Tragédie.</p></div></div>',
    { Tartuffe: '12 mai\n\nComédie.', 'Le Cid': '14 mai\n\nTragédie.' },
  ],
])('%s belong to the heading below them', async (_, body, faqs) => {
  expect(await read(body)).toMatchObject(faqs);
});

it('a long text above a heading belongs to the heading before', async () => {
  const box = (text: string, name: string) => `<div class="part"><p>${text}</p><h3>${name}</h3><p>${name} is done by hand.</p></div>`;
  const text = 'We come to you on every day of the week, and take all cuttings with us when we leave in the evening.';
  expect(await read(box(text, 'Mowing') + box(text, 'Pruning'))).toMatchObject({ Mowing: `Mowing is done by hand.\n\n${text}` });
});

// Proves rule kb.67: tabs and panels without roles.
const tabs = { Versand: 'Drei Tage.', Rückgabe: 'Dreißig Tage.' };
it.each<Case>([
  [
    'buttons with panels after them',
    '<div class="tab"><button class="tablinks">Versand</button><button class="tablinks">Rückgabe</button></div><div class="tabcontent">Drei Tage.</div><div class="tabcontent">Dreißig Tage.</div>',
    tabs,
  ],
  [
    'links to nowhere with panels in one element',
    '<ul><li class="tab_0"><a href="#">Versand</a></li><li class="tab_1"><a href="#">Rückgabe</a></li></ul><div><div class="pb_tab"><div>Drei Tage.</div></div><div class="pb_tab"><div>Dreißig Tage.</div></div></div>',
    tabs,
  ],
  [
    'links to panels',
    '<ul class="nav nav-tabs"><li><a href="#t1">Versand</a></li><li><a href="#t2">Rückgabe</a></li></ul><div class="tab-content"><div class="tab-pane" id="t1">Drei Tage.</div><div class="tab-pane" id="t2">Dreißig Tage.</div></div>',
    tabs,
  ],
  [
    'links to parts of which one is hidden',
    '<ul><li><a href="#one">Versand</a></li><li><a href="#two">Rückgabe</a></li></ul><div><div id="one"><p>Drei Tage.</p></div><div id="two" style="display:none"><p>Dreißig Tage.</p></div></div>',
    tabs,
  ],
  [
    'an accordion whose panels are wrapped',
    '<div><div role="button" aria-controls="p1"><p>Versand</p></div><div><div><div role="region" id="p1"><p>Drei Tage.</p></div></div></div></div><div><div role="button" aria-controls="p2"><p>Rückgabe</p></div><div><div><div role="region" id="p2"><p>Dreißig Tage.</p></div></div></div></div>',
    tabs,
  ],
  [
    'labels of checkboxes',
    '<input id="a" type="checkbox"><label for="a">Versand</label><div class="ac-panel"><p>Drei Tage.</p></div><input id="b" type="checkbox"><label for="b">Rückgabe</label><div class="ac-panel"><p>Dreißig Tage.</p></div>',
    tabs,
  ],
])('the names of %s are headings', async (_, body, faqs) => {
  expect(await read(`${body}<p>Danach.</p>`)).toEqual({ ...faqs, Gardens: expect.stringMatching(/Danach\.$/) });
});

it('bold questions with a color are headings', async () => {
  const line = (text: string) => `<p><span style="color:#333"><strong>${text}</strong></span></p>`;
  const faqs = { 'Wann?': 'Um neun.', 'Wo?': 'Am Markt.' };
  expect(await read(`${line('Wann?')}<p>Um neun.</p>${line('Wo?')}<p>Am Markt.</p>`)).toMatchObject(faqs);
});

it('an icon, and a sign to open, are no part of a heading', async () => {
  const icon = (name: string) => `<i class="material-icons">${name}</i>`;
  const question = `<button aria-expanded="false" aria-controls="f">Dogs?${icon('expand_more')}</button><div id="f"><p>Yes.</p></div>`;
  const label = '<div class="faq-question"><span>Cats</span><span>+</span></div><div class="faq-answer">No.</div>';
  expect(await read(`<h2>${icon('schedule')}Hours</h2><p>9 to 5.</p>${label}${question}`)).toMatchObject({
    Hours: '9 to 5.',
    Cats: 'No.',
    'Dogs?': 'Yes.',
  });
});

it('a part that is opened far from its button is not shown', async () => {
  const cart = '<div id="cart" hidden><p>Your cart has SECRETS.</p></div>';
  expect(
    JSON.stringify(await read(`<h2><button aria-controls="cart">Cart</button></h2><p>Below.</p><p>More.</p><div>${cart}</div>`)),
  ).not.toContain('SECRETS');
});

// Proves rule kb.67: tables and rows.
it.each([
  [
    'headings of columns',
    '<table><tr><th></th><th><h3>Basis</h3></th><th><h3>Pro</h3></th></tr><tr><td>Preis</td><td>9 €</td><td>19 €</td></tr></table>',
    '| Basis | Pro\nPreis | 9 € | 19 €',
  ],
  [
    'cells of several rows',
    '<table><tr><td rowspan="2">Damen</td><td>kurz</td><td>30 €</td></tr><tr><td>lang</td><td>45 €</td></tr></table>',
    'Damen | kurz | 30 €\nDamen | lang | 45 €',
  ],
  [
    'cells of several rows beside empty and wide ones',
    '<table><tr><td rowspan="70"></td><td>kurz</td><td>30 €</td><td rowspan="70">ab Mai</td></tr><tr><td colspan="2">nach Absprache</td></tr></table>',
    '| kurz | 30 € | ab Mai\nnach Absprache | ab Mai',
  ],
  [
    'cells of several columns',
    '<table><tr><th colspan="5">Zimmer</th></tr><tr><th></th><th colspan="2">Sommer</th><th colspan="2">Winter</th></tr><tr><td>Süd</td><td>1</td><td>2</td><td>3</td><td>4</td></tr></table>',
    'Zimmer\n| Sommer | Sommer | Winter | Winter\nSüd | 1 | 2 | 3 | 4',
  ],
  ['columns of words', '<div><span>Montag</span><span>geschlossen</span></div>', 'Montag geschlossen'],
  ['an empty column', '<div><span>Soupe</span><span></span><span>9 €</span></div>', 'Soupe 9 €'],
  ['columns of items', '<ul><li><span>Material</span><span>Wolle</span></li></ul>', '- Material Wolle'],
  ['a link beside a word', '<p><a href="/x">Damen</a><span>ab 40 €</span></p>', 'Damen ab 40 €'],
  ['cents', '<p><span>49</span><sup>99</sup> €</p>', '49 99 €'],
  ['letters with a style', '<p><span>W</span><span>elcome</span> auto<b>mobil</b></p>', 'Welcome automobil'],
  ['a former price', '<p><span class="price-old">99 €</span> <span class="price-new">79 €</span></p>', '79 €'],
])('%s are read as they are seen', async (_, body, text) => {
  expect(await read(`<h2>Here</h2>${body}`)).toMatchObject({ Here: text });
});

// Proves rule kb.92: boxes beside short answers.
it.each<Case>([
  [
    'an article with the question whether it helped',
    '<div class="text"><h2>Rückgabe</h2><p>Dreißig Tage.</p><div><p>War diese Seite hilfreich?</p><button>Ja</button></div></div><div><h2>Fragen</h2><p>Rufen Sie uns an.</p></div>',
    { Rückgabe: 'Dreißig Tage.', Fragen: 'Rufen Sie uns an.' },
  ],
  [
    'columns beside a newsletter',
    '<div class="row"><div><h3>Newsletter</h3><form><input type="email"></form></div><div><h3>Zeiten</h3><p>Mo–Fr 9–17 Uhr</p></div></div>',
    { Zeiten: 'Mo–Fr 9–17 Uhr' },
  ],
  [
    'a subscription with a price',
    '<div><h2>Abonnement</h2><p>8 Abende für 120 €, jederzeit kündbar.</p><form><input type="email"></form></div>',
    { Abonnement: '8 Abende für 120 €, jederzeit kündbar.' },
  ],
  [
    'sections about cookies and consent',
    '<section id="cookie-consent"><h2>Widerruf</h2><p>Sie können jederzeit widerrufen.</p></section><h2 id="cookie-notice">Cookies</h2><p>Nur notwendige.</p>',
    { Widerruf: 'Sie können jederzeit widerrufen.', Cookies: 'Nur notwendige.' },
  ],
])('%s is read', async (_, body, faqs) => {
  expect(await read(body)).toEqual({ Gardens: 'We look after gardens in Kiel.', ...faqs });
});

it.each([
  'War diese Seite hilfreich?',
  'Avez-vous trouvé la réponse à votre question ?',
  'Esse artigo foi útil?',
  'Czy ten artykuł był pomocny?',
  'Bu makale yardımcı oldu mu?',
  'Была ли эта статья полезной?',
  'هل كان هذا المقال مفيداً؟',
  'この記事は役に立ちましたか？',
  '这篇文章有帮助吗？',
  '이 문서가 도움이 되었나요?',
])('the question whether a page helped is left out: %s', async (question) => {
  expect(await read(`<div><p>${question}</p><p>12 of 15</p></div>`)).toEqual({ Gardens: 'We look after gardens in Kiel.' });
});

it.each([
  'İlgili Yazılar',
  '関連商品',
  '相关产品',
  '관련 기사',
  'Zobacz także',
  'Läs också',
  'С этим товаром покупают',
  'Leia também',
  'اقرأ أيضا',
])('links to other pages are left out below "%s"', async (heading) => {
  const links = ['Autumn', 'Winter', 'Spring'].map((name) => `<li><a href="/${name}">${name} in the garden</a></li>`);
  expect(await read(`<h2>${heading}</h2><ul>${links.join('')}</ul>`)).toEqual({ Gardens: 'We look after gardens in Kiel.' });
});

const long = '<p>Unsere Vasen werden seit hundert Jahren von Hand in Bayern geblasen und sorgfältig verpackt verschickt.</p>'.repeat(12);

// Proves rule kb.67: pages that do not mark their main part.
it.each<Case>([
  [
    'a section after the text with the title',
    `<div class="wrap"><div class="text"><h1>Vase</h1>${long}</div><div class="more"><h2>Versand</h2><p>In drei Tagen.</p></div></div>`,
    { Versand: 'In drei Tagen.' },
  ],
  [
    'a column beside the text',
    `<div class="row"><div class="col-8"><h1>Kurs</h1>${long}</div><div class="col-4"><div><h3>Auf einen Blick</h3><ul><li>120 €</li></ul></div></div></div>`,
    { 'Auf einen Blick': '- 120 €' },
  ],
  [
    'a price beside the title',
    `<div class="product"><div class="buy"><h1>Vase</h1><div class="price">49 €</div></div><div class="description"><h2>Herkunft</h2>${long}</div></div>`,
    { Vase: '49 €' },
  ],
  [
    'parts with times and prices alone',
    `<div class="page"><div class="a"><h2>Willkommen</h2>${long}</div><div class="b"><h2>Zeiten</h2><ul><li>Mo 9–12</li></ul></div><div class="c"><h2>Preise</h2><table><tr><td>Schnitt</td><td>30 €</td></tr></table></div></div>`,
    { Zeiten: '- Mo 9–12', Preise: 'Schnitt | 30 €' },
  ],
])('%s is read with it', async (_, body, faqs) => {
  expect(await readPage(body, 'Glas')).toMatchObject(faqs);
});

it('a style of the body hides nothing', async () => {
  const page = `<div style="display:none"><h1>Vase</h1>${long}</div><p>Loading.</p>`;
  expect(JSON.stringify(await readPage(`<div style="margin:0">${page}</div>`))).toContain('Bayern');
});

it('one article of a list without a link does not make teasers of the others', async () => {
  const rooms = ['Blue', 'Red', 'Green'].map(
    (name) => `<article><h3><a href="/${name}">${name} room</a></h3><p>A view of the ${name} lake.</p></article>`,
  );
  const faqs = await readPage(`<div>${rooms.join('')}<article><h3>Attic</h3><p>For one person.</p></article></div>`);
  expect(faqs).toMatchObject({ 'Blue room': 'A view of the Blue lake.', Attic: 'For one person.' });
});

it.each([
  ['Rekrutacja – Szkoła nr 4', `<div id="header"><h1>Szkoła nr 4 w Olsztynie</h1></div><div class="entry">${long}</div>`, 'Rekrutacja'],
  ['よくあるご質問｜みどり整骨院', '<header><h1>みどり整骨院</h1></header><main><p>保険は使えます。</p></main>', 'よくあるご質問'],
])('the first heading of %s is no name of the site', async (title, page, heading) => {
  expect(await readPage(page, title)).toHaveProperty([heading]);
});

// Proves rule kb.70.
it('an answer in JSON-LD with escaped signs has no tags', async () => {
  const text = '&lt;p&gt;Drei Tage.&lt;/p&gt;';
  const data = { '@type': 'FAQPage', mainEntity: [{ '@type': 'Question', name: 'Wann?', acceptedAnswer: { text } }] };
  expect(await readPage(`<script type="application/ld+json">${JSON.stringify(data)}</script>`)).toMatchObject({ 'Wann?': 'Drei Tage.' });
});

it('short pages in Chinese are read without their menu', async () => {
  const text = '本店提供七天无理由退货服务，请在收到商品后联系客服办理，运费由买家承担，质量问题除外。'.repeat(8);
  const faqs = await readPage(
    `<div class="top"><span>登录</span> <span>购物车</span></div><div class="text"><h1>退货</h1><p>${text}</p></div>`,
  );
  expect(JSON.stringify(faqs)).not.toContain('购物车');
});

// What looks like the above, and is not.
it.each<Case>([
  [
    'a list of prices',
    '<ul><li class="price-list-item">Damen 30 €</li><li class="price-list-item">Herren 20 €</li></ul>',
    { Here: '- Damen 30 €\n- Herren 20 €' },
  ],
  [
    'the price beside a former one',
    '<p class="product-price with-list-price">189 €</p><span><span class="list-price-price">239 €</span></span>',
    { Here: expect.stringContaining('189 €') as string },
  ],
  [
    'an answer below a button in a heading in a box',
    '<div><div class="card-header"><h3><button aria-controls="c">Kosten</button></h3></div><div id="c" class="body"><div>9 €</div></div></div><p>Danach.</p>',
    { Kosten: '9 €', Here: 'Danach.' },
  ],
  [
    'what a button with quotes in its id opens',
    `<div><h3><button aria-controls='a"]b'>Kosten</button></h3></div><div><div id='a"]b'><p>9 €</p></div></div>`,
    { Kosten: '9 €' },
  ],
  [
    'texts of radio buttons',
    '<input type="radio" id="a"><label for="a">Monatlich</label><input type="radio" id="b"><label for="b">Jährlich</label><div>9 €</div><div>90 €</div>',
    { Here: expect.stringMatching(/9 €\n\n90 €$/) as string },
  ],
  [
    'a note in an item',
    '<ul><li><code>posixsem</code><p>Locks</p><div class="warning"><h4>Warning</h4><p>It is slow.</p></div></li><li><code>sysvsem</code><p>Older</p><div class="warning"><h4>Warning</h4><p>It is old.</p></div></li></ul>',
    { Here: 'posixsem\n\nLocks' },
  ],
  [
    'boxes with the heading of a group between them',
    '<h2>Eins</h2><div class="w"><p>99 €</p><h3>Maße</h3><p>10 cm</p></div><h2>Zwei</h2><div class="w"><p>199 €</p><h3>Größe</h3><p>20 cm</p></div>',
    { Eins: '99 €', Zwei: '199 €' },
  ],
  [
    'numbers of questions',
    '<div class="faq"><details><summary><span>01</span><h4>Was kostet es?</h4></summary><p>9 €.</p></details></div><div class="faq"><details><summary><span>02</span><h4>Wo?</h4></summary><p>Hier.</p></details></div>',
    { '01 Was kostet es?': '9 €.', '02 Wo?': 'Hier.' },
  ],
  [
    'parts of words',
    '<p><span>Die Anmel</span><span>dung ist kosten</span><span>los.</span></p>',
    { Here: 'Die Anmeldung ist kostenlos.' },
  ],
  ['parts of Chinese', '<div><span>我们的公司位</span><span>于北京市</span></div>', { Here: '我们的公司位于北京市' }],
  ['powers', '<p>Up to 2<sup>32</sup> rows.</p>', { Here: 'Up to 2^32 rows.' }],
  [
    'cells without text, and sums',
    '<table><tr><td rowspan="2"></td><th>Note</th></tr><tr><td>It is safe.</td></tr><tr><td colspan="3">Summe</td><td>200 €</td></tr></table>',
    { Here: '| Note\nIt is safe.\nSumme | 200 €' },
  ],
  [
    'buttons that turn pages',
    '<div><button>Zurück</button><button>Weiter</button></div><div><div class="panel">Toll.</div><div class="panel">Gerne.</div></div>',
    { Here: 'Toll.\n\nGerne.' },
  ],
  ['a sign in a name', '<h3>Google<b>+</b></h3><p>Gone.</p>', { 'Google+': 'Gone.' }],
  [
    'a heading with an anchor about cookies',
    '<h3><a id="cookiedomain">CookieDomain</a> Directive</h3><p>The domain.</p>',
    { 'CookieDomain Directive': 'The domain.' },
  ],
  [
    'an address below the question whether it helped',
    '<div><h3>Wurde Ihre Frage beantwortet?</h3><p>Wenn nicht, schreiben Sie an info@firma.example.</p></div>',
    { Here: 'Wenn nicht, schreiben Sie an info@firma.example.' },
  ],
])('%s stay as they are', async (_, body, faqs) => {
  expect(await read(`<h2>Here</h2>${body}`)).toMatchObject(faqs);
});

it('a table of cells that span all rows and columns is no longer than a page', async () => {
  const cell = '<th colspan="50" rowspan="50">A name of columns and of rows</th>';
  const rows = Array.from({ length: 60 }, () => `<tr>${cell.repeat(20)}</tr>`).join('');
  expect(Object.values(await read(`<h2>Here</h2><table>${rows}</table>`)).join('').length).toBeLessThan(200_000);
});

it('the heading of a page of code names is that of its title', async () => {
  expect(await readPage(`<header><h1>API</h1></header><main><p>It reads a name.</p></main>`, 'get_user_name | API')).toHaveProperty(
    'get_user_name',
  );
});
