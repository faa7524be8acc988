import { Defuddle } from 'defuddle/node';
import { Unreadable } from './document.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { textOf } from './html-sections.ts';
import { tidy } from './sections.ts';

/** Elements without content that the main-content library does not always recognize. */
const noise = [
  'nav',
  ...['footer', 'site-footer', 'page-footer', 'navbar', 'breadcrumb', 'breadcrumbs'].flatMap((name) => [
    `[id="${name}" i]`,
    `[class~="${name}" i]`,
  ]),
  '[role="navigation"]',
  '[role="banner"]',
  '[role="contentinfo"]',
  '[role="dialog"]',
  '[aria-modal="true"]',
  // The title of a page without a head element, or of an SVG.
  'body title',
  'script',
  'style',
  'template',
  'noscript',
  'iframe',
];

/** Elements that may be cookie banners. Outside of the main content, they always are. */
const banners = ['cookie', 'consent', 'gdpr'].flatMap((word) => [`[id*="${word}" i]`, `[class*="${word}" i]`]);
const bannerName = /(cookies?|consent|gdpr)[-_]?(banner|bar|notice|popup|modal|overlay|consent|dialog|law|layer|message)/i;

/** Form fields that a visitor fills in. */
const inputs = 'select, textarea, input:not([type="hidden" i]):not([type="submit" i]):not([type="button" i]):not([type="image" i])';

const headings = 'h1, h2, h3, h4, h5, h6';

const mainNames = 'main, [role="main"]';

const articleNames = 'article, [role="article"]';

/** A heading that links to another page. */
const linkedHeading = headings
  .split(', ')
  .flatMap((name) => [`${name} a[href]:not([href^="#"])`, `a[href]:not([href^="#"]) ${name}`])
  .join();

