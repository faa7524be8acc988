import { describe, expect, it } from 'vitest';
import { kb, site, testKnowledge } from '../../../support/kb-prelude.ts';
import { answer, html } from '../../../support/site.ts';

testKnowledge();

/** Imports a page. @returns its text, with its headings */
async function textOf(body: string): Promise<string> {
  site.pages.set('/page', answer(200, { 'content-type': 'text/html' }, html('Repairs', body)));
  expect(await kb.state(await kb.importPage(site.url('/page')))).toMatchObject({ status: 'ready', error_message: null });
  return Object.entries(await kb.answers())
    .flat()
    .join('\n');
}

const sentences = (count: number, name = 'wheel') =>
  Array.from({ length: count }, (_, index) => `We repair ${name} number ${index + 1}, and whatever belongs to it, within two days.`);
const paragraphs = (count: number, name?: string) =>
  sentences(count, name)
    .map((sentence) => `<p>${sentence}</p>`)
    .join('');

// Readability finds the content of these pages; what it gets wrong is put right.
describe('a page that does not mark its main part', () => {
  const menu = `<ul>${Array.from({ length: 12 }, (_, index) => `<li><a href="/m${index}">Department ${index}</a></li>`).join('')}</ul>`;
  const teasers = (name: string) =>
    `<h3><a href="/${name}">The story of ${name}</a></h3><p>Whatever ${name} did to the town last summer.</p>`;

  it.each([
    [
      'lines that breaks divide',
      `<div class="story"><div class="text">${sentences(12).join('<br>')}</div><p class="credit"><span>Photo: a</span> <span>bike</span></p></div>`,
    ],
    [
      'an outer element that is called related',
      `<div class="story with_related_categories"><div><div>${paragraphs(30)}</div></div></div><div><div><ul><li>${paragraphs(9, 'lamp')}</li></ul></div></div>`,
    ],
    ['a form around it, without headings', `<form><input name="mail"><input type="password"><div>${paragraphs(40)}</div></form>`],
    ['what only visitors without scripts see', `<div id="app"></div><noscript>${paragraphs(12)}</noscript>`],
  ])('is read with %s', async (_, content) => {
    const text = await textOf(`<div id="page"><div class="top">${menu}</div>${content}<div class="bottom">${menu}</div></div>`);
    for (const sentence of sentences(12)) expect(text).toContain(sentence);
    expect(text).not.toContain('Department');
  });

  it('is read as a whole where it is shorter than its foot', async () => {
    const note = '<p>This page is best seen in a new browser, with style sheets, and a wide screen, at home.</p>';
    const foot = `<div class="container"><div class="text">${note.repeat(5)}</div></div>`;
    const story = `<div class="story"><div>${sentences(7).join(' ')}</div></div>`;
    expect(await textOf(`<div class="outer">${story}<div>${foot}</div></div>`)).toContain(sentences(1)[0]);
  });

  it('is not read as a request to turn on scripts', async () => {
    site.pages.set(
      '/app',
      answer(200, {}, html('App', '<div id="app"></div><noscript>Please turn on scripts to see this page.</noscript>')),
    );
    expect(await kb.status(await kb.importPage(site.url('/app')))).toBe('failed');
  });

  it.each([
    [
      'the head of the page, which has the class of its text',
      `<div class="container"><h1>Repairs</h1><p><a href="/">Mobile</a></p></div><div class="container"><div>${paragraphs(12)}</div><div class="rail">${menu}<p>${sentences(1, 'glove')[0]}</p></div></div>`,
      'glove',
    ],
    ['a menu beside its title', `<div class="wrap"><h1>Repairs</h1>${menu}<div class="text">${paragraphs(6)}</div></div>`, 'Department'],
    [
      'boxes that have the class of all others',
      `<div class="box"><div class="box"><div class="box">${paragraphs(12)}</div><div class="box">${menu}<p>${sentences(1, 'glove')[0]}</p></div></div></div>`,
      'glove',
    ],
    [
      'a label above other stories',
      `<div class="text">${paragraphs(12)}<p>More stories in this series</p><ul><li><a href="/a">The glove of Ann</a></li><li><a href="/b">The glove of Bob</a></li></ul></div>`,
      'glove',
    ],
    [
      'other stories with summaries',
      `<div class="text">${paragraphs(12)}<div class="top"><h2>More health and science news</h2></div><div>${teasers('gloves')}${teasers('scarves')}</div></div>`,
      'gloves',
    ],
    [
      'captions of a gallery',
      `<div class="text"><div class="photo-gallery"><h3>Gloves</h3>${'<div><img src="/a.jpg"><p>A glove, worn in the town last summer.</p></div>'.repeat(4)}</div>${paragraphs(12)}</div>`,
      'glove',
    ],
  ])('is read without %s', async (_, content, other) => {
    const text = await textOf(`<div id="page">${content}</div>`);
    for (const sentence of sentences(6)) expect(text).toContain(sentence);
    expect(text.toLowerCase()).not.toContain(other.toLowerCase());
  });

  it.each([
    [
      'an introduction between its title and the rest',
      `<div class="head"><h1>Repairs</h1><p class="lead">WANTED is what we say first.</p></div><div class="text">${paragraphs(12)}</div>`,
    ],
    [
      'facts in a table below its title',
      `<div class="head"><h1>Repairs</h1><table><tr><th>Phone</th><td>WANTED</td></tr><tr><th>Since</th><td>1998</td></tr></table></div><div class="text">${paragraphs(12)}</div>`,
    ],
    [
      'sections within sections of one class',
      `<div class="section"><h2>First</h2>${paragraphs(2)}<div class="section"><h3>Then</h3>${paragraphs(9)}</div><div class="section"><h3>Last</h3><p>WANTED.</p></div></div>`,
    ],
    [
      'a slider with headings',
      `<div class="text">${paragraphs(12)}<div class="slider">${['Rooms', 'Beds', 'Baths'].map((name) => `<div><img src="/a.jpg"><h3>${name}</h3><p>WANTED ${name}.</p></div>`).join('')}</div></div>`,
    ],
    [
      'short sections below a long name',
      `<div id="page-content"><div class="preamble"><h1>Repairs</h1>${paragraphs(7)}</div>${['One', 'Two', 'Three', 'Four'].map((name) => `<div class="directive"><h2>${name}</h2>${paragraphs(3, name)}<p>WANTED ${name}</p></div>`).join('')}</div>`,
    ],
  ])('keeps %s', async (_, content) => {
    expect(await textOf(`<div id="outer"><div class="menu">${menu}</div>${content}</div>`)).toContain('WANTED');
  });

  it.each([
    [
      'rows beside that of its title',
      `<div class="row"><h1>Hotel</h1>${paragraphs(8)}</div><div class="row"><h2>Prices</h2><p>WANTED</p></div>`,
    ],
    ['a lead that is no paragraph', `<h1>Rent</h1><div class="lead">WANTED is the deposit for a flat.</div><div>${paragraphs(8)}</div>`],
    [
      'sections between its title and the rest',
      `<div><h1>Course</h1></div><div><h3>Place</h3><p>WANTED</p></div><div>${paragraphs(8)}</div>`,
    ],
    ['facts between its title and the rest', `<h1>Course</h1><div><dl><dt>Price</dt><dd>WANTED</dd></dl></div><div>${paragraphs(8)}</div>`],
    ['a section after its text', `<div><h1>Paint</h1></div><div>${paragraphs(8)}</div><div><h2>Hours</h2><p>WANTED</p></div>`],
    ['a carousel with facts', `<h1>Team</h1>${paragraphs(8)}<div class="carousel">${'<div><img>WANTED</div>'.repeat(3)}</div>`],
    ['a gallery with prices', `<h1>Vases</h1>${paragraphs(8)}<div class="gallery">${'<div><img>WANTED for 9 €</div>'.repeat(3)}</div>`],
    [
      'a list that a line introduces',
      `<h1>Forms</h1>${paragraphs(8)}<p>More on bikes:</p><ul><li><a href="/a">WANTED</a></li><li><a href="/b">B</a></li></ul>`,
    ],
    [
      'rooms with prices below their label',
      `<h1>Hotel</h1>${paragraphs(8)}<h2>Popular posts</h2><div><h3><a href="/a">One</a></h3><p>WANTED from 79 €</p></div><div><h3><a href="/b">Two</a></h3><p>119 €</p></div>`,
    ],
    [
      'parts that only have anchors',
      `<div id="about"><h2>About</h2>${paragraphs(8)}</div><div id="places"><h2>Places</h2><p>We have a shop in town.</p></div><div id="prices"><h2>Prices</h2><p>WANTED is what it costs.</p></div>`,
    ],
    ['hours that are headings before text', `<main><h1>Shop</h1><h2>Hours</h2><h4>WANTED 8-18</h4><h4>Sunday</h4><p>Closed.</p></main>`],
    [
      'the date of an event',
      `<main><h1>Events</h1><div class="event"><div class="date">WANTED</div><h3>Concert</h3><p>In town.</p></div></main>`,
    ],
  ])('loses nothing of a page with %s', async (_, content) => {
    expect(await textOf(`<div id="outer">${content}</div>`)).toContain('WANTED');
  });

  it('is read without its menu and what it asks about cookies, however short it is', async () => {
    const links = ['Home', 'Department', 'Contact'].map((name) => `<li><a href="/${name}">${name}</a></li>`).join('');
    const cookies = '<div class="cc-window"><span>This website uses a Department of cookies.</span><a class="cc-btn">Got it</a></div>';
    expect(await textOf(`<ul class="mainmenu">${links}</ul><h1>Repairs</h1>${paragraphs(2)}${cookies}`)).not.toContain('Department');
  });

  // Proves rule kb.90.
  it.each([
    ['a list', '<ul><li><a href="#about">About</a></li><li><a href="#prices">Prices</a></li></ul>'],
    ['a row', '<div><a href="#about">About</a> | <span><a href="#prices">Prices</a></span></div>'],
    ['a list below its heading', '<h2>Contents</h2><ol><li><a href="#about">About</a></li><li><a href="#prices">Prices</a></li></ol>'],
  ])('is read without a menu of its own parts that is %s', async (_, links) => {
    const parts = `<div id="about"><h2>About</h2>${paragraphs(8)}</div><div id="places"><h2>Places</h2><p>We have a shop.</p></div><div id="prices"><h2>Prices</h2><p>A wheel is 9 €.</p></div>`;
    await textOf(`<h1>Bikes</h1>${links}${parts}`);
    expect(await kb.answers()).toEqual({ About: sentences(8).join('\n\n'), Places: 'We have a shop.', Prices: 'A wheel is 9 €.' });
  });

  it.each([
    ['a colon introduces', '<p>We have:</p><ul><li><a href="#about">WANTED</a></li><li><a href="#prices">Tyres</a></li></ul>'],
    ['lead to no part', '<ul><li><a href="#red">WANTED</a></li><li><a href="#blue">Blue</a></li></ul>'],
    ['are questions', '<ul><li><a href="#about">WANTED?</a></li><li><a href="#prices">Is it dear?</a></li></ul>'],
    ['stand in a sentence', '<p>See <a href="#about">WANTED</a>, <a href="#prices">prices</a></p>'],
  ])('keeps links that %s', async (_, links) => {
    const parts = `<div id="about">${paragraphs(8)}</div><p id="prices">A wheel is 9 €.</p>`;
    expect(await textOf(`<main><h1>Bikes</h1>${links}${parts}</main>`)).toContain('WANTED');
  });

  it('has the name of a plan above its price, whose heading is larger', async () => {
    const plan = (name: string, price: number) => `<div><h4>${name}</h4><h3>${price} €</h3><ul><li>Repairs of ${name}</li></ul></div>`;
    const text = await textOf(`<main><h1>Plans</h1><h2>Prices</h2>${plan('Basic', 9)}${plan('Family', 19)}</main>`);
    expect(text).toContain('9 €\n\n- Repairs of Basic');
    expect(text).toMatch(/Basic[^]+Family[^]+19 €/);
  });

  it('has the headings below smaller ones that are no prices', async () => {
    await textOf('<main><h1>Repairs</h1><h5>News</h5><h2>Report for 2020-2024</h2><p>We repaired what came.</p></main>');
    expect(Object.keys(await kb.answers())).toContain('Report for 2020-2024');
  });

  it('has the rows of a table that is most of it', async () => {
    const row = '<tr><td>A wheel for the city, with its tyre</td><td>15.00 an hour</td></tr>';
    const table = `<table><thead><tr><th>Part</th><th>Price</th></tr></thead><tbody>${row.repeat(14)}</tbody></table>`;
    expect(await textOf(`<div><h1>Prices</h1>${table}</div>`)).toContain(
      'Part | Price\nA wheel for the city, with its tyre | 15.00 an hour',
    );
  });

  it('has the numbers of a list that is most of it', async () => {
    const steps = sentences(12).map((sentence) => `<li>${sentence}</li>`);
    expect(await textOf(`<div><h1>Steps</h1><ol>${steps.join('')}</ol></div>`)).toContain(`12. ${sentences(12)[11]}`);
  });

  it('has the lines of its code, where it has nothing else', async () => {
    const code = Array.from({ length: 30 }, (_, index) => `<span class="n">wheel</span> = <span class="k">repair</span>(${index})`);
    expect(
      await textOf(`<div id="page"><div class="menu">${menu}</div><div class="source"><pre>${code.join('\n')}</pre></div></div>`),
    ).toContain('wheel = repair(0)\nwheel = repair(1)\n');
  });

  it('is read whole when little of it is found', async () => {
    const facts = Array.from({ length: 20 }, (_, index) => `<div><b>Wheel ${index}</b> <i>${index} crowns</i></div>`).join('');
    const text = await textOf(`<div id="page">${facts}<div class="foot"><p>${sentences(3, 'glove').join(' ')}</p></div></div>`);
    for (const fact of ['Wheel 0', '19 crowns']) expect(text).toContain(fact);
  });
});
