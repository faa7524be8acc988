import { hasPriceOrNumber, price } from '../prices.ts';
import { tidy } from '../sections.ts';
import { removeActions } from './actions.ts';
import { removeBoxes } from './boxes.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { followsHeading, hasAtMost, hasLine, headings, inputs, lengthOf, mainElements } from './elements.ts';
import { isLinked, linkShare, mostLinks, onlyLinks, plainLength } from './link-share.ts';
import {
  askingName,
  briefContentName,
  clutterName,
  commentName,
  creditName,
  dateName,
  eventName,
  factName,
  footName,
  galleryName,
  isNamedLikeClutter,
  namesOf,
  noteName,
  otherPricesName,
  personName,
  turningName,
  writerName,
} from './names.ts';
import { copyright, relatedHeading } from './phrases.ts';
import { hasSentence } from './saying.ts';
import { endsBox } from './siblings.ts';
import { hasTeasers, isTeasers } from './teasers.ts';
import { namesWeekday } from './weekdays.ts';

/** What a line above a form for comments, and the parts of a comment, are called. */
const commentParts =
  '[class*="comment-body" i], [class*="comment-content" i], [class*="comment-text" i], [class*="comment-author" i], [class*="comment-meta" i], [class*="comment-list" i], [class*="commentlist" i], [class*="comment-item" i], [class*="comment-reply" i], [class*="comment__" i], li.comment, div.comment, article.comment, p.comment, [itemtype$="/Comment"], [id^="comment-" i]';

/** The length from which text without a heading is content, whatever its element is called. */
const proseLength = 140;

/** Removes what is beside the content, or leads elsewhere: comments, lists of related pages, forms to fill in. */
export function removeClutter(document: PageDocument): void {
  const half = lengthOf(document.body) / 2;
  for (const element of [...document.body.querySelectorAll('[id], [class], aside')]) if (isClutter(element, half)) element.remove();
  for (const element of [...document.body.querySelectorAll('[id], [class]')]) if (isGallery(element, half)) element.remove();
  for (const label of [...document.body.querySelectorAll(`${headings}, p, div`)]) if (isRelatedHeading(label)) removeLinksBelow(label);
  for (const row of [...document.body.querySelectorAll('tr')]) removeMenuCells(row);
  removeBoxes(document);
  removeActions(document);
  for (const form of [...document.body.querySelectorAll('form')]) form.remove();
}

/** Elements that are never removed by their name: those of the page, of tables, and within a line of text or code. */
const structure = /^(?:BODY|MAIN|ARTICLE|HTML|H[1-6]|DT|PRE|CODE|TABLE|TBODY|TR|TD|TH|SPAN|A|B|I|EM|STRONG|SMALL|MARK|TIME|ABBR)$/i;

/** @param half half the length of the page */
function isClutter(element: PageNode, half: number): boolean {
  const isAside = /^ASIDE$/i.test(element.nodeName);
  if (structure.test(element.nodeName) || element.matches(mainElements) || element.closest('pre, code')) return false;
  const name = namesOf(element);
  if (!isAside && (!clutterName.test(name) || factName.test(name) || isDateOfEvent(element, name))) return false;
  if (isContentItem(element) || isFootOfBox(element, name) || (turningName.test(name) && tellsNext(element))) return false;
  if (!commentName.test(name) && lengthOf(element) > half && linkShare(element) < mostLinks) return false;
  return !holdsArticle(element) && !isContent(element, name);
}

/**
 * Whether an element is what a term means, or an item of a list, and neither a comment nor links: a step in an order with others that are no
 * clutter, or an item of which most others are none.
 */
function isContentItem(element: PageNode): boolean {
  const name = namesOf(element);
  if (!/^(?:LI|DD)$/i.test(element.nodeName) || commentName.test(name) || linkShare(element) >= mostLinks) return false;
  if (/^DD$/i.test(element.nodeName)) return true;
  const items = [...(element.parentNode?.childNodes ?? [])].filter((node) => node.nodeType === 1);
  const others = items.filter((item) => !isNamedLikeClutter(item)).length;
  if (/^OL$/i.test(element.parentNode?.nodeName ?? '')) return others > 0;
  return others > items.length / 2 && !askingName.test(name) && !creditName.test(name);
}

/** Whether an element is the foot of one of several boxes, and not of the page. */
function isFootOfBox(element: PageNode, name: string): boolean {
  return footName.test(name) && endsBox(element) && linkShare(element) < mostLinks && !copyright.test(tidy(element.textContent ?? ''));
}

