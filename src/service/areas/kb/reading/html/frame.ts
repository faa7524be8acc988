import { hasFact, price } from '../prices.ts';
import { tidy } from '../sections.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { headings, mainParts } from './elements.ts';
import { copyright } from './phrases.ts';
import { hasSentence } from './saying.ts';

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

/** What a visitor presses in a cookie banner: nothing that leads to another page, to a part of this one, or to somebody. */
const controls = [
  'button, input, [onclick], [role="button"]',
  ...['[class*="btn" i]', '[class*="button" i]'].map((name) => `:not(a)${name}, a${name}:not([href])`),
  'a[href="#"], a[href="#!"], a[href^="javascript"]',
].join();

/** Whether an element is a cookie banner, and not content about cookies or consent. */
function isBanner(element: PageNode): boolean {
  if (/^BODY$/i.test(element.nodeName) || element.closest(headings) || element.querySelector('main, article, h1')) return false;
  const isAbout = !element.querySelector(controls);
  if (element.querySelector(headings) && (isAbout || price.test(element.textContent ?? ''))) return false;
  if (bannerName.test(`${element.getAttribute('id') ?? ''} ${element.getAttribute('class') ?? ''}`)) return true;
  return !element.closest(mainParts) && !/^SECTION$/i.test(element.nodeName);
}

/** Whether an element is the head or the foot of the page, and not content that is called like one. */
function isHeadOrFoot(element: PageNode): boolean {
  if (/^BODY$/i.test(element.nodeName) || element.querySelector('main, h1') || isOfBoxes(element)) return false;
  if (/^HEADER$/i.test(element.nodeName)) return !element.closest(mainParts) && element.querySelector(headings) === null;
  const isPart = element.closest(mainParts) !== null || /^SECTION$/i.test(element.nodeName);
  return !isPart || (element.querySelector(headings) === null && !saysMore(element));
}

/** Whether an element is the head or the foot of one of several boxes in a row, such as plans with their prices. */
function isOfBoxes(element: PageNode): boolean {
  const box = element.parentNode;
  const isAlike = (other: PageNode) => other.nodeName === element.nodeName && other.getAttribute('class') === element.getAttribute('class');
  return [box?.previousElementSibling, box?.nextElementSibling].some(
    (beside) => beside?.nodeName === box?.nodeName && [...(beside?.childNodes ?? [])].some((node) => node.nodeType === 1 && isAlike(node)),
  );
}

/** Whether the foot of a part belongs to its text: that of a table, a quotation or an item, one with a price or a time, or a sentence without links. */
function saysMore(element: PageNode): boolean {
  if (element.closest('table, blockquote, li, figure')) return true;
  const text = element.textContent ?? '';
  if (copyright.test(text)) return false;
  return hasFact(tidy(text)) || (element.querySelector('a') === null && hasSentence(element));
}
