import { Readability } from '@mozilla/readability';
import { hasSentence } from './clutter.ts';
import { isNamedLikeClutter } from './clutter-names.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { headings, isSection, lengthOf, plainLength } from './elements.ts';
import { withIntroduction } from './introduction.ts';

/** The number of elements up to which the library looks for the content. Its time grows faster than a page. */
const elementsMax = 20_000;

/** The length of a page from which the library can tell its content from the rest. */
const lengthMin = 500;

/** The attribute that tells where an element of the library's result is on the page. */
const mark = 'data-element';

/** The share of the text of the library's result that the content must contain. The rest may be anywhere on the page. */
const share = 0.9;

/** The content that the library finds; null when it finds little of a page. */
export function foundContent(document: PageDocument): PageNode | null {
  const elements = [...document.body.querySelectorAll('*')];
  if (elements.length > elementsMax || lengthOf(document.body) < lengthMin) return null;
  for (const [index, element] of elements.entries()) element.setAttribute(mark, String(index));
  const half = plainLength(document.body) / 2;
  let content = contentIn(document, elements, removeOuterNames);
  if (plainLength(content) < half) {
    // The names tell where the parts of a page of short sections are.
    const named = contentIn(document, elements, () => undefined);
    if (plainLength(named) > plainLength(content)) content = named;
  }
  for (const element of elements) element.removeAttribute(mark);
  if (plainLength(content) < Math.min((half * 2) / 3, lengthMin)) return null;
  return withIntroduction(document, content);
}

/**
 * The content that the library finds in a copy of a page.
 * @param elements the elements of the page, which are marked
 * @param prepare what is done to the copy before
 */
function contentIn(document: PageDocument, elements: readonly PageNode[], prepare: (body: PageNode) => void): PageNode {
  const copy = document.cloneNode(true) as PageDocument;
  prepare(copy.body);
  const options = { serializer: (node: unknown) => node as PageNode, charThreshold: lengthMin };
  const found = new Readability<PageNode>(copy, options).parse()?.content;
  const places = new Set([...(found?.querySelectorAll(`[${mark}]`) ?? [])].map((node) => Number(node.getAttribute(mark))));
  const kept = elements.filter((_, index) => places.has(index));
  return withText(withPeers(innermostOf(document, kept)));
}

/**
 * Removes the names of the elements that contain most of a page. They say little of what is inside, but the library drops what is
 * called `related`, and reads all of what is called `page`.
 */
function removeOuterNames(body: PageNode): void {
  const half = plainLength(body) / 2;
  const isOuter = (node: PageNode) => node.nodeType === 1 && plainLength(node) > half;
  for (let element: PageNode | undefined = body; element; element = [...element.childNodes].find(isOuter))
    for (const name of ['id', 'class']) element.removeAttribute(name);
}

