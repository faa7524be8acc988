import { Readability } from '@mozilla/readability';
import type { PageDocument, PageNode } from './dom.ts';
import { hasSentence } from './clutter.ts';
import { lengthOf, outermost, plainLength } from './elements.ts';

const mainNames = 'main, [role="main"]';

const articleNames = 'article, [role="article"]';

/** The number of elements up to which the library looks for the content. Its time grows faster than a page. */
const elementsMax = 20_000;

/** The length of a page from which the library can tell its content from the rest. */
const lengthMin = 500;

/** The attribute that tells where an element of the library's result is on the page. */
const mark = 'data-element';

/** The share of the text of the library's result that the content must contain. The rest may be anywhere on the page. */
const share = 0.9;

/**
 * The element that contains all of the main content: what the page marks as such, or else what the library finds, with its peers.
 */
export function contentElement(document: PageDocument): PageNode {
  return markedContent(document) ?? foundContent(document) ?? document.body;
}

/** The content that the page marks, if that is most of its text. Several parts are joined. */
function markedContent(document: PageDocument): PageNode | null {
  const mains = outermost(document, mainNames);
  const articles = outermost(document, articleNames);
  const content = commonParent(mains.length > 0 ? mains : articles);
  const beside = outermost(document, 'header, footer, aside').filter((element) => !element.closest(mainNames));
  const size = plainLength(document.body) - beside.reduce((sum, element) => sum + plainLength(element), 0);
  return content && plainLength(content) >= size / 2 ? content : null;
}

/** The content that the library finds; null when it finds none. */
function foundContent(document: PageDocument): PageNode | null {
  const elements = [...document.body.querySelectorAll('*')];
  if (elements.length > elementsMax || lengthOf(document.body) < lengthMin) return null;
  for (const [index, element] of elements.entries()) element.setAttribute(mark, String(index));
  const copy = document.cloneNode(true) as PageDocument;
  removeNames(copy.body);
  const options = { serializer: (node: unknown) => node as PageNode, charThreshold: lengthMin };
  const found = new Readability<PageNode>(copy as never, options).parse()?.content;
  const places = new Set([...(found?.querySelectorAll(`[${mark}]`) ?? [])].map((node) => Number(node.getAttribute(mark))));
  for (const element of elements) element.removeAttribute(mark);
  const kept = elements.filter((_, index) => places.has(index));
  return kept.length === 0 ? null : withIntroduction(document, withText(withPeers(innermostOf(document, kept))));
}

/** Removes the names of the elements that contain most of a page: the library drops what is called `related` or `extra`. */
function removeNames(body: PageNode): void {
  const half = plainLength(body) / 2;
  for (let element: PageNode | undefined = body; element; element = [...element.childNodes].find((child) => child.nodeType === 1 && plainLength(child) > half))
    for (const name of ['id', 'class']) element.removeAttribute(name);
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
  for (;;) {
    const inner = [...content.childNodes].find(
      (child) => child.nodeType === 1 && (lengths.get(child) ?? 0) >= all * share && child.querySelector('*'),
    );
    if (!inner) return content;
    content = inner;
  }
}

/** The number of characters that stand in an element itself, and not in those within it. */
function ownLength(element: PageNode): number {
  return [...element.childNodes].reduce((sum, node) => sum + (node.nodeType === 3 ? lengthOf(node) : 0), 0);
}

/** An element, or the one that contains it and others of the same kind beside it, such as the parts of a page of questions. */
function withPeers(element: PageNode): PageNode {
  let content = element;
  for (let node = element; node.parentNode && !/^(BODY|HTML)$/i.test(node.nodeName); node = node.parentNode) {
    const peers = [...node.parentNode.childNodes].filter((other) => other !== node && isPeer(other, node));
    if (peers.reduce((sum, peer) => sum + plainLength(peer), 0) >= leastText) content = node.parentNode;
  }
  return content;
}

/** The number of characters beside an element from which they are content too. */
const leastText = 100;

/** The elements of running text. */
const running = /^(?:#TEXT|P|H[1-6]|BLOCKQUOTE|PRE|DL|UL|OL|A|B|I|EM|STRONG|CODE|TT|SPAN|FONT|CENTER)$/i;

/** An element, or the one that contains it and running text beside it that is at least half as long. */
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

/** How much longer than the content the element may be that contains its title too. */
const titleShare = 1.25;

/** Elements of running text that may stand between a title and the content. */
const introductions = 'p, ul, ol, dl, blockquote, pre';

/** Puts the introduction that stands between the title of the page and its content before the content. */
function withIntroduction(document: PageDocument, content: PageNode): PageNode {
  const title = document.querySelector('h1');
  const both = title && commonParent([content, title]);
  if (!both || both === document.body || lengthOf(both) > lengthOf(content) * titleShare) return content;
  const elements = [...both.querySelectorAll('*')];
  const between = elements.slice(elements.indexOf(title) + 1, Math.max(0, elements.indexOf(content)));
  const texts = new Set(between.filter((element) => element.matches(introductions) && !element.closest('figure') && hasSentence(element)));
  for (const text of [...texts].reverse()) if (!texts.has(text.parentNode!)) content.prepend(text);
  return content;
}

function isPeer(other: PageNode, element: PageNode): boolean {
  if (other.nodeName !== element.nodeName) return false;
  if (/^(SECTION|ARTICLE)$/i.test(element.nodeName)) return true;
  const name = element.getAttribute('class') ?? '';
  // What every box of a page is called says nothing of its kind.
  return name !== '' && other.getAttribute('class') === name && element.parentNode?.getAttribute('class') !== name;
}

/** The innermost element that contains all of the elements; for a single element, the element itself. */
function commonParent([first, ...others]: readonly PageNode[]): PageNode | null {
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
