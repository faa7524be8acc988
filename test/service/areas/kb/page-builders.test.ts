import { expect, it } from 'vitest';
import { readPage, testKnowledge } from '../../../support/kb-prelude.ts';

testKnowledge();

const long = `<p>${'We look after gardens in Bristol, mow lawns, and take all cuttings with us. '.repeat(8)}</p>`;
const hours = '<h2>Hours</h2><p>Monday to Friday 8 to 17, Saturday 9 to 12.</p>';
const prices = '<h2>Prices</h2><p>Mowing costs £35 an hour.</p>';

// Proves rule kb.67: what site builders make of parts that a visitor sees as equal.
it.each([
  ['containers with classes of their own', ['e-con e-1a', 'e-con e-2b', 'e-con e-3c']],
  ['parts named by what they are about', ['about', 'opening', 'costs']],
])('a page of %s is read whole', async (_, [first, second, third]) => {
  const parts = `<div class="${first}"><h1>Gardens</h1>${long}</div><div class="${second}">${hours}</div><div class="${third}">${prices}</div>`;
  const boxes = '<div class="share"><h2>Share this</h2><p>Tell your friends about us today.</p></div>';
  const faqs = await readPage(`<div class="page">${parts}</div>${boxes}`);
  expect(faqs).toMatchObject({ Hours: 'Monday to Friday 8 to 17, Saturday 9 to 12.', Prices: 'Mowing costs £35 an hour.' });
  expect(faqs).not.toHaveProperty('Share this');
});

it('the preamble of AsciiDoc is read with the sections after it', async () => {
  const header = '<div id="header"><h1>Gardens</h1></div>';
  const sections = `<div class="sect1"><h2>Later</h2><div class="sectionbody">${long}</div></div><div id="footer">2026</div>`;
  const preamble = '<div id="preamble"><div class="sectionbody"><p>WANTED are those who dig.</p></div></div>';
  expect(await readPage(`${header}<div id="content">${preamble}${sections}</div>`)).toMatchObject({ Gardens: 'WANTED are those who dig.' });
});

it('boxes called alike below a long article are no parts of it', async () => {
  const article = `<div class="prose"><h1>Coffee</h1>${long}</div>`;
  const boxes = ['Get it in your inbox', 'Written by Ann'].map(
    (name) => `<div class="mt-10"><h3>${name}</h3><p>One mail a month, and no more.</p></div>`,
  );
  expect(await readPage(`<div>${article}${boxes.join('')}</div>`)).toEqual({ Coffee: expect.any(String) });
});

it('a section of articles is read with the sections beside it', async () => {
  const articles = [
    ['Colour', 'From £60, with a free patch test two days before.'],
    ['Cuts', '£38, and £24 for children under twelve.'],
  ].map(([name, text]) => `<article><h3>${name}</h3><p>${text}</p></article>`);
  expect(await readPage(`<section><h2>Services</h2>${articles.join('')}</section><section>${hours}</section>`)).toHaveProperty('Hours');
});

