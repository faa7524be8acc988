import { hasFact, hasHoursOrPhone, price } from '../prices.ts';
import { tidy } from '../sections.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { commonParent, headings, inputs, lengthOf, titleElement } from './elements.ts';
import { fewLinks, isLinked, linksElsewhere, linkShare } from './link-share.ts';
import { hasClutterClass } from './names.ts';
import { asideHeading, copyright, siteNotice } from './phrases.ts';
import { hasSentence, isSaying, isSection } from './saying.ts';
import { isCalledLike } from './siblings.ts';

/** How much longer than the content the element may be that contains its title too. */
const titleShare = 1.5;

/** Joins to the content what stands between it and the title of the page. */
export function withLead(document: PageDocument, content: PageNode): PageNode {
  const shared = sharedWithTitle(document, content);
  // Below the name of the site stands what all of its pages have.
  if (shared && !isLinked(shared.title)) for (const node of leadOf(content, shared).reverse()) content.prepend(node);
  return content;
}

/** Joins to the content what belongs to it: the introduction below the title of the page, facts beside it, and sections after it. */
export function withIntroduction(document: PageDocument, content: PageNode): PageNode {
  const shared = sharedWithTitle(document, content);
  if (shared === undefined) return withSections(content);
  if (shared === null) return content;
  const { after } = beside(content, shared.both);
  withLead(document, content);
  for (const node of after) if (isSection(node) || hasFacts(node)) content.append(node);
  return content;
}

/** The title of the page, and the element that contains it and the content. */
interface Shared {
  readonly title: PageNode;
  readonly both: PageNode;
}

/** What contains the title of the page and its content; undefined where the title is within the content or missing, null where there is much else. */
function sharedWithTitle(document: PageDocument, content: PageNode): Shared | null | undefined {
  const title = titleElement(document);
  const both = title && commonParent([content, title]);
  if (!both || both === content) return undefined;
  return lengthOf(both) > lengthOf(content) * titleShare ? null : { title, both };
}

/** What says something between the title of a page and its content. */
function leadOf(content: PageNode, { title, both }: Shared): PageNode[] {
  const { before } = beside(content, both);
  const head = before.findIndex((node) => commonParent([node, title]) === node);
  return head === -1 ? [] : [...beside(title, before[head]!).after, ...before.slice(head + 1)].filter(isIntroduction);
}

/** Adds to the content the sections beside it that say something, where they are less than it. */
function withSections(content: PageNode): PageNode {
  const after: PageNode[] = [];
  for (let node = content.nextElementSibling; node; node = node.nextElementSibling) after.push(node);
  const saying = after.filter((node) => isSaying(node) && !hasClutterClass(node) && !leadsAway(node));
  // Boxes that are called alike are about something else.
  const sections = saying.filter((node) => !saying.some((other) => other !== node && isCalledLike(node, other)));
  const length = sections.reduce((sum, node) => sum + lengthOf(node), 0);
  if (length <= lengthOf(content) * (titleShare - 1)) for (const node of sections) content.append(node);
  return content;
}

/** Whether a box is about other pages, the readers or the paper, and not about what the page is. */
function leadsAway(box: PageNode): boolean {
  const heading = tidy(box.querySelector(headings)?.textContent ?? '');
  return asideHeading.test(heading) || (box.querySelector(linksElsewhere) !== null && !price.test(box.textContent ?? ''));
}

/** The nodes that stand beside an element within another, before and after it, in their order. */
function beside(element: PageNode, within: PageNode): { before: PageNode[]; after: PageNode[] } {
  let before: PageNode[] = [];
  let after: PageNode[] = [];
  for (let node = element; node !== within && node.parentNode; node = node.parentNode) {
    const siblings = [...node.parentNode.childNodes];
    const place = siblings.indexOf(node);
    before = [...siblings.slice(0, place), ...before];
    after = [...after, ...siblings.slice(place + 1)];
  }
  return { before, after };
}

/** Whether a node tells facts, in a table or a line. */
function hasFacts(node: PageNode): boolean {
  if (node.nodeType !== 1 || linkShare(node) >= fewLinks || hasClutterClass(node) || lengthOf(node) > factsLength) return false;
  const text = node.textContent ?? '';
  if (copyright.test(text)) return false;
  return (node.matches('table, dl') && /\d/.test(text)) || hasHoursOrPhone(tidy(text));
}

/** The greatest length of facts. */
const factsLength = 500;

/** Whether a node says something: a sentence, facts in a table, or a section. It is no picture with its caption, and no links. */
function isIntroduction(node: PageNode): boolean {
  if (node.nodeType !== 1 || /^FIGURE$/i.test(node.nodeName) || linkShare(node) >= fewLinks) return false;
  if (node.querySelector(`${inputs}, label, form`) || siteNotice.test(node.textContent ?? '')) return false;
  // A heading alone asks what the visitor looks for.
  if (node.querySelector(headings) && !isSection(node)) return false;
  return (
    node.matches('table, dl') ||
    node.querySelector('table, dl') !== null ||
    isSection(node) ||
    hasSentence(node) ||
    hasFact(tidy(node.textContent ?? ''))
  );
}
