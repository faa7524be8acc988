import { tidy } from '../sections.ts';
import type { PageDocument, PageNode } from './dom.ts';

export const headings = 'h1, h2, h3, h4, h5, h6';

/** Form fields that a visitor fills in. */
export const inputs =
  'select, textarea, input:not([type="hidden" i]):not([type="submit" i]):not([type="button" i]):not([type="image" i]):not([type="checkbox" i]):not([type="radio" i])';

/** The title of a page: its first `h1` with text. A logo has none. */
export function titleElement(document: PageDocument): PageNode | undefined {
  return [...document.querySelectorAll('h1')].find((heading) => lengthOf(heading) > 0);
}

/** The main part of a page, and its articles. */
export const mainElements = 'main, [role="main"]';
export const articleElements = 'article, [role="article"]';
export const mainParts = `${mainElements}, ${articleElements}`;

/** The number of characters of a node's text. A comment has none. */
export function lengthOf(node: PageNode): number {
  return node.nodeType === 8 ? 0 : tidy(node.textContent ?? '').length;
}

/** Whether an element has at most some characters of text, which is known without reading more of a long one. */
export function hasAtMost(element: PageNode, length: number): boolean {
  let rest = length;
  const count = (node: PageNode) => {
    if (node.nodeType === 3) rest -= tidy(node.textContent ?? '').length;
    // Not all children are listed first, because there can be thousands.
    for (let child = node.firstChild; child && rest >= 0; child = child.nextSibling) count(child);
  };
  count(element);
  return rest >= 0;
}

/** How many nodes without text may stand between two that stand beside each other: a page can have thousands in a row. */
const emptyBetween = 100;

/** The node with text that precedes an element in its parent; null if there is none. */
export function textBefore(element: PageNode): PageNode | null {
  return nextWithText(element, 'previousSibling');
}

/** The node with text that follows an element in its parent; null if there is none. */
export function textAfter(element: PageNode): PageNode | null {
  return nextWithText(element, 'nextSibling');
}

function nextWithText(element: PageNode, side: 'previousSibling' | 'nextSibling'): PageNode | null {
  let node = element[side];
  for (let empty = 0; node && empty < emptyBetween; empty++, node = node[side]) if (!hasAtMost(node, 0)) return node;
  return null;
}

/** Whether text precedes or follows an element in its parent. */
export function hasTextBeside(element: PageNode): boolean {
  return textAfter(element) !== null || textBefore(element) !== null;
}

/** Whether an element stands directly below a heading, which is about it. */
export function followsHeading(element: PageNode): boolean {
  return element.previousElementSibling?.matches(headings) ?? false;
}

/** The length of the longest line that tells a fact, such as a price. */
const factLength = 40;

/** Whether an element has a short line, outside of headings, that a test finds. A sentence that mentions an amount is none. */
export function hasLine(element: PageNode, isFact: (text: string) => boolean): boolean {
  if (!isFact(element.textContent ?? '')) return false;
  // A link around a headline is one too.
  const lines = [...element.querySelectorAll('*')].filter((node) => !node.closest(headings) && !node.querySelector(headings));
  return lines.some((line) => lengthOf(line) <= factLength && isFact(line.textContent ?? ''));
}

/** The number of characters of a page that a visitor sees. */
export function visibleLength(document: PageDocument): number {
  let length = lengthOf(document.body);
  for (const element of document.body.querySelectorAll('script, style, template, noscript')) length -= lengthOf(element);
  return length;
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

/** Replaces an element by one with another name and the same content. @returns it */
export function replaceBy(document: PageDocument, element: PageNode, name: string): PageNode {
  const other = document.createElement(name);
  for (const child of [...element.childNodes]) other.append(child);
  element.replaceWith(other);
  return other;
}