// Proves rules kb.67, kb.92: names and marks that are clutter elsewhere.
it.each([
  [
    'cards that lead nowhere yet',
    '<p id="top">Most jobs are done the same day.</p><div><a href="#"><h3>Oil change</h3><p>WANTED</p></a><a href="#"><h3>Brakes</h3><p>£120.</p></a></div>',
  ],
  [
    'cards that lead to one part',
    '<p id="book">Call us to book a day.</p><ul><li><a href="#book">Oil change £49 WANTED</a></li><li><a href="#book">Brakes £120</a></li></ul>',
  ],
  ['a date of an event', '<div class="event-item"><div class="date">WANTED 2026</div><h3>Jazz night</h3><p>Free entry.</p></div>'],
  [
    'a price in a line of facts',
    '<h2>Hot stone</h2><p>Warm stones on your back.</p><div class="treatment-meta"><span>90 min</span> <span>£95 WANTED</span></div>',
  ],
  ['a term with an anchor of its own', '<dl><dt id="option-skip_empty">skip_WANTED</dt><dd>Leaves out what has no text.</dd></dl>'],
  ['facts of a product', '<h2>Vase</h2><p>Made by hand.</p><div class="product_meta"><span>SKU: WANTED</span></div>'],
  [
    'the members of a team',
    '<p>We are five.</p><div class="team-member"><h3>Dr. Ann Lowe</h3><p class="doctor-bio">WANTED, a dentist since 2004, sees children on Tuesdays.</p></div>',
  ],
  [
    'a sidebar with a number beside its form',
    '<p>Three bedrooms.</p><div class="sidebar"><h3>Your agent</h3><p>WANTED, 01947 555010.</p><form><input type="text" name="n"></form></div>',
  ],
  [
    'articles with prices',
    '<p>All rooms have a view of the lake, a bath and a balcony. Breakfast is served from 7 to 10 in the garden room.</p><article><h3><a href="/r/1">Double room</a></h3><p>WANTED, from £120 a night.</p></article><article><h3><a href="/r/2">Family room</a></h3><p>From £160 a night.</p></article>',
  ],
  [
    'a panel below a label',
    '<p>We ship with DHL.</p><div class="toggle-title">Shipping costs</div><div class="toggle-content" style="display:none"><p>WANTED in the UK.</p></div>',
  ],
  [
    'an answer in a dropdown',
    '<div class="w-dropdown"><div class="w-dropdown-toggle"><div>Which banks work with Tally?</div></div><nav class="w-dropdown-list"><p>All banks, WANTED. See <a href="/banks">the list</a>.</p></nav></div>',
  ],
])('a page keeps %s', async (_, body) => {
  const faqs = await readPage(`<main><h1>Gardens</h1>${body}</main>`);
  expect(Object.entries(faqs).flat().join('\n')).toContain('WANTED');
});

it('what a layout has is not what an element is', async () => {
  const body = `<div class="banner-wrap"><h2>Welcome</h2><p>We are a church in Springfield.</p></div><div class="not-footer"><h2>Services</h2><div>Sundays at 9 and 11 am, and the church café is open after both of them.</div><form><input type="text" name="u"></form></div>`;
  expect(await readPage(body)).toEqual({
    Welcome: 'We are a church in Springfield.',
    Services: 'Sundays at 9 and 11 am, and the church café is open after both of them.',
  });
});

