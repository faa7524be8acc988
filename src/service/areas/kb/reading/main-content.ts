import { hasSentence, removeClutter } from './clutter.ts';
import { contentElement } from './content-element.ts';
import type { PageDocument, PageNode } from './dom.ts';
import {
  hasLine,
  hasTextBeside,
  headings,
  inputs,
  lengthOf,
  linkedHeading,
  linkShare,
  outermost,
  plainLength,
  visibleLength,
} from './elements.ts';
import { isHidden, removeHidden } from './hidden.ts';
import { keepOpeners } from './openers.ts';
import { removePageMenus } from './page-menus.ts';
import { markOpened } from './panels.ts';
import { price } from './prices.ts';

/** Elements that are never content. */
const noise = [
  '[role="banner"]',
  '[role="contentinfo"]',
  '[role="dialog"]',
  '[aria-modal="true"]',
  // What common scripts ask about cookies.
  '.cc-window',
  '.klaro',
  '#usercentrics-root',
  '#didomi-host',
  // What forms say when they were sent.
  '.w-form-done',
  '.w-form-fail',
  '.wpcf7-response-output',
  // The title of a page without a head element, or of an SVG.
  'body title',
  'script',
  'style',
  'template',
  'noscript',
  'iframe',
  // Icons whose names are their text.
  ...['icons', 'icons-outlined', 'icons-round', 'icons-sharp', 'symbols-outlined', 'symbols-rounded', 'symbols-sharp'].map(
    (name) => `.material-${name}`,
  ),
  // The numbers of lines of code.
  '.linenos',
  '.lineno',
  'td.gutter',
  // What MediaWiki adds to a text: links to edit a section, to skip the menu, from and to footnotes, and to the categories.
  '.mw-editsection',
  '.mw-jump-link',
  '.mw-cite-backlink',
  'sup.reference',
  '#siteSub',
  '.printfooter',
  '#catlinks',
];

/** Elements that are no content where they are not part of the main content. */
const furniture = [
  'header',
  'footer',
  ...['footer', 'site-footer', 'page-footer', 'navbar', 'breadcrumb', 'breadcrumbs'].flatMap((name) => [
    `[id="${name}" i]`,
    `[class~="${name}" i]`,
  ]),
];

/** Elements that may be cookie banners. Outside of the main content, they always are. */
const banners = ['cookie', 'consent', 'gdpr'].flatMap((word) => [`[id*="${word}" i]`, `[class*="${word}" i]`]);
const bannerName = /(cookies?|consent|gdpr)[-_]?(banner|bar|notice|popup|modal|overlay|consent|dialog|law|layer|message)/i;

const parts = 'main, article, [role="main"], [role="article"]';

