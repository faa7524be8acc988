import { expect, it } from 'vitest';
import { kb, site, testKnowledge } from '../../../support/kb-prelude.ts';
import { answer } from '../../../support/site.ts';

testKnowledge();

const prose = 'This page explains at length what visitors of the house ask most, and what they should bring along. ';

/** Reads a page whose main part has a text and a part. @returns its answers by their questions, without that text */
async function readPart(part: string): Promise<Record<string, string>> {
  return await readBody(`<main><h1>House</h1><p>${prose.repeat(4)}</p>${part}</main>`);
}

async function readBody(body: string, title = 'House'): Promise<Record<string, string>> {
  const page = `<html><head><title>${title}</title></head><body>${body}</body></html>`;
  site.pages.set('/page', answer(200, { 'content-type': 'text/html' }, page));
  expect(await kb.status(await kb.importPage(site.url('/page')))).toBe('ready');
  const answers = Object.entries(await kb.answers()).map(([question, text]) => [question, text.replace(prose.repeat(4).trim(), '').trim()]);
  return Object.fromEntries(answers.filter(([, text]) => text !== '')) as Record<string, string>;
}

// Proves rules kb.67, kb.92.
it.each<[string, string, Record<string, string>]>([
  [
    'blocks of page builders',
    '<div class="elementor-widget elementor-widget-heading"><h2>Haircut</h2></div><div class="elementor-widget elementor-widget-text-editor"><p>Women 48, men 32</p></div>',
    { Haircut: 'Women 48, men 32' },
  ],
  [
    'answers in a nav element without links',
    '<div class="w-dropdown-toggle"><h3>Can I cancel?</h3></div><nav class="w-dropdown-list"><p>Yes, at any time.</p></nav>',
    { 'Can I cancel?': 'Yes, at any time.' },
  ],
  [
    'panels below their buttons',
    '<button aria-expanded="false" aria-controls="x">Shipping costs</button><div id="x" class="fold" hidden><p>Five euros.</p></div>',
    { 'Shipping costs': 'Five euros.' },
  ],
  [
    'panels below buttons that do not name them',
    '<button class="accordion">Shipping costs</button><div class="panel"><p>Five euros.</p></div>',
    { 'Shipping costs': 'Five euros.' },
  ],
  [
    'tabs',
    '<div role="tablist"><button role="tab" aria-controls="a">Adults</button><button role="tab" aria-controls="b">Children</button></div><div role="tabpanel" id="a">12 euros</div><div role="tabpanel" id="b" hidden>5 euros</div>',
    { Adults: '12 euros', Children: '5 euros' },
  ],
  [
    'hidden answers that an element with a role opens',
    '<div role="button" aria-controls="a1">Do you ship?</div><p>Many ask.</p><div id="a1" hidden>Yes, to Europe.</div>',
    { 'Do you ship?': 'Many ask.\n\nYes, to Europe.' },
  ],
  [
    'hidden answers that a link opens',
    '<p><a href="#t2">Do you ship?</a></p><div id="t2" style="display:none">Yes, to Europe.</div>',
    { 'Do you ship?': 'Yes, to Europe.' },
  ],
  [
    'hidden answers after a question',
    '<h2>Orders</h2><div class="faq-q">Do you ship?</div><div class="faq-body" style="display:none">Yes, to Europe.</div>',
    { Orders: 'Do you ship?\n\nYes, to Europe.' },
  ],
  [
    'text that is hidden until it is found',
    '<h2>Old town</h2><p>Walls.</p><div hidden="until-found">Gates.</div>',
    { 'Old town': 'Walls.\n\nGates.' },
  ],
  [
    'a box to read more',
    '<h2>History</h2><div class="read-more-wrap"><p>The telescope was built in 1911.</p><button>Read more</button></div>',
    { History: 'The telescope was built in 1911.' },
  ],
  [
    'a sentence with a link',
    '<h2>Then</h2><p>Wait.</p><div class="next-steps"><p>Restart the server, then see how <a href="/b">backups</a> are made.</p></div>',
    { Then: 'Wait.\n\nRestart the server, then see how backups are made.' },
  ],
  ['facts', '<h2>Concert</h2><p>Songs.</p><div class="event-date">3 May, 19:30</div>', { Concert: 'Songs.\n\n3 May, 19:30' }],
  [
    'footnotes and quotes',
    '<h2>Bread</h2><p>Rise.</p><aside class="footnote"><span>[<a href="#i">1</a>]</span><p>Only one for each loaf.</p></aside><aside class="quote"><blockquote><p>My starter doubles in four hours</p></blockquote></aside>',
    { Bread: 'Rise.\n\n[1]\n\nOnly one for each loaf.\n\nMy starter doubles in four hours' },
  ],
  [
    'links beside each other',
    '<h2>Start</h2><p>Read: <a href="/a">Get started</a><a href="/b">Learn more</a></p>',
    { Start: 'Read: Get started Learn more' },
  ],
  [
    'a section that is named like clutter, whose heading has a link to itself in an icon font',
    '<section id="request-for-comments"><h2>Returns<a class="headerlink" href="#request-for-comments">\uF0C1</a></h2><p>Within a month.</p></section>',
    { Returns: 'Within a month.' },
  ],
  [
    'what is spoken for a picture, or for a price',
    '<h2>Fees</h2><table><tr><td>Dogs</td><td><i></i><span class="sr-only">Yes</span></td></tr></table><p>Today <ins aria-hidden="true">€349</ins><span class="screen-reader-text">Current price is: €349.</span></p>',
    { Fees: 'Dogs | Yes\n\nToday Current price is: €349.' },
  ],
  [
    'a section about comments, with one link to write one',
    '<h2>Comments</h2><p>Mention a colleague in any file.</p><p><a href="/signup">Leave a comment</a></p>',
    { Comments: 'Mention a colleague in any file.' },
  ],
  [
    'a list that its introduction names',
    '<h2>Contact</h2><p>Choose one of these:</p><ul><li><a href="#s">Share</a></li><li><a href="#p">Print</a></li></ul>',
    { Contact: 'Choose one of these:\n\n- Share\n- Print' },
  ],
  [
    'names of values and steps that are called like actions',
    '<h2>Fees</h2><ul><li><span>Advertisement</span> <span>300 €</span></li></ul><ol><li><p>Print this page</p></li></ol>',
    { Fees: '- Advertisement 300 €\n\n1. Print this page' },
  ],
  [
    'what goes on with a card that has a heading',
    '<div><h3>Double room</h3><p>Bright, with a large bed, a desk and a view.</p></div><div style="display:none"><p>Breakfast costs 12 €.</p></div>',
    { 'Double room': 'Bright, with a large bed, a desk and a view.\n\nBreakfast costs 12 €.' },
  ],
  [
    'the section after comments',
    '<div><h2>Comments</h2><p>Sure.</p><a href="/r">Reply</a><h2>Delivery</h2><p>Two days.</p></div>',
    { Delivery: 'Two days.' },
  ],
  [
    'offers that are links as a whole',
    ['A', 'B', 'C'].map((name) => `<article><a href="/${name}"><h3>Boot ${name}</h3><span>90 €</span></a></article>`).join(''),
    { 'Boot A': '90 €', 'Boot B': '90 €', 'Boot C': '90 €' },
  ],
  [
    'a link between words in bold',
    '<h2>Form</h2><p><b>First</b> <a href="/p">print this page</a> <b>and sign it.</b></p>',
    { Form: 'First print this page and sign it.' },
  ],
  [
    'a section about comments, where nobody can write one',
    '<section><h2>Comments</h2><p>Lines that begin with a hash are comments. <a href="/syntax">Syntax</a></p></section>',
    { Comments: 'Lines that begin with a hash are comments. Syntax' },
  ],
  [
    'what is sent, in a list that a heading is about',
    '<h2>How do I get the invoice?</h2><ul><li><a href="/e">Email</a></li><li><a href="/p">Print</a></li></ul>',
    { 'How do I get the invoice?': '- Email\n- Print' },
  ],
  [
    'words of a sentence that are links, such as to its comments',
    '<h2>Rules</h2><p>Please <a href="/w">write a comment</a> before <a href="#top">skip to content</a> is used.</p>',
    { Rules: 'Please write a comment before skip to content is used.' },
  ],
  [
    'pictures with prices, one after the other',
    `<h2>Rooms</h2><div class="gallery">${['Sea', 'Park', 'Roof'].map((name) => `<div><img src="/i"><p>${name}</p><span>90 €</span></div>`).join('')}</div>`,
    { Rooms: 'Sea\n\n90 €\n\nPark\n\n90 €\n\nRoof\n\n90 €' },
  ],
])('the content of a page keeps %s', async (_, part, answers) => {
  expect(await readPart(part)).toEqual(answers);
});