// Proves rule kb.67: labels are headings, and text stays with its own.
it.each<[string, string, Record<string, string>]>([
  [
    'headings in boxes of their own',
    '<div class="menu-title"><h2>Starters</h2></div><p>Soup £5</p><div class="menu-title"><h2>Mains</h2></div><p>Steak £19</p>',
    { Starters: 'Soup £5', Mains: 'Steak £19' },
  ],
  [
    'text after what a click opens',
    '<details><summary>Can I pay cash?</summary><p>Yes.</p></details><p>Our hotline is open from 9.</p><dl><dt>Saturday</dt><dd>closed</dd></dl><p>Dogs are welcome.</p>',
    { 'Can I pay cash?': 'Yes.', Saturday: 'closed', Gardens: 'Our hotline is open from 9.\n\nDogs are welcome.' },
  ],
  [
    'a button that says what it opens by its place',
    '<h2>Can I pay by card?</h2><p>Yes.</p><div><button type="button" aria-expanded="false">Cancellation</button><div><p>Free until 24 hours before.</p></div></div>',
    { 'Can I pay by card?': 'Yes.', Cancellation: 'Free until 24 hours before.' },
  ],
  [
    'a button in a term',
    '<dl><dt><button aria-expanded="false">Data</button></dt><dd>In Ireland.</dd><dt><button aria-expanded="false">Price</button></dt><dd>9 €</dd></dl>',
    { Data: 'In Ireland.', Price: '9 €' },
  ],
  [
    'a button in the head of a panel',
    '<div class="accordion-head"><button>Emergencies</button></div><div class="accordion-panel"><p>Call us at night too.</p></div>',
    { Emergencies: 'Call us at night too.' },
  ],
  [
    'tabs that are links',
    '<div><ul><li><a href="#tabs-1">Germany</a></li><li><a href="#tabs-2">France</a></li></ul><div id="tabs-1"><p>Costs 5 €.</p></div><div id="tabs-2"><p>Costs 9 €.</p></div></div>',
    { Germany: 'Costs 5 €.', France: 'Costs 9 €.' },
  ],
  [
    'tabs in the order of their panels',
    '<div><ul role="tablist"><li role="tab">npm</li><li role="tab">Yarn</li></ul><div><div role="tabpanel">npm install</div><div role="tabpanel" hidden>yarn add</div></div></div>',
    { npm: 'npm install', Yarn: 'yarn add' },
  ],
  [
    'questions in lists',
    '<ul class="toggle"><li><details open><summary>Is there a boat?</summary><p>Yes, the key is in the hall.</p></details></li></ul><ul class="toggle"><li><details open><summary>Where is the key?</summary><p>In the box.</p></details></li></ul>',
    { 'Is there a boat?': 'Yes, the key is in the hall.', 'Where is the key?': 'In the box.' },
  ],
  [
    'questions that their class names',
    '<div><div class="faq-question">Do you tow?</div><div class="faq-answer">Yes, within 20 miles.</div></div><div><div class="faq-question">Cards</div><div class="faq-answer">Visa only.</div></div>',
    { 'Do you tow?': 'Yes, within 20 miles.', Cards: 'Visa only.' },
  ],
  [
    'questions in bold lines',
    '<p><strong>Do you tow?</strong></p><p>Yes.</p><p><b>Do you take cards?</b></p><p>Visa only.</p>',
    { 'Do you tow?': 'Yes.', 'Do you take cards?': 'Visa only.' },
  ],
  [
    'questions in bold lines of paragraphs',
    '<p><strong>Do you tow?</strong><br>Yes.</p><p><b>Do you take cards?</b><br>Visa only.</p><p><b>Is it far?</b> No.</p>',
    { 'Do you tow?': 'Yes.', 'Do you take cards?': 'Visa only.\n\nIs it far? No.' },
  ],
  [
    'a bold question to the reader',
    '<p>We are new here.</p><p><strong>Are you ready?</strong></p><p>Come in.</p>',
    { Gardens: 'We are new here.\n\nAre you ready?\n\nCome in.' },
  ],
  [
    'columns without white space between them',
    '<div class="flex justify-between"><span>Yoga</span><span>Monday</span></div><div><span>Zone 2</span><span>8 €</span></div><div><span>£</span><span>11</span><span>.50</span></div><div><span>H</span><span>ello</span></div><p>m<sup>2</sup> and <b>H</b><sub>2</sub></p>',
    { Gardens: 'Yoga Monday\n\nZone 2 8 €\n\n£11.50\n\nHello\n\nm2 and H2' },
  ],
  [
    'a form without what it says when it was sent',
    '<p>We answer within a day.</p><h2>Ready to start?</h2><div class="w-form"><form><input type="email" name="email"></form><div class="w-form-done"><div>Thank you! Your submission has been received!</div></div><div class="w-form-fail"><div>Oops! Something went wrong.</div></div></div>',
    { Gardens: 'We answer within a day.' },
  ],
  [
    'one property without others',
    '<p>Three bedrooms.</p><h2>Similar properties</h2><ul><li><a href="/1"><h3>4 Church Lane</h3><p>£310,000</p></a></li><li><a href="/2"><h3>Sandsend Villa</h3><p>£690,000</p></a></li></ul>',
    { Gardens: 'Three bedrooms.' },
  ],
])('a page has %s', async (_, body, faqs) => {
  expect(await readPage(`<main><h1>Gardens</h1>${body}</main>`)).toEqual(faqs);
});

