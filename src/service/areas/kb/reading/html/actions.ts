import { tidy } from '../sections.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { followsHeading, hasAtMost, headings, lengthOf, textAfter, textBefore } from './elements.ts';
import { isNamedLikeAnswer } from './labels.ts';
import { linksElsewhere, plainLength } from './link-share.ts';
import {
  actionLine,
  commentsClosed,
  editLink,
  networkLink,
  relatedLabel,
  sharingLabel,
  sharingLink,
  skipLink,
  topLink,
} from './phrases.ts';

// What lets a visitor do something with a page, and says nothing: print or share it, enlarge a picture, write a comment.

/** A link to a part of the page. */
const partLink = 'a[href^="#"]';

/** The length of the longest line with an action. */
const actionLength = 60;

/** The length of the longest value beside its name. */
const valueLength = 40;

/** The most items of a list of links that share the page. */
const itemsMax = 12;

/** The length of the longest line with a link to another page. */
const leadLength = 200;

/** Removes lines of actions, lines that only lead to other pages, and lists of links that share the page. */
export function removeActions(document: PageDocument): void {
  for (const link of [...document.body.querySelectorAll(`:is(${headings}) a`)]) if (isToolLink(link)) link.remove();
  for (const list of [...document.body.querySelectorAll('ul, ol, p, div')]) {
    const label = sharingLabelOf(list);
    if (sharesPage(list, label)) for (const part of [label, list]) part?.remove();
  }
  for (const element of [...document.body.querySelectorAll('p, div, span, a')]) if (isAction(element) || leadsOn(element)) element.remove();
}

/** Whether a link ends a heading and edits or prints what is below. In a list or a sentence, it is a word of the heading. */
function isToolLink(link: PageNode): boolean {
  const text = tidy(link.textContent ?? '');
  const before = textBefore(link);
  if (!before || textAfter(link) || /[,:]\s*$/u.test(before.textContent ?? '') || /^\p{Ll}/u.test(text)) return false;
  return editLink.test(text) || sharingLink.test(text);
}

/** Whether an element is a line of its own that says an action. */
function isAction(element: PageNode): boolean {
  if (!hasAtMost(element, actionLength) || element.closest(`${headings}, dt, summary, pre, code, table`)) return false;
  const text = tidy(element.textContent ?? '');
  const isActing = actionLine.test(text) || commentsClosed.test(text) || isSkip(element, text);
  return isActing && isOwnLine(element) && !isNameOrStep(element);
}

/** Whether an element is the name of a value or an answer beside it, or a step. */
function isNameOrStep(element: PageNode): boolean {
  const after = textAfter(element);
  if (element.closest('ol') || (after?.nodeType === 1 && isNamedLikeAnswer(after))) return true;
  return after !== null && !textBefore(element) && !textAfter(after) && hasAtMost(after, valueLength);
}

/** Whether an element is a link that skips to a part of the page, or a line with one to its top. */
function isSkip(element: PageNode, text: string): boolean {
  const isLink = element.matches(partLink);
  return (
    (isLink && skipLink.test(text)) || (topLink.test(text.replace(arrows, '')) && (isLink || element.querySelector(partLink) !== null))
  );
}

/** What stands around the words of a link. */
const arrows = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;

/** Whether a line is nothing but a link to another page, with a word that says so. */
function leadsOn(element: PageNode): boolean {
  if (!/^(?:P|DIV)$/i.test(element.nodeName) || !hasAtMost(element, leadLength) || followsHeading(element)) return false;
  const [words] = relatedLabel.exec(tidy(element.textContent ?? '')) ?? [];
  return words !== undefined && element.querySelector(linksElsewhere) !== null && plainLength(element) <= words.length + 1;
}

/** Whether no text stands beside an element, as around a word of a sentence. */
function isOwnLine(element: PageNode): boolean {
  if (/^(?:P|DIV)$/i.test(element.nodeName)) return true;
  return ![textBefore(element), textAfter(element)].some((node) => node && inline.test(node.nodeName));
}

const inline = /^(?:#text|B|I|EM|STRONG|CODE|MARK|U)$/i;

/** Whether an element has two or more links, all of which share the page. Links to networks alone may be those of whom it is about. */
function sharesPage(list: PageNode, label: PageNode | undefined): boolean {
  const items = itemsOf(list);
  return (
    items.length > 1 &&
    (label !== undefined || (isUnnamed(list) && items.some(sharesIt))) &&
    items.every((text) => sharesIt(text) || networkLink.test(text)) &&
    list.querySelector('a, button') !== null
  );
}

/** Whether neither a heading nor a line with a colon introduces a list. */
function isUnnamed(list: PageNode): boolean {
  return !followsHeading(list) && !/[:：]$/u.test(tidy(textBefore(list)?.textContent ?? ''));
}

/** The line above a list that asks to share the page. */
function sharingLabelOf(list: PageNode): PageNode | undefined {
  const label = textBefore(list);
  return label?.nodeType === 1 && hasAtMost(label, actionLength) && sharingLabel.test(tidy(label.textContent ?? '')) ? label : undefined;
}

function sharesIt(text: string): boolean {
  return sharingLink.test(text) || actionLine.test(text);
}

/** The texts of a short list, or of what stands in a line; none of what is longer. */
function itemsOf(list: PageNode): string[] {
  if (!hasAtMost(list, itemsMax * actionLength)) return [];
  const nodes = [...list.childNodes].filter((node) => lengthOf(node) > 0);
  if (nodes.length > itemsMax) return [];
  return nodes.map((node) => tidy(node.textContent ?? '')).filter((text) => /\p{L}/u.test(text));
}
