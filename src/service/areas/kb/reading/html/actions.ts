import { tidy } from '../sections.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { followsHeading, headings, lengthOf } from './elements.ts';
import { linksElsewhere, plainLength } from './link-share.ts';
import { actionLine, networkLink, relatedLabel, sharingLink, skipLink } from './phrases.ts';

// What lets a visitor do something with a page, and says nothing: print or share it, enlarge a picture, write a comment.

/** The length of the longest line with an action. */
const actionLength = 60;

/** The length of the longest line with a link to another page. */
const leadLength = 200;

/** Removes lines of actions, lines that only lead to other pages, and lists of links that share the page. */
export function removeActions(document: PageDocument): void {
  for (const element of [...document.body.querySelectorAll('p, div, span, a')]) if (isAction(element) || leadsOn(element)) element.remove();
  for (const list of [...document.body.querySelectorAll('ul, ol, p, div')]) if (sharesPage(list)) list.remove();
}

/** Whether an element is a line of its own that says an action. */
function isAction(element: PageNode): boolean {
  if (element.closest(`${headings}, dt, summary, pre, code, table`)) return false;
  const text = tidy(element.textContent ?? '');
  return text.length <= actionLength && (actionLine.test(text) || isSkip(element, text)) && isOwnLine(element);
}

/** Whether an element is a link that skips to a part of the page. */
function isSkip(element: PageNode, text: string): boolean {
  return element.matches('a[href^="#"]') && skipLink.test(text);
}

/** Whether a line is nothing but a link to another page, with a word that says so. */
function leadsOn(element: PageNode): boolean {
  if (!/^(?:P|DIV)$/i.test(element.nodeName) || lengthOf(element) > leadLength || followsHeading(element)) return false;
  const [words] = relatedLabel.exec(tidy(element.textContent ?? '')) ?? [];
  return words !== undefined && element.querySelector(linksElsewhere) !== null && plainLength(element) <= words.length + 1;
}

/** Whether no text stands beside an element, as around a word of a sentence. */
function isOwnLine(element: PageNode): boolean {
  if (/^(?:P|DIV)$/i.test(element.nodeName)) return true;
  return [element.previousSibling, element.nextSibling].every((beside) => beside?.nodeType !== 3 || lengthOf(beside) === 0);
}

/** Whether an element has two or more links, all of which share the page. Links to networks alone may be those of whom it is about. */
function sharesPage(list: PageNode): boolean {
  const items = itemsOf(list);
  return (
    items.length > 1 &&
    !followsHeading(list) &&
    items.some((text) => sharingLink.test(text)) &&
    items.every((text) => sharingLink.test(text) || networkLink.test(text)) &&
    list.querySelector('a, button') !== null
  );
}

/** The texts of a short list, or of what stands in a line; none of what is longer. */
function itemsOf(list: PageNode): string[] {
  const nodes = [...list.childNodes].filter((node) => lengthOf(node) > 0);
  if (nodes.length > 12 || lengthOf(list) > 12 * actionLength) return [];
  return nodes.map((node) => tidy(node.textContent ?? '')).filter((text) => /[\p{L}]/u.test(text));
}