/** The text of a link from a heading to itself. */
const permalink = /^[#¶§🔗]*$/u;

/** The number of links in one element from which they are text for the library. */
const linksMax = 300;

/** The attribute that marks the main content for the library. */
const mark = 'data-main-content';

/**
 * Finds the main content of a page, and removes everything else from the document.
 * @param isWhole keeps elements that look like clutter only by their name, for a page without other content
 * @returns the HTML of the main content
 */
export async function mainContent(document: PageDocument, url: string, isWhole = false): Promise<string> {
  removeNoise(document, isWhole);
  saveContent(document);
  unlinkCrowds(document);
  contentElement(document)?.setAttribute(mark, '');
  const selection = isWhole
    ? { removeExactSelectors: false, removePartialSelectors: false, removeLowScoring: false, removeContentPatterns: false }
    : {};
  // The library must not fetch anything, because only this service checks addresses against its rules. Its standardization of
  // elements is not needed, and would insert spaces into words.
  const options = { useAsync: false, removeImages: true, standardize: false, fetch: refuse, contentSelector: `[${mark}]` };
  return (await Defuddle(document, url, { ...options, ...selection })).content;
}

/** Removes elements without content that the library would keep. */
function removeNoise(document: PageDocument, isWhole: boolean): void {
  for (const element of document.querySelectorAll(noise.join())) if (element !== document.body) element.remove();
  if (!isWhole) for (const element of document.querySelectorAll(banners.join())) if (isBanner(element)) element.remove();
  for (const link of document.querySelectorAll('a[href^="#"]'))
    if (link.closest(headings) && permalink.test(tidy(link.textContent ?? ''))) link.remove();
  removeCards(document);
}

/** Converts content that the library would remove because of element names. */
function saveContent(document: PageDocument): void {
  for (const button of document.querySelectorAll('button')) keepQuestion(document, button);
  const size = lengthOf(document.body);
  for (const form of document.querySelectorAll('form')) if (isLayout(form, size)) makePlain(document, form);
  for (const group of document.querySelectorAll('fieldset')) if (!group.querySelector(inputs)) makePlain(document, group);
  for (const header of document.querySelectorAll('main header, article header, section header'))
    if (header.querySelector(headings)) makePlain(document, header);
  // A menu without links is the menu of a restaurant.
  for (const menu of document.querySelectorAll('[class~="menu" i], [id="menu" i]'))
    if (!menu.querySelector('a[href]')) for (const name of ['class', 'id']) menu.removeAttribute(name);
}

/** Makes the links of elements with very many of them text: for each link, the library compares its text with that of its parent. */
function unlinkCrowds(document: PageDocument): void {
  const links = Map.groupBy(document.querySelectorAll('a[href]'), ({ parentNode }) => parentNode);
  for (const siblings of links.values()) if (siblings.length > linksMax) for (const link of siblings) link.removeAttribute('href');
}

/**
 * The element that contains all of the main content, if the page marks it. If there are several parts, the library would choose
 * only one.
 */
function contentElement(document: PageDocument): PageNode | null {
  const mains = outermost(document, mainNames);
  const articles = outermost(document, articleNames);
  const parts = mains.length > 0 ? mains : articles.length > 1 ? articles : [];
  const content = commonParent(parts);
  const beside = outermost(document, 'header, footer, aside').filter((element) => !element.closest(mainNames));
  const size = lengthOf(document.body) - beside.reduce((sum, element) => sum + lengthOf(element), 0);
  if (content && lengthOf(content) >= size / 2) return content;
  // An element with little of the text is only a part, which the library would still choose by its name.
  return mains.length > 0 ? document.body : null;
}

/** Removes teasers: articles with linked headings that lead to other pages, unless all articles are like that. */
function removeCards(document: PageDocument): void {
  const articles = outermost(document, articleNames);
  const cards = articles.filter((article) => article.querySelector(linkedHeading));
  if (cards.length < articles.length) for (const card of cards) card.remove();
}

/** The elements that match a selector and contain text, without elements nested in other matches. */
function outermost(document: PageDocument, selector: string): PageNode[] {
  return [...document.querySelectorAll(selector)].filter((element) => !element.parentNode?.closest(selector) && lengthOf(element) > 0);
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

function lengthOf(element: PageNode): number {
  return tidy(element.textContent ?? '').length;
}

/** Whether a form is used for the layout of a page: it has no fields to fill in, or it has headings and most of the text. */
function isLayout(form: PageNode, sizeOfPage: number): boolean {
  if (form.parentNode?.closest('form')) return false;
  if (!form.querySelector(inputs)) return true;
  return form.querySelector(`main, article, ${headings}`) !== null && lengthOf(form) > sizeOfPage / 2;
}

/** Replaces an element that the library would remove by its name with a plain element. */
function makePlain(document: PageDocument, element: PageNode): void {
  const plain = document.createElement('div');
  for (const child of [...element.childNodes]) plain.append(child);
  element.replaceWith(plain);
}

/** Whether an element is a cookie banner, and not content about cookies or consent. */
function isBanner(element: PageNode): boolean {
  if (element.nodeName.toUpperCase() === 'BODY' || element.querySelector('main, article, h1')) return false;
  return !element.closest('main, article') || bannerName.test(`${element.getAttribute('id') ?? ''} ${element.getAttribute('class') ?? ''}`);
}

/** Converts a button that expands the answer to a question into a heading. Other buttons are not text. */
function keepQuestion(document: PageDocument, button: PageNode): void {
  const text = tidy(textOf(button));
  const isInHeading = button.closest(headings) !== null;
  if (!isInHeading && !/[?？؟]$/u.test(text)) return;
  // The answer is hidden until it is expanded, and the library drops hidden elements.
  const panel = document.getElementById(button.getAttribute('aria-controls') ?? '');
  for (const name of ['hidden', 'aria-hidden', 'style', 'class']) panel?.removeAttribute(name);
  if (isInHeading) return button.replaceWith(text);
  const heading = document.createElement('h6');
  heading.textContent = text;
  button.replaceWith(heading);
}

function refuse(): never {
  throw new Unreadable('The page refers to content elsewhere');
}