/** The text of a link from a heading to itself. */
const permalink = /^[#¶§🔗⚓◆∞\uFE0F\uE000-\uF8FF\u200B\u2060\uFEFF\s]*$/u;

/**
 * Finds the main content of a page, and removes from the document what is never content, or beside it.
 * @param isWhole keeps elements that look like clutter only by their name, for a page without other content
 * @returns the main content
 */
export function mainContent(document: PageDocument, isWhole = false): PageNode {
  markOpened(document);
  removeNoise(document, isWhole);
  removePageMenus(document);
  saveContent(document);
  if (isWhole) return document.body;
  removeHidden(document);
  removeClutter(document);
  return contentElement(document);
}

/** Removes elements without content. */
function removeNoise(document: PageDocument, isWhole: boolean): void {
  showWithoutScripts(document);
  for (const element of document.querySelectorAll(noise.join())) if (element !== document.body) element.remove();
  const opened = new Set(Array.from(document.querySelectorAll('[aria-controls]'), (opener) => opener.getAttribute('aria-controls')));
  for (const element of document.querySelectorAll('nav, [role="navigation"]')) removeNavigation(document, element, opened);
  if (!isWhole) {
    for (const element of document.querySelectorAll(banners.join())) if (isBanner(element)) element.remove();
    for (const element of document.querySelectorAll(furniture.join())) if (isFurniture(element)) element.remove();
  }
  for (const link of document.querySelectorAll('a[href*="#"]')) if (permalink.test(link.textContent ?? '')) link.remove();
  for (const element of document.querySelectorAll(unseen)) if (isSpokenBeside(element)) element.remove();
  removeCards(document);
}

/** The length from which a page has text for visitors without scripts, and more than the request to turn them on. */
const textWithoutScripts = 500;

/** Shows what visitors without scripts see, where that is most of the page. */
function showWithoutScripts(document: PageDocument): void {
  const texts = outermost(document, 'noscript');
  const length = texts.reduce((sum, text) => sum + lengthOf(text), 0);
  if (length >= textWithoutScripts && length > visibleLength(document)) for (const text of texts) makePlain(document, text);
}

/** Text that only screen readers say. */
const unseen = '.sr-only, .visually-hidden, .visuallyhidden, .screen-reader-text, .screen-reader-only';

/**
 * Whether text that is only spoken stands beside text that is seen, such as "opens in a new tab". Alone, it says what a picture shows,
 * and after what is not spoken, it says the same.
 */
function isSpokenBeside(element: PageNode): boolean {
  if (element.querySelector(headings) || element.closest(headings)) return false;
  if (element.previousElementSibling?.getAttribute('aria-hidden') === 'true') return false;
  return hasTextBeside(element);
}

/** Removes navigation. Text with few links is none, such as the answers of a list that a click opens. @param opened the ids of what clicks open */
function removeNavigation(document: PageDocument, element: PageNode, opened: ReadonlySet<string | null>): void {
  if (element === document.body) return;
  const isText =
    !element.querySelector('a[href]') || (!isMenu(element) && hasSentence(element, halfLinks) && linkShare(element, 'a[href]') < halfLinks);
  if (lengthOf(element) === 0 || !isText) return element.remove();
  const plain = makePlain(document, element);
  const id = element.getAttribute('id');
  if (id !== null && opened.has(id)) plain.setAttribute('id', id);
}

/** The share of links from which text is a menu. */
const halfLinks = 0.5;

/** Whether links begin several boxes, as in a menu that describes where they lead, or are all of an item of a list. */
function isMenu(element: PageNode): boolean {
  const boxes = [...element.querySelectorAll('li, div')];
  const linked = boxes.filter((box) => /^A$/i.test([...box.childNodes].find((node) => lengthOf(node) > 0)?.nodeName ?? ''));
  return linked.length > 1 || linked.some((box) => /^LI$/i.test(box.nodeName) && plainLength(box, 'a[href]') === 0);
}

/** Makes questions of buttons, and plain elements of forms that are only used for layout. */
function saveContent(document: PageDocument): void {
  keepOpeners(document);
  const size = lengthOf(document.body);
  for (const form of document.querySelectorAll('form')) if (!isHidden(form) && isLayout(form, size)) makePlain(document, form);
}

/** Removes teasers that lead to other pages, unless they are most of the page. */
function removeCards(document: PageDocument): void {
  const articles = outermost(document, 'article, [role="article"]');
  const short = articles.filter(isCard);
  // Offers lead to more about them. Some of a list may have no price.
  const listOf = listsOf(articles);
  const offers = new Set(short.filter(hasPrice).map(listOf));
  const cards = short.filter((card) => !offers.has(listOf(card)));
  const size = cards.reduce((sum, card) => sum + lengthOf(card), 0);
  const lists = new Set(cards.map(listOf));
  const hasOther = articles.some((article) => !lists.has(listOf(article)));
  if (hasOther || size < lengthOf(document.body) / 2) for (const card of cards) card.remove();
}

/** The length from which an article is no teaser, and from which a heading with a link is one of its own, both without links. */
const cardLength = 600;
const headingLength = 10;

/** Whether an article is a teaser: a short one, whose first heading is a link to another page. */
function isCard(article: PageNode): boolean {
  const heading = article.querySelector(headings);
  if (!heading || !article.querySelector(linkedHeading) || plainLength(article) >= cardLength) return false;
  return plainLength(heading) < headingLength || heading.closest('a[href]') !== null;
}

/** Whether an article has a line with a price, and not only a headline with an amount. */
function hasPrice(article: PageNode): boolean {
  return hasLine(article, (text) => price.test(text));
}

/** Tells the list of an article: the innermost element that has others too. */
function listsOf(articles: readonly PageNode[]): (article: PageNode) => PageNode | null {
  const seen = new Set<PageNode>();
  const shared = new Set<PageNode>();
  for (const article of articles)
    for (let node = article.parentNode; node && !shared.has(node); node = node.parentNode) (seen.has(node) ? shared : seen).add(node);
  return (article) => {
    let list = article.parentNode;
    while (list && !shared.has(list)) list = list.parentNode;
    return list;
  };
}

/** The length from which a form with fields to fill in has text of its own. */
const textOfForm = 2_000;

/** Whether a form is used for the layout of a page: it has no fields to fill in, or it has most of the text, with headings or much of it. */
function isLayout(form: PageNode, sizeOfPage: number): boolean {
  if (form.parentNode?.closest('form')) return false;
  if (!form.querySelector(inputs)) return true;
  if (lengthOf(form) <= sizeOfPage / 2) return false;
  return form.querySelector(`main, article, ${headings}`) !== null || plainLength(form) >= textOfForm;
}

/** Replaces an element that would be removed by its name with a plain element. */
function makePlain(document: PageDocument, element: PageNode): PageNode {
  const plain = document.createElement('div');
  for (const child of [...element.childNodes]) plain.append(child);
  element.replaceWith(plain);
  return plain;
}

/** What a visitor presses in a cookie banner. */
const controls = 'button, a, input, [role="button"]';

/** Whether an element is a cookie banner, and not content about cookies or consent. */
function isBanner(element: PageNode): boolean {
  if (/^BODY$/i.test(element.nodeName) || element.closest(headings) || element.querySelector('main, article, h1')) return false;
  const isAbout = element.closest(parts) !== null && !element.querySelector(controls);
  if (element.querySelector(headings) && (isAbout || price.test(element.textContent ?? ''))) return false;
  if (bannerName.test(`${element.getAttribute('id') ?? ''} ${element.getAttribute('class') ?? ''}`)) return true;
  return !element.closest(parts) && !/^SECTION$/i.test(element.nodeName);
}

/** Whether an element is the head or the foot of the page, and not content that is called like one. */
function isFurniture(element: PageNode): boolean {
  if (element.nodeName.toUpperCase() === 'BODY' || element.querySelector('main, h1')) return false;
  if (/^HEADER$/i.test(element.nodeName)) return !element.closest(parts) && element.querySelector(headings) === null;
  const isPart = element.closest(parts) !== null || /^SECTION$/i.test(element.nodeName);
  return !isPart || element.querySelector(headings) === null;
}