const text = 'We open at nine on every day of the week.';
const under = { Gardens: text };

// Proves rules kb.67, kb.90, kb.92: what looks like a label, a part or a price, and is none.
it.each<[string, string, Record<string, string>]>([
  [
    'a button for a dialog that a script makes',
    `<button aria-haspopup="dialog" aria-expanded="false" aria-controls="radix-1">Size guide</button><p>${text}</p>`,
    under,
  ],
  [
    'a button after a text',
    `<div>${text}</div><button aria-expanded="false">Show more</button><p>Breakfast.</p>`,
    { Gardens: `${text}\n\nBreakfast.` },
  ],
  ['a button of a menu', `<button aria-expanded="false">Menu</button><nav><a href="/a">A</a></nav><div>${text}</div>`, under],
  [
    'a button that shares',
    `<button aria-expanded="false">Share</button><div class="share-menu" hidden>Copy this address.</div><p>${text}</p>`,
    under,
  ],
  [
    'a note within a sentence',
    `<p>We open <button aria-expanded="false">i</button><span hidden>Not always.</span>at nine on every day of the week.</p>`,
    under,
  ],
  [
    'a note on a word',
    `<p>We open <span class="tooltip-trigger">at nine</span><span class="tooltip-content"> (local time)</span>.</p>`,
    { Gardens: 'We open at nine (local time).' },
  ],
  [
    'a menu that a class hides',
    `<button class="js-menu-toggle">Menu</button><div class="mega-nav" hidden><p>Find your course here.</p></div><p>${text}</p>`,
    under,
  ],
  [
    'links that skip to its parts',
    `<div><a href="#content">Skip to content</a><a href="#end">Skip to the end</a></div><div><p>Hi.</p></div><div id="content"><p>${text}</p></div><div id="end"></div>`,
    { Gardens: `Hi.\n\n${text}` },
  ],
  ['the buttons of a slider', `<div id="c" class="carousel"><a href="#c">Previous</a><a href="#c">Next</a><p>${text}</p></div>`, under],
  [
    'the numbers of a slider',
    `<div><a href="#p1">1</a><a href="#p2">2</a></div><div id="p1"><p>${text}</p></div><div id="p2"></div>`,
    under,
  ],
  [
    'a question of a poll',
    `<p>${text}</p><div class="poll"><div class="poll-question">Should it be free?</div><ul><li>Yes 40%</li></ul></div><p>Buses run.</p>`,
    { Gardens: `${text}\n\nShould it be free?\n\n- Yes 40%\n\nBuses run.` },
  ],
  [
    'a quiz in bold lines',
    `<p><b>Is it red?</b></p><p><b>Is it blue?</b></p><p>${text}</p>`,
    { Gardens: `Is it red?\n\nIs it blue?\n\n${text}` },
  ],
  [
    'bold questions in two places',
    `<div><p><b>Ready?</b></p><p>Go.</p></div><div><p><b>Steady?</b></p><p>Stop.</p></div>`,
    { Gardens: 'Ready?\n\nGo.\n\nSteady?\n\nStop.' },
  ],
  [
    'headlines with amounts',
    `<p>${text}</p><article><h3><a href="/1">Bitcoin tops $100,000</a></h3><p>Traders celebrate.</p></article>`,
    under,
  ],
  [
    'a newsletter that saves money',
    `<p>${text}</p><div class="newsletter-section"><h2>Join and save $10</h2><form><input type="email"></form></div>`,
    under,
  ],
  ['a popup with an offer', `<p>${text}</p><div class="promo-popup"><b>Take $10 off</b></div>`, under],
])('a page has no FAQ of %s', async (_, body, faqs) => {
  expect(await readPage(`<main><h1>Gardens</h1>${body}</main>`)).toEqual(faqs);
});

