import { contactLink } from '../contact-details.ts';
import { hasFact, price } from '../prices.ts';
import { tidy } from '../sections.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { headings, mainParts } from './elements.ts';
import { copyright } from './phrases.ts';
import { hasSentence } from './saying.ts';
import { endsBox } from './siblings.ts';

/** Elements that are no content where they are not part of the main content. */
const heads = [
  'header',
  'footer',
  ...['footer', 'site-footer', 'page-footer', 'navbar', 'breadcrumb', 'breadcrumbs'].flatMap((name) => [
    `[id="${name}" i]`,
    `[class~="${name}" i]`,
  ]),
];

/** Elements that may be cookie banners. */
const banners = ['cookie', 'consent', 'gdpr'].flatMap((word) => [`[id*="${word}" i]`, `[class*="${word}" i]`]);
const bannerName = /(cookies?|consent|gdpr)[-_]?(banner|bar|notice|popup|modal|overlay|consent|dialog|law|layer|message)/i;

/** Removes cookie banners, and the head and the foot of the page. */
export function removeFrame(document: PageDocument): void {
  for (const element of document.querySelectorAll(banners.join())) if (isBanner(element)) element.remove();
  for (const element of document.querySelectorAll(heads.join())) if (isHeadOrFoot(element)) element.remove();
}

/** What a visitor presses: no link to another page, to a part of this one, or to somebody. */
const controls = [
  'button, input, [onclick], [role="button"]',
  ...['[class*="btn" i]', '[class*="button" i]'].map((name) => `:not(a)${name}, a${name}:not([href], [${contactLink}])`),
  'a[href="#"], a[href="#!"], a[href^="javascript"]',
].join();

/** The same in what is called a banner, whose buttons can be such links. */
const bannerControls = `${controls}, a[class*="btn" i], a[class*="button" i], a[href^="#"]`;

/** Whether an element is a cookie banner, and not content about cookies or consent. */
function isBanner(element: PageNode): boolean {
  if (/^BODY$/i.test(element.nodeName) || element.closest(headings) || element.querySelector('main, article, h1')) return false;
  const isNamed = bannerName.test(`${element.getAttribute('id') ?? ''} ${element.getAttribute('class') ?? ''}`);
  const isAbout = !element.querySelector(isNamed ? bannerControls : controls);
  if (element.querySelector(headings) && (isAbout || price.test(element.textContent ?? ''))) return false;
  return isNamed || (!element.closest(mainParts) && !/^SECTION$/i.test(element.nodeName));
}

/** Whether an element is the head or the foot of the page, and not content that is called like one. */
function isHeadOrFoot(element: PageNode): boolean {
  if (/^BODY$/i.test(element.nodeName) || element.querySelector('main, h1') || endsBox(element)) return false;
  if (/^HEADER$/i.test(element.nodeName)) return !element.closest(mainParts) && element.querySelector(headings) === null;
  const isPart = element.closest(mainParts) !== null || /^SECTION$/i.test(element.nodeName);
  return !isPart || (element.querySelector(headings) === null && !belongsToText(element));
}

/** Whether what is called a foot belongs to the text of a main part: to a table or a quotation, with a price or a time, or as a sentence. */
function belongsToText(element: PageNode): boolean {
  const text = tidy(element.textContent ?? '');
  if (copyright.test(text) || !element.closest(mainParts)) return false;
  if (element.closest('table, blockquote, figure')?.closest(mainParts) || hasFact(text)) return true;
  return !/^FOOTER$/i.test(element.nodeName) && element.querySelector('a') === null && hasSentence(element);
}