// Proves rules kb.67, kb.92, kb.100.
it.each([
  [
    'comments in articles',
    '<div id="comments" class="comments-area"><h2>One thought</h2><ol class="comment-list"><li class="comment"><article class="comment-body"><div class="comment-content"><p>I baked it twice.</p></div><a class="comment-reply-link" href="/r">Reply</a></article></li></ol></div>',
  ],
  [
    'the question whether it was helpful',
    '<div class="article-votes"><h2>Was this article helpful?</h2><button>Yes</button><small>3 out of 11 found this helpful</small></div>',
  ],
  ['that question in other languages', '<div><p>War dieser Artikel hilfreich?</p><button>Ja</button></div>'],
  ['hidden forms', '<form hidden><p>Tell us what you think about the house.</p><button>Send</button></form>'],
  ['newsletters', '<section><h2>Subscribe to our newsletter</h2><p>Twice a month.</p><form><input type="email"></form></section>'],
  ['the writer', '<div class="author-box"><h4>About Agnes</h4><p>Agnes keeps eleven hives.</p></div>'],
  [
    'teasers with dates and prices',
    '<h2>More posts</h2><ul><li><h3><a href="/a">Boots that last</a></h3><time>March 3</time></li><li><h3><a href="/b">Hats</a></h3><span>12.50</span></li></ul>',
  ],
  [
    'products beside it',
    '<h2>Customers also bought</h2><ul><li><a href="/a">Boots</a> 90.00</li><li><a href="/b">Hats</a> 12.50</li></ul>',
  ],
  [
    'comments below a heading, by what their readers press',
    '<div id="forum"><div><h2>COMMENTS</h2><a href="/f">Post your comment</a></div><div class="post"><h3>The law.</h3><p>It is simple.</p><form><input type="submit" value="Report abuse"></form></div></div>',
  ],
  ['comments after the box of their heading', '<div><!-- start --><h2>Comments: 3</h2></div><div><p>Sure.</p></div><a href="/r">Reply</a>'],
  [
    'a cookie banner with a heading and a box to press',
    '<div class="cookie-banner"><h4>Cookies</h4><p>We use some.</p><div onclick="x()">OK</div></div>',
  ],
  ['actions and networks', '<ul><!-- widget --><li><a href="/p">Print this page</a></li><li><a href="/t">Twitter</a></li></ul>'],
  ['comments after a heading', '<h2>2 Kommentare</h2><div><p>Sehr gut.</p><a href="/r">Antworten</a></div><div><p>Danke.</p></div>'],
  [
    'pictures, of which one mentions an amount',
    `<div class="galleries">${'<div><img src="/i"><div>He signed again with the club for $15 million over four long years.</div></div>'.repeat(3)}</div>`,
  ],
  ['links that share it', '<ul><li><a href="/p">Print</a></li><li>Comment</li><li><a href="/t">Twitter</a></li></ul>'],
  ['buttons that share it', '<div><button>Teilen</button> | <a href="/d">Drucken</a></div>'],
  ['lines to enlarge a picture or to follow somebody', '<p><a href="/i">Enlarge this image</a></p><div>Follow @bread on Twitter</div>'],
  ['a word before advertisements', '<div>Advertisement</div><p>Article continues below</p>'],
  ['a line that leads on', '<p>See also: <a href="/b">Boots that last for ten years</a></p><p>Lesen Sie auch: <a href="/h">Hüte</a></p>'],
  ['links that skip to its parts', '<ul><li><a href="#main">Skip to content</a></li><li><a href="#s">Skip to search</a></li></ul>'],
])('the content of a page is read without %s', async (_, part) => {
  expect(await readPart(part)).toEqual({});
});