// Proves rule kb.67: an answer ends where its element ends, and has the headings within it.
it.each<[string, string, Record<string, string>]>([
  ['a block', `<div class="accordion-header">Returns</div><div class="accordion-body"><p>30 days.</p></div>`, { Returns: '30 days.' }],
  ['a button', `<div><button aria-controls="r">Returns</button><div id="r"><p>30 days.</p></div></div>`, { Returns: '30 days.' }],
  [
    'a button in a heading',
    `<h3><button aria-controls="r">Returns</button></h3><div id="r"><p>30 days.</p></div>`,
    { Returns: '30 days.' },
  ],
  [
    'tabs',
    `<div><ul><li><a href="#t1">Germany</a></li><li><a href="#t2">France</a></li></ul><div id="t1">5 €.</div><div id="t2">9 €.</div></div>`,
    { Germany: '5 €.', France: '9 €.' },
  ],
  [
    'headings',
    `<div class="faq-question">How do I return?</div><div class="faq-answer"><p>So:</p><h4>The label</h4><p>Print it.</p></div>`,
    { 'How do I return?': 'So:', 'The label': 'Print it.' },
  ],
  [
    'a term like the title',
    '<dl><dt>Returns</dt><dd>30 days.</dd><dt>Gardens</dt><dd>All of them.</dd></dl>',
    { Returns: '30 days.', Gardens: `All of them.\n\n${text}` },
  ],
  [
    'terms',
    `<details><summary>Ticket?</summary><dl><dt>Adults</dt><dd>10 €</dd></dl><p>Children are free.</p></details>`,
    { Adults: '10 €', 'Ticket?': 'Children are free.' },
  ],
])('text after an answer is not part of it: %s', async (_, body, faqs) => {
  expect(await readPage(`<main><h1>Gardens</h1>${body}<p>${text}</p></main>`)).toEqual({ ...under, ...faqs });
});

it('headings that lead to themselves are read', async () => {
  const body = `<h2 id="a"><a href="#a">Hours</a></h2><p>${text}</p><section id="b"><h3><a href="#b">Prices</a></h3><p>9 €.</p></section>`;
  expect(await readPage(`<main><h1>Gardens</h1>${body}</main>`)).toEqual({ Hours: text, Prices: '9 €.' });
});

it('a list of offers has those without a price', async () => {
  const offers = [
    ['Jazz', '12 €'],
    ['Open stage', 'Saturday, free'],
  ].map(([name, price]) => `<article><h2><a href="/${name}">${name}</a></h2><p>${price}</p></article>`);
  expect(await readPage(`<main><h1>Gardens</h1>${long}<div>${offers.join('')}</div></main>`)).toMatchObject({
    Jazz: '12 €',
    'Open stage': 'Saturday, free',
  });
});

it.each(['29 zł', '299 kr', '1 500 ₽', '29 TL', '¥2,900'])('a price can be %s', async (price) => {
  expect(await readPage(`<main><h1>Plans</h1><h4>Basic</h4><h2>${price}</h2><ul><li>5 GB</li></ul></main>`)).toEqual({
    Basic: `${price}\n\n- 5 GB`,
  });
});

it('a bold line after bold questions is a heading too', async () => {
  const lines = '<p><b>How long?</b></p><p>3 days.</p><p><b>How much?</b></p><p>$8.</p><p><b>To Norway</b><br>10 days.</p>';
  expect(await readPage(`<main><h1>Delivery</h1>${lines}</main>`)).toEqual({
    'How long?': '3 days.',
    'How much?': '$8.',
    'To Norway': '10 days.',
  });
});

it('is read without a menu that describes where it leads', async () => {
  const item = (name: string) => `<li><a href="/${name}">${name}</a><div><p>Our ${name} are big enough for every move.</p></div></li>`;
  expect(await readPage(`<nav><ul>${item('vans')}${item('cars')}</ul></nav><div><h1>Rent a van</h1><p>${text}</p></div>`)).toEqual({
    'Rent a van': text,
  });
});