/** Whether an element says what comes next, with a time or a number, and does not lead there. */
function tellsNext(element: PageNode): boolean {
  const pressed = 'a, button, [role="button"], [onclick]';
  return !element.matches(pressed) && element.querySelector(pressed) === null && /\d/.test(element.textContent ?? '');
}

/** Whether an element says when something takes place, and not when a page was written. */
function isDateOfEvent(element: PageNode, name: string): boolean {
  if (!dateName.test(name)) return false;
  if (hasParentNamed(element, eventName) || element.closest('[class~="event" i], [itemtype$="Event"]')) return true;
  const text = tidy(element.textContent ?? '');
  return (/\d[:.]\d\d/.test(text) && !year.test(text) && namesWeekday(text)) || isInList(element) || isInPlainItem(element);
}

/** When something was written is told with the year. */
const year = /\d{4}/;

/** Whether the box of an element, with a heading that is no link, is one of several that are called alike, such as concerts of a season. */
function isInList(element: PageNode): boolean {
  const box = eventBox(element);
  const heading = box?.querySelector(headings);
  if (!box || !heading || isLinked(heading)) return false;
  const name = box.getAttribute('class');
  return [box.previousElementSibling, box.nextElementSibling].some(
    (beside) => beside?.nodeName === box.nodeName && beside.getAttribute('class') === name && beside.querySelector(headings) !== null,
  );
}

/** Whether an element stands beside other text in an item of a list without links. */
function isInPlainItem(element: PageNode): boolean {
  const item = element.closest('li');
  return item !== null && lengthOf(item) > lengthOf(element) && item.parentNode?.querySelector('a[href]') === null;
}

/** The most text in the box of an event, and how many elements may wrap its date. */
const eventLength = 1_000;
const eventWrappers = 4;

/** The innermost element around a date that has a heading. A list of thousands of dates is not searched for one. */
function eventBox(date: PageNode): PageNode | undefined {
  let box = date.parentNode;
  for (let up = 0; box && up < eventWrappers && !structure.test(box.nodeName) && hasAtMost(box, eventLength); up++) {
    if (box.querySelector(headings)) return box;
    box = box.parentNode;
  }
  return undefined;
}

/** Whether an element has the main part of a page, or articles that are no comments. */
function holdsArticle(element: PageNode): boolean {
  if (element.querySelector('main, h1')) return true;
  return [...element.querySelectorAll('article')].some((article) => !article.closest(commentParts));
}

/** Whether an element that is called like clutter is content: text with a heading, or enough of it, and not a list of links. */
function isContent(element: PageNode, name: string): boolean {
  if (linkShare(element) >= mostLinks || hasTeasers(element)) return false;
  if (element.querySelector(inputs)) return !hasOtherPrices(name) && saysBesideForms(element);
  if (commentName.test(name) && element.querySelector(commentParts)) return false;
  const length = lengthOf(element);
  const heading = element.querySelector(headings);
  if (heading && leadsElsewhere(element, heading)) return false;
  if (!hasOtherPrices(name) && tellsFact(element, name)) return true;
  const isShort = length - (heading ? lengthOf(heading) : 0) < proseLength;
  if (writerName.test(name) && isShort && !hasPriceOrNumber(element.textContent ?? '') && !hasParentNamed(element, personName))
    return false;
  if (heading) return length > lengthOf(heading) || (briefContentName.test(name) && !isLinked(heading));
  if ((isInMain(element) || !besideSentences.some((names) => names.test(name))) && hasSentence(element)) return true;
  if (isInMain(element) && ((followsHeading(element) && !element.querySelector('a[href]')) || noteName.test(name))) return true;
  if (creditName.test(name) && !/^P$/i.test(element.nodeName)) return length >= proseLength;
  return length >= proseLength || briefContentName.test(name);
}

/** Names of what can have sentences, and is beside the text. */
const besideSentences = [askingName, commentName, creditName];

/** Whether an element has a price, or in a main part a long number, such as a telephone number, that is no date. */
function tellsFact(element: PageNode, name: string): boolean {
  const text = element.textContent ?? '';
  return price.test(text) || (isInMain(element) && !creditName.test(name) && hasPriceOrNumber(text));
}

/** Whether the prices of an element are not what the page is about. */
function hasOtherPrices(name: string): boolean {
  return otherPricesName.test(name) || askingName.test(name);
}