it.each([
  ['a button', '<h2>Install <button>Copy link</button></h2><p>Run it.</p>', { Install: 'Run it.' }],
  ['what is only spoken', '<h2>Photos</h2><p>Ten. <span class="visually-hidden">Open media 1 in modal</span></p>', { Photos: 'Ten.' }],
])('the text of a page is read without %s', async (_, part, answers) => {
  expect(await readPart(part)).toEqual(answers);
});

// A table of contents has the questions too, and leads to them.
it('the questions of a page that are also listed above them have their answers once', async () => {
  const page = '<ul><li><a href="#q1">Do you ship?</a></li><li><a href="#q2">Do you repair?</a></li></ul>';
  const questions = '<h2 id="q1">Do you ship?</h2><p>Yes, to Europe.</p><h2 id="q2">Do you repair?</h2><p>No.</p>';
  expect(await readPart(page + questions)).toMatchObject({ 'Do you ship?': 'Yes, to Europe.', 'Do you repair?': 'No.' });
});

it('an article with a linked heading is no teaser when it is long, or when its first heading is not the link', async () => {
  const long = `<article><h1>My post</h1><p>${prose.repeat(8)}</p><h3><a href="/x">Sub</a></h3><p>More of it.</p></article>`;
  const short = '<article><h2>system_time() returns <a href="/int">integer</a></h2><p>The time.</p></article>';
  const teaser = '<article><h3><a href="/other">Other news</a></h3><p>Short text.</p></article>';
  const answers = await readBody(`<main>${long}${short}${teaser}</main>`);
  expect(Object.values(answers).join()).toContain('More of it.');
  expect(answers).toMatchObject({ 'system_time() returns integer': 'The time.' });
  expect(Object.keys(answers)).not.toContain('Other news');
});