// Proves rules kb.67, kb.90: what looks like a menu, a label or clutter, and is content.
it.each<[string, string, Record<string, string>]>([
  [
    'links in a sentence',
    '<p>Valid for <em><a href="#basic">Basic</a> / <a href="#pro">Pro</a></em> plans.</p>',
    { Gardens: 'Valid for Basic / Pro plans.' },
  ],
  [
    'links in cells',
    '<table><tr><th></th><th><a href="#basic">Basic</a></th><th><a href="#pro">Pro</a></th></tr><tr><td>Storage</td><td>5 GB</td><td>50 GB</td></tr></table>',
    { Gardens: '| Basic | Pro\nStorage | 5 GB | 50 GB' },
  ],
  [
    'links that describe a term',
    '<dl><dt>Payment</dt><dd><a href="#basic">Visa</a>, <a href="#pro">PayPal</a></dd><dt>Shipping</dt><dd>3 days</dd></dl>',
    { Payment: 'Visa, PayPal', Shipping: '3 days' },
  ],
  [
    'items that lead to themselves',
    '<ul><li id="i1"><a href="#i1">Towels</a></li><li id="i2"><a href="#i2">Swimsuit</a></li></ul>',
    { Gardens: '- Towels\n- Swimsuit' },
  ],
  [
    'links that answer their heading',
    '<h2>Which plans are there?</h2><ul><li><a href="#basic">Basic</a></li><li><a href="#pro">Pro</a></li></ul>',
    { 'Which plans are there?': '- Basic\n- Pro' },
  ],
  [
    'prices in a gallery',
    `<p>${text}</p><div class="gallery"><img><p>Single 49&nbsp;€</p><img><p>Double 89,- €</p><img><p>Suite <span>129</span>\n<span>€</span></p></div>`,
    { Gardens: `${text}\n\nSingle 49 €\n\nDouble 89,- €\n\nSuite 129 €` },
  ],
  [
    'a name above a price with a dash',
    '<h4>Single room</h4><h3>49,- €</h3><p>With breakfast.</p>',
    { 'Single room': '49,- €\n\nWith breakfast.' },
  ],
  [
    'boxes with questions and answers',
    '<div><div class="question"><p>Do you deliver?</p><p>Yes.</p></div><div class="question"><p>Can I return?</p><p>Yes, too.</p></div><div class="contact-text"><p>Call us.</p></div></div>',
    { Gardens: 'Do you deliver?\n\nYes.\n\nCan I return?\n\nYes, too.\n\nCall us.' },
  ],
  ['the first letter of a title in a row', '<p class="flex"><span>E</span><span>spresso</span></p>', { Gardens: 'Espresso' }],
  [
    'other rooms',
    '<h2>Other rooms</h2><ul><li><a href="/a">Single room</a> from 49 €</li><li><a href="/b">Double room</a> from 89 €</li></ul>',
    { 'Other rooms': '- Single room from 49 €\n- Double room from 89 €' },
  ],
  [
    'a bold line before a heading',
    '<p><b>Where?</b></p><p>Here.</p><p><b>When?</b></p><p>Now.</p><p><b>Write to us.</b></p><h2>Rooms</h2><p>Two.</p>',
    { 'Where?': 'Here.', 'When?': 'Now.\n\nWrite to us.', Rooms: 'Two.' },
  ],
  [
    'an answer of several paragraphs',
    '<button aria-expanded="false">Do you allow dogs?</button><p>Yes, but only two.</p><p>They pay 5 €.</p>',
    { 'Do you allow dogs?': 'Yes, but only two.\n\nThey pay 5 €.' },
  ],
  [
    'a box whose heading opens its first text',
    '<div><h3><button aria-controls="d" aria-expanded="false">Deluxe room</button></h3><div id="d"><p>Large bed.</p></div><p>120 € a night</p></div>',
    { 'Deluxe room': 'Large bed.\n\n120 € a night' },
  ],
  ['a toolbar above a panel', `<div class="toolbar"><button>Print</button></div><div class="panel"><p>${text}</p></div>`, under],
  [
    'steps, one of which has details',
    '<ol><li>Open it.</li><li>Turn the key.<details><summary>Why?</summary>To start.</details></li></ol>',
    { Gardens: '1. Open it.\n2. Turn the key. Why? To start.' },
  ],
  [
    'amounts in boxes of their own',
    '<div class="flex"><span>€</span><span>19</span><span>.99</span><span>/month</span></div><p><b>20</b><b>26</b></p><p><b>B</b><b>12</b></p>',
    { Gardens: '€19.99/month\n\n2026\n\nB12' },
  ],
])('a page keeps %s as it was', async (_, body, faqs) => {
  const parts = '<h2 id="basic">Basic</h2><h2 id="pro">Pro</h2>';
  expect(await readPage(`<main><h1>Gardens</h1>${body}${parts}</main>`)).toEqual(faqs);
});