function isInMain(element: PageNode): boolean {
  return element.closest('main, article, [role="main"]') !== null;
}

/** Whether an element of the main part has prices or numbers beside its forms. */
function saysBesideForms(element: PageNode): boolean {
  if (!isInMain(element)) return false;
  const rest = element.cloneNode(true);
  for (const form of [...rest.querySelectorAll('form')]) form.remove();
  return rest.querySelector(inputs) === null && hasPriceOrNumber(rest.textContent ?? '');
}

/** Whether the element around an element, or the one around that, has a name. */
function hasParentNamed(element: PageNode, name: RegExp): boolean {
  return [element.parentNode, element.parentNode?.parentNode].some((parent) => parent && name.test(namesOf(parent)));
}

/** Whether an element has links to other pages below a heading such as "Related articles". */
function leadsElsewhere(element: PageNode, heading: PageNode): boolean {
  return relatedHeading.test(tidy(heading.textContent ?? '')) && [...element.querySelectorAll('a[href]')].length > 1;
}

/**
 * Whether an element shows pictures one after the other, and says little more than what they show. Sentences that are most of a page say
 * more, unless they are captions.
 */
function isGallery(element: PageNode, half: number): boolean {
  if (structure.test(element.nodeName) || !galleryName.test(namesOf(element)) || element.querySelector('h1')) return false;
  if ((lengthOf(element) > half && hasSentence(element) && !element.querySelector(captions)) || hasLine(element, hasPriceOrNumber))
    return false;
  const pictures = [...element.querySelectorAll('img')].length;
  return pictures >= 3 && [...element.querySelectorAll(headings)].length < 2 && lengthOf(element) / pictures <= captionLength;
}

const captions = 'figcaption, [class*="caption" i], [itemprop="caption"]';

/** The greatest mean length of a caption. */
const captionLength = 500;

/** The length of the longest label above links. */
const relatedLength = 60;

/** Whether an element is a heading such as "Related articles", or a line of its own that says so. */
function isRelatedHeading(element: PageNode): boolean {
  if (!hasAtMost(element, relatedLength)) return false;
  const text = tidy(element.textContent ?? '');
  if (!relatedHeading.test(text)) return false;
  // A paragraph with a colon introduces its list.
  return /^H/i.test(element.nodeName) || !text.endsWith(':');
}

/** Removes a heading such as "Related articles", with the links to other pages below it. */
function removeLinksBelow(heading: PageNode): void {
  let label = heading;
  while (label.parentNode && !structure.test(label.parentNode.nodeName) && isAlone(label)) label = label.parentNode;
  const links: PageNode[] = [];
  for (let node = label.nextElementSibling; node && (isListOfLinks(node) || isTeasers(node)); node = node.nextElementSibling)
    links.push(node);
  // A single link can be the answer.
  if (links.flatMap((node) => [...node.querySelectorAll('a[href]')]).length > 1) for (const node of [label, ...links]) node.remove();
}

/** Whether no other text stands beside an element. */
function isAlone(element: PageNode): boolean {
  // Asked first, because an element can have thousands of nodes.
  if ([element.previousElementSibling, element.nextElementSibling].some((beside) => beside && lengthOf(beside) > 0)) return false;
  return [...(element.parentNode?.childNodes ?? [])].every((node) => node === element || lengthOf(node) === 0);
}

/** The most text that stands beside the link of a teaser, such as a date or a price. */
const besideLink = 40;

/** Whether most of an element is links, or each of its items is a link with a date or a price. */
function isListOfLinks(element: PageNode): boolean {
  if (linkShare(element, 'a[href]') >= mostLinks) return true;
  const items = [...element.querySelectorAll('li, article')];
  return items.length > 1 && items.every((item) => item.querySelector('a[href]') && plainLength(item, 'a[href]') <= besideLink);
}

/** Removes the cells of a table used for layout that have nothing but links, beside one with paragraphs. */
function removeMenuCells(row: PageNode): void {
  const paragraphs = `${headings}, p`;
  if (!row.querySelector(paragraphs)) return;
  for (const cell of [...row.childNodes])
    if (/^TD$/i.test(cell.nodeName) && !cell.querySelector(paragraphs) && [...cell.querySelectorAll('a[href]')].length >= 3)
      if (linkShare(cell) > onlyLinks) cell.remove();
}