it('a page of the nineties is read with the text that stands in its body', async () => {
  const links = '<div class="top"><b>Next:</b> <a href="/a">Image pixels</a> <b>Up:</b> <a href="/b">Images of the book</a></div>';
  const body = `${links}<h2><a id="S">Transparency</a></h2>${prose.repeat(6)}<br><hr><blockquote>A quote from the book of images.</blockquote>`;
  expect(Object.values(await readBody(body)).join()).toContain('what they should bring along');
});

it('parts of a page without classes are no peers: only its content is read', async () => {
  const nav = '<div id="nav"><ul><li><a href="/a">Rooms</a></li><li><a href="/b">Prices</a></li><li><a href="/c">Way</a></li></ul></div>';
  const body = `${nav}<div id="content"><h2>Courses</h2>${`<p>${prose}</p>`.repeat(20)}</div><div id="foot">Foundry Street 5</div>`;
  expect(Object.values(await readBody(body)).join()).not.toContain('Foundry');
});

it.each([
  ['NetHome Support', 'How do I reset it? : NetHome', 'How do I reset it?'],
  ['NetHome', 'How do I reset it? | NetHome', 'How do I reset it?'],
  ['Resetting', 'Help - NetHome', 'Resetting'],
])('below the heading %j, a page with the title %j is about %j', async (heading, title, question) => {
  const text = 'Hold the button for ten seconds, until the light is green. '.repeat(9);
  const body = `<header><h1>${heading}</h1></header><section><div><article><p>${text}</p></article></div></section>`;
  expect(Object.keys(await readBody(body, title))).toEqual([question]);
});