it('questions in a list that is most of a page are read with what follows', async () => {
  const item = (question: string, answer: string) => `<li><details><summary>${question}</summary><p>${answer}</p></details></li>`;
  const list = `<ul class="accordion">${item('Open?', 'We are open all day, on every day of the week. '.repeat(20))}${item('Cards?', 'Yes.')}</ul>`;
  const page = `<div class="content"><h1>FAQ</h1>${list}<h2>Hours</h2><p>Mon to Fri 9 to 17.</p></div>`;
  expect(await readPage(page)).toMatchObject({ 'Open?': expect.any(String), 'Cards?': 'Yes.', Hours: 'Mon to Fri 9 to 17.' });
});

it.each([
  [
    'popups',
    '<div class="a"><a href="#d1">WANTED</a></div><div class="a"><a href="#d2">Ben</a></div>',
    '<div id="d1" class="popup mfp-hide"><p>Studied.</p></div><div id="d2" class="popup mfp-hide"><p>Studied.</p></div>',
  ],
  [
    'parts without headings',
    '<ul><li><a href="#r1">WANTED</a></li><li><a href="#r2">Attic</a></li></ul>',
    '<p>We have two.</p><div id="r1"><p>Large.</p></div><div id="r2"><p>Small.</p></div>',
  ],
  [
    'tabs in a box',
    '<ul><li><a href="#t1">WANTED</a></li><li><a href="#t2">Dinner</a></li></ul>',
    '<div><div id="t1"><p>Eggs 5 €.</p></div><div id="t2"><p>Soup 6 €.</p></div></div>',
  ],
])('the names of %s are kept', async (_, menu, parts) => {
  const faqs = await readPage(`<main><h1>Gardens</h1><p>${text}</p><div>${menu}</div>${parts}</main>`);
  expect(Object.entries(faqs).flat().join('\n')).toContain('WANTED');
});

it('a one-page site may have parts with the anchors of clutter', async () => {
  const parts = `<div id="about"><h2>About</h2><p>We cook. You eat.</p></div><div id="menu"><h2>Menu</h2>${long}</div><div id="feedback"><h2>Contact</h2><p>Lake road 5. Call us.</p></div>`;
  expect(Object.keys(await readPage(parts))).toEqual(['About', 'Menu', 'Contact']);
});

it.each([
  '<nav class="contents"><p>Contents of this page.</p><ul><li><p><a href="#a">What is it about?</a></p></li><li><p><a href="#b">And when?</a></p></li></ul></nav>',
  '<nav><div><div><a href="/a">Analytics</a><p>Understand your traffic.</p></div><div><a href="/b">Mail</a><p>Write to them all.</p></div></div></nav>',
  '<div role="navigation"><p>Requests is an elegant library of functions.</p><ul><li><a href="/o">Documentation overview</a></li></ul></div>',
  `<div class="sidebar"><ul>${'<li><a href="/s">Another page of the site</a></li>'.repeat(9)}</ul></div>`,
])('a page is read without its navigation: %s', async (nav) => {
  expect(await readPage(`${nav}<h1>Gardens</h1><p>${text}</p>`)).toEqual(under);
});
