import type { PageDocument, PageNode } from './dom.ts';
import { tidy } from './sections.ts';

export const headings = 'h1, h2, h3, h4, h5, h6';

/** Form fields that a visitor fills in. */
export const inputs =
  'select, textarea, input:not([type="hidden" i]):not([type="submit" i]):not([type="button" i]):not([type="image" i]):not([type="checkbox" i]):not([type="radio" i])';

/** The link within a heading, or the heading within a link, to another page. */
export const linkedHeading = headings
  .split(', ')
  .flatMap((name) => [`${name} a[href]:not([href^="#"])`, `a[href]:not([href^="#"]) ${name}`])
  .join();

/** The number of characters of an element's text. */
export function lengthOf(element: PageNode): number {
  return tidy(element.textContent ?? '').length;
}

/** Whether text stands before an element, or beside it, in the same element. */
export function hasTextBefore(element: PageNode): boolean {
  let before = element.previousSibling;
  while (before && lengthOf(before) === 0) before = before.previousSibling;
  return before !== null;
}

export function hasTextBeside(element: PageNode): boolean {
  let after = element.nextSibling;
  while (after && lengthOf(after) === 0) after = after.nextSibling;
  return after !== null || hasTextBefore(element);
}

/** The length of the longest line that tells a fact, such as a price. */
const factLength = 40;

/** Whether an element has a short line, outside of headings and links, that a test finds. A sentence that mentions an amount is none. */
export function hasLine(element: PageNode, isFact: (text: string) => boolean): boolean {
  if (!isFact(element.textContent ?? '')) return false;
  const lines = [...element.querySelectorAll('*')].filter((node) => !node.closest(`${headings}, a[href]`));
  return lines.some((line) => lengthOf(line) <= factLength && isFact(line.textContent ?? ''));
}

/** The number of characters of a page that a visitor sees. */
export function visibleLength(document: PageDocument): number {
  let length = lengthOf(document.body);
  for (const element of document.body.querySelectorAll('script, style, template, noscript')) length -= lengthOf(element);
  return length;
}

/** A link to another page. */
export const linksElsewhere = 'a[href]:not([href^="#"])';

/** The number of characters of an element's text that is not in links to other pages. @param links the links that count */
export function plainLength(element: PageNode, links = linksElsewhere): number {
  let length = lengthOf(element);
  for (const link of element.querySelectorAll(links)) length -= lengthOf(link);
  return length;
}

/** The share of an element's text that is in links to other pages. @param links the links that count */
export function linkShare(element: PageNode, links = linksElsewhere): number {
  return 1 - plainLength(element, links) / Math.max(1, lengthOf(element));
}

/** Whether a heading leads to another page. */
export function isLinked(heading: PageNode): boolean {
  return heading.querySelector(linksElsewhere) !== null || heading.closest(linksElsewhere) !== null;
}

/** The share of links below which an element says something itself. */
export const fewLinks = 0.3;

/** Whether a node has a heading with text, and few links. */
export function isSection(node: PageNode): boolean {
  if (node.nodeType !== 1 || linkShare(node) >= fewLinks) return false;
  const heading = node.querySelector(headings);
  return heading !== null && lengthOf(node) > lengthOf(heading);
}

/** The elements that match a selector and contain text, without elements nested in other matches. */
export function outermost(document: PageNode, selector: string): PageNode[] {
  return [...document.querySelectorAll(selector)].filter((element) => !element.parentNode?.closest(selector) && lengthOf(element) > 0);
}

/** Whether the text of an element is a question. */
export function isQuestion(element: PageNode): boolean {
  return /[?？؟]$/u.test(tidy(element.textContent ?? ''));
}

/** The innermost element that contains all of the elements; for a single element, the element itself. */
export function commonParent([first, ...others]: readonly PageNode[]): PageNode | null {
  const ancestors: PageNode[] = [];
  for (let node = first ?? null; node; node = node.parentNode) ancestors.push(node);
  const heights = new Map(ancestors.map((node, height) => [node, height]));
  let height = 0;
  for (const other of others) {
    let node: PageNode | null = other;
    while (node && !heights.has(node)) node = node.parentNode;
    height = Math.max(height, (node && heights.get(node)) ?? 0);
  }
  return ancestors[height] ?? null;
}