/** Whether an element is read as a whole: text, a list or a table, unless they are the layout of a page. */
function isListOrText(node: PageNode): boolean {
  if (/^(?:UL|OL)$/i.test(node.nodeName)) return node.querySelector(`${headings}, div`) === null;
  if (/^TABLE$/i.test(node.nodeName)) return node.querySelector(`${headings}, table, pre, p, div`) === null;
  return /^(?:#TEXT|P|H[1-6]|PRE|DL)$/i.test(node.nodeName);
}

/** The innermost element that contains nearly all text of the elements. */
function innermostOf(document: PageDocument, kept: readonly PageNode[]): PageNode {
  const lengths = new Map<PageNode, number>();
  let all = 0;
  for (const element of kept) {
    const length = ownLength(element);
    all += length;
    for (let node: PageNode | null = element; node; node = node.parentNode) lengths.set(node, (lengths.get(node) ?? 0) + length);
  }
  let content: PageNode = document.body;
  while (all > 0) {
    const inner = [...content.childNodes].find(
      (child) => (lengths.get(child) ?? 0) >= all * share && !isListOrText(child) && child.querySelector('*'),
    );
    if (!inner) break;
    content = inner;
  }
  return content;
}

/** The number of characters that stand in an element itself, and not in those within it. */
function ownLength(element: PageNode): number {
  return [...element.childNodes].reduce((sum, node) => sum + (node.nodeType === 3 ? lengthOf(node) : 0), 0);
}

/** An element, or the one that contains it and others of the same kind beside it, such as the parts of a page of questions. */
function withPeers(element: PageNode): PageNode {
  let content = element;
  for (let node = element; node.parentNode && !/^(BODY|HTML)$/i.test(node.nodeName); node = node.parentNode) {
    const peers = [...node.parentNode.childNodes].filter((other) => other !== node && isPeer(other, node) && lengthOf(other) > 0);
    // Beside what has the title of the page, boxes of the same kind may be its head and its foot.
    const parts = node.querySelector('h1') ? peers.filter(isSection) : peers;
    if (parts.length > 0 || isPart(node)) content = node.parentNode;
  }
  return content;
}

/** The number of characters beside an element from which they are content too. */
const leastText = 100;

/** The elements of running text. */
const running = /^(?:#TEXT|P|H[1-6]|BLOCKQUOTE|PRE|DL|UL|OL|A|B|I|EM|STRONG|CODE|TT|SPAN|FONT|CENTER)$/i;

/** An element, or the one that contains it and running text beside it that is at least a quarter as long. */
function withText(element: PageNode): PageNode {
  let content = element;
  for (let node = element; node.parentNode && !/^(BODY|HTML)$/i.test(node.nodeName); node = node.parentNode) {
    const beside = [...node.parentNode.childNodes].filter((other) => other !== node && running.test(other.nodeName));
    const length = beside.reduce((sum, other) => sum + textLength(other), 0);
    if (length >= leastText && length >= plainLength(content) / 4) content = node.parentNode;
  }
  return content;
}

/** The number of characters of a node that are not in links to other pages. */
function textLength(node: PageNode): number {
  if (node.nodeType === 3) return lengthOf(node);
  return /^A$/i.test(node.nodeName) && node.hasAttribute('href') ? 0 : plainLength(node);
}

/**
 * Whether an element is one of three or more parts of a page, each with a heading and sentences. Beside one that is most of the page,
 * boxes that are called like each other, and not like it, are none.
 */
function isPart(element: PageNode): boolean {
  const parent = element.parentNode;
  if (!parent || isCalledClutter(element)) return false;
  const beside = [...parent.childNodes].filter((node) => node !== element && node.nodeName === element.nodeName && !isCalledClutter(node));
  if (beside.length < 2) return false;
  const others = beside.filter(isSaying);
  if (others.length < 2 || !isSection(element)) return false;
  if (plainLength(element) <= plainLength(parent) * mostOfParts) return true;
  const boxes = others.filter((node) => !isCalledLike(node, element));
  return !boxes.some((box, index) => boxes.slice(index + 1).some((other) => isCalledLike(box, other)));
}

/** Whether the name of a part is often beside the content. An id alone is an anchor, such as `menu`. */
function isCalledClutter(element: PageNode): boolean {
  return element.hasAttribute('class') && isNamedLikeClutter(element);
}

/** The share of the text of all parts from which one is most of them. */
const mostOfParts = 2 / 3;

function isSaying(node: PageNode): boolean {
  return isSection(node) && hasSentence(node);
}

/** Whether the classes of two elements have a word in common, or neither has one. */
function isCalledLike(one: PageNode, other: PageNode): boolean {
  const words = classWords(one);
  const others = classWords(other);
  return words.length === 0 ? others.length === 0 : words.some((word) => others.includes(word));
}

function classWords(element: PageNode): string[] {
  return (element.getAttribute('class') ?? '').split(/[\s_-]+/).filter((word) => word.length > 1);
}

/** Whether an element is a part of a page like another, with the same name and class. */
function isPeer(other: PageNode, element: PageNode): boolean {
  if (other.nodeName !== element.nodeName) return false;
  // What AsciiDoc sets before the first section.
  if ([other, element].some((node) => node.getAttribute('id') === 'preamble' && !node.querySelector('h1'))) return true;
  if (/^(SECTION|ARTICLE)$/i.test(element.nodeName)) return true;
  const name = element.getAttribute('class') ?? '';
  if (name === '' || other.getAttribute('class') !== name) return false;
  // What every box of a page is called says nothing of its kind.
  return other.querySelector(headings) !== null || element.parentNode?.getAttribute('class') !== name;
}
