import { Defuddle } from 'defuddle/node';
import { Unreadable } from './document.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { textOf } from './html-sections.ts';
import { tidy } from './sections.ts';

/** Elements that are no content, and that the library for the main content does not always find. */
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
  // Of a page without a head, or of a drawing.
  'body title',
  'script',
  'style',
  'template',
  'noscript',
  'iframe',
];

/** Elements that may be banners about cookies. Outside of the main content, they are. */
const banners = ['cookie', 'consent', 'gdpr'].flatMap((word) => [`[id*="${word}" i]`, `[class*="${word}" i]`]);
const bannerName = /(cookies?|consent|gdpr)[-_]?(banner|bar|notice|popup|modal|overlay|consent|dialog|law|layer|message)/i;

/** Elements that a person fills in. */
const inputs = 'select, textarea, input:not([type="hidden" i]):not([type="submit" i]):not([type="button" i]):not([type="image" i])';

const headings = 'h1, h2, h3, h4, h5, h6';

const mainNames = 'main, [role="main"]';

const articleNames = 'article, [role="article"]';

/** A heading that leads to another page. */
const linkedHeading = headings
  .split(', ')
  .flatMap((name) => [`${name} a[href]:not([href^="#"])`, `a[href]:not([href^="#"]) ${name}`])
  .join();

/** The text of a link from a heading to itself. */
const permalink = /^[#¶§🔗]*$/u;

/** How the library is told which element the main content is. */
const mark = 'data-main-content';

/**
 * Finds the main content of a page, and removes the rest from the document.
 * @param isWhole keeps what only its name makes look like clutter, for a page that has nothing else
 * @returns its HTML
 */
export async function mainContent(document: PageDocument, url: string, isWhole = false): Promise<string> {
  removeNoise(document, isWhole);
  saveContent(document);
  contentElement(document)?.setAttribute(mark, '');
  const selection = isWhole
    ? { removeExactSelectors: false, removePartialSelectors: false, removeLowScoring: false, removeContentPatterns: false }
    : {};
  // The library must not fetch anything: what is fetched is checked against the rules on addresses. Its form of the elements is
  // not needed, and would put spaces into words.
  const options = { useAsync: false, removeImages: true, standardize: false, fetch: refuse, contentSelector: `[${mark}]` };
  return (await Defuddle(document, url, { ...options, ...selection })).content;
}

/** Removes what is no content, and that the library would leave. */
function removeNoise(document: PageDocument, isWhole: boolean): void {
  for (const element of document.querySelectorAll(noise.join())) if (element !== document.body) element.remove();
  if (!isWhole) for (const element of document.querySelectorAll(banners.join())) if (isBanner(element)) element.remove();
  for (const link of document.querySelectorAll('a[href^="#"]'))
    if (link.closest(headings) && permalink.test(tidy(link.textContent ?? ''))) link.remove();
  removeCards(document);
}

/** Gives content another form that the library would remove for the names of its elements. */
function saveContent(document: PageDocument): void {
  for (const button of document.querySelectorAll('button')) keepQuestion(document, button);
  const size = lengthOf(document.body);
  for (const form of document.querySelectorAll('form')) if (isLayout(form, size)) makePlain(document, form);
  for (const header of document.querySelectorAll('main header, article header, section header'))
    if (header.querySelector(headings)) makePlain(document, header);
  // A menu that is no list of links is that of a restaurant.
  for (const menu of document.querySelectorAll('[class~="menu" i], [id="menu" i]'))
    if (!menu.querySelector('a[href]')) for (const name of ['class', 'id']) menu.removeAttribute(name);
}

/** The element that has all of the main content, where the page says so. The library would choose one part of several. */
function contentElement(document: PageDocument): PageNode | null {
  const mains = outermost(document, mainNames);
  const articles = outermost(document, articleNames);
  const parts = mains.length > 0 ? mains : articles.length > 1 ? articles : [];
  const content = commonParent(parts);
  const beside = outermost(document, 'header, footer, aside').filter((element) => !element.closest(mainNames));
  const size = lengthOf(document.body) - beside.reduce((sum, element) => sum + lengthOf(element), 0);
  if (content && lengthOf(content) >= size / 2) return content;
  // What has little of the text is no more than a part, which the library would choose for its name.
  return mains.length > 0 ? document.body : null;
}

/** Removes articles that lead to other pages, as their linked headings show, where there are others. */
function removeCards(document: PageDocument): void {
  const articles = outermost(document, articleNames);
  const cards = articles.filter((article) => article.querySelector(linkedHeading));
  if (cards.length < articles.length) for (const card of cards) card.remove();
}

/** The elements with text that a selector finds and that are not within one another. */
function outermost(document: PageDocument, selector: string): PageNode[] {
  return [...document.querySelectorAll(selector)].filter((element) => !element.parentNode?.closest(selector) && lengthOf(element) > 0);
}

/** The innermost element that holds all of several; of one element, itself. */
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

/** Whether a form is the layout of a page rather than something to fill in: it has nothing to fill in, or headings and most of the text. */
function isLayout(form: PageNode, sizeOfPage: number): boolean {
  if (form.parentNode?.closest('form')) return false;
  if (!form.querySelector(inputs)) return true;
  return form.querySelector(`main, article, ${headings}`) !== null && lengthOf(form) > sizeOfPage / 2;
}

/** Makes a plain element of one whose name would have it removed. */
function makePlain(document: PageDocument, element: PageNode): void {
  const plain = document.createElement('div');
  for (const child of [...element.childNodes]) plain.append(child);
  element.replaceWith(plain);
}

/** Whether an element is a banner about cookies, and not content about cookies or a consent. */
function isBanner(element: PageNode): boolean {
  if (element.nodeName.toUpperCase() === 'BODY' || element.querySelector('main, article, h1')) return false;
  return !element.closest('main, article') || bannerName.test(`${element.getAttribute('id') ?? ''} ${element.getAttribute('class') ?? ''}`);
}

/** Makes a heading of a button that opens the answer to a question. Other buttons are no text. */
function keepQuestion(document: PageDocument, button: PageNode): void {
  const text = tidy(textOf(button));
  const isInHeading = button.closest(headings) !== null;
  if (!isInHeading && !/[?？؟]$/u.test(text)) return;
  // The answer is hidden until somebody asks for it, and what is hidden is left out.
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
