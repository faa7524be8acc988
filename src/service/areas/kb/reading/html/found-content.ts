import { Readability } from '@mozilla/readability';
import type { PageDocument, PageNode } from './dom.ts';
import { headings, lengthOf } from './elements.ts';
import { withIntroduction } from './introduction.ts';
import { plainLength } from './link-share.ts';
import { isSaying, isSection } from './saying.ts';
import { isPart, isPeer } from './siblings.ts';

/** The number of elements up to which the library looks for the content. Its time grows faster than a page. */
const elementsMax = 20_000;

/** The length of a page from which the library can tell its content from the rest; of one in Chinese, Japanese or Korean, which says as much in fewer. */
const lengthMin = 500;
const lengthMinDense = 200;

/** The attribute that tells where an element of the library's result is on the page. */
const mark = 'data-element';

/** The share of the text of the library's result that the content must contain. The rest may be anywhere on the page. */
const share = 0.9;

/** The content that the library finds; null when it finds little of a page. */
export function foundContent(document: PageDocument): PageNode | null {
  const elements = [...document.body.querySelectorAll('*')];
  const least = leastLength(document.body);
  if (elements.length > elementsMax || lengthOf(document.body) < least) return null;
  for (const [index, element] of elements.entries()) element.setAttribute(mark, String(index));
  const half = plainLength(document.body) / 2;
  let content = contentIn(document, elements, removeOuterNames);
  if (plainLength(content) < half) {
    // The names tell where the parts of a page of short sections are.
    const named = contentIn(document, elements, () => undefined);
    if (plainLength(named) > plainLength(content)) content = named;
  }
  for (const element of elements) element.removeAttribute(mark);
  const isShort = half < least * 1.5;
  // On a short page, the foot can be longer than its text.
  if (plainLength(content) < (isShort ? half : least)) return null;
  return withIntroduction(document, content);
}

function leastLength(body: PageNode): number {
  const dense = (body.textContent ?? '').match(/[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]/gu)?.length ?? 0;
  return dense > lengthOf(body) / 2 ? lengthMinDense : lengthMin;
}

/**
 * The content that the library finds in a copy of a page.
 * @param elements the elements of the page, which are marked
 * @param prepare what is done to the copy before
 */
function contentIn(document: PageDocument, elements: readonly PageNode[], prepare: (body: PageNode) => void): PageNode {
  const copy = document.cloneNode(true) as PageDocument;
  prepare(copy.body);
  const options = { serializer: (node: unknown) => node as PageNode, charThreshold: leastLength(copy.body) };
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
    const peers = [...node.parentNode.childNodes].filter(
      (other) => other !== node && isPeer(other, node) && lengthOf(other) > 0 && !isTitle(other),
    );
    // Beside what has the title of the page, boxes of the same kind may be its head and its foot.
    const parts = node.querySelector('h1') ? peers.filter(isSection) : peers;
    if (parts.length > 0 || isPart(node)) content = node.parentNode;
  }
  return content;
}

/** Whether a node has the title of the page, and says nothing else. */
function isTitle(node: PageNode): boolean {
  return node.querySelector('h1') !== null && !isSaying(node);
}

/** The number of characters beside an element from which they are content too. */
const leastText = 100;

/** The elements of running text. */
const running = /^(?:#TEXT|P|H[1-6]|BLOCKQUOTE|PRE|DL|UL|OL|A|B|I|EM|STRONG|CODE|TT|SPAN|FONT|CENTER)$/i;

/** The element, or its ancestor if running text beside it is at least 100 characters and a quarter of its length. */
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
