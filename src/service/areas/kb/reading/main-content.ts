import { removeClutter } from './clutter.ts';
import { contentElement } from './content-element.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { headings, inputs, lengthOf, linkedHeading, outermost } from './elements.ts';
import { textOf } from './html-sections.ts';
import { tidy } from './sections.ts';

/** Elements that are never content. */
const noise = [
  'nav',
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
  // The numbers of lines of code.
  '.linenos',
  '.lineno',
  'td.gutter',
  // The links to edit a section of a wiki.
  '.mw-editsection',
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
const permalink = /^[#¶§🔗\u200B\u2060\uFEFF\s]*$/u;

/** The class of an element that a click opens. */
const panelName = /(?:^|[\s_-])(?:tab|tab-?(?:pane|panel|content)|panel|accordion|collapse|collapsible|answer)(?:$|[\s_-])/i;

/** How pages hide elements. */
const hidden = '[hidden], [aria-hidden="true" i], [style], .hidden';

/**
 * Finds the main content of a page, and removes everything else from the document.
 * @param isWhole keeps elements that look like clutter only by their name, for a page without other content
 * @returns the main content
 */
export function mainContent(document: PageDocument, isWhole = false): PageNode {
  removeNoise(document, isWhole);
  saveContent(document);
  if (isWhole) return document.body;
  removeHidden(document);
  removeClutter(document);
  return contentElement(document);
}

/** Removes elements without content. */
function removeNoise(document: PageDocument, isWhole: boolean): void {
  for (const element of document.querySelectorAll(noise.join())) if (element !== document.body) element.remove();
  if (!isWhole) {
    for (const element of document.querySelectorAll(banners.join())) if (isBanner(element)) element.remove();
    for (const element of document.querySelectorAll(furniture.join())) if (isFurniture(element)) element.remove();
  }
  for (const link of document.querySelectorAll('a[href*="#"]')) if (permalink.test(link.textContent ?? '')) link.remove();
  removeCards(document);
}

/** Makes questions of buttons, and plain elements of forms that are only used for layout. */
function saveContent(document: PageDocument): void {
  for (const button of document.querySelectorAll('button')) keepQuestion(document, button);
  const size = lengthOf(document.body);
  for (const form of document.querySelectorAll('form')) if (isLayout(form, size)) makePlain(document, form);
}

/** Removes what is hidden, unless it belongs to the heading before it, or is most of the page, which scripts show then. */
function removeHidden(document: PageDocument): void {
  const elements = [...document.body.querySelectorAll(hidden)].filter((element) => isHidden(element) && !isOpened(element));
  const size = elements.reduce((sum, element) => sum + (element.parentNode?.closest(hidden) ? 0 : lengthOf(element)), 0);
  if (size < lengthOf(document.body) / 2) for (const element of elements) element.remove();
}

function isHidden(element: PageNode): boolean {
  if (element.hasAttribute('hidden') || /^true$/i.test(element.getAttribute('aria-hidden') ?? '')) return true;
  if (/(?:^|;)\s*display\s*:\s*none/i.test(element.getAttribute('style') ?? '')) return true;
  const names = (element.getAttribute('class') ?? '').split(/\s+/);
  // With some frameworks, an element is hidden on small screens only.
  return names.includes('hidden') && !names.some((name) => /:(?:block|flex|grid|inline|table|contents)/.test(name));
}

/** Whether a visitor can open an element that is hidden at first: the panel of a tab, or what follows a heading. */
function isOpened(element: PageNode): boolean {
  if (element.getAttribute('role') === 'tabpanel' || element.closest('details') || panelName.test(element.getAttribute('class') ?? ''))
    return true;
  const before = element.previousElementSibling;
  return before !== null && (/^(H[1-6]|DT|SUMMARY)$/i.test(before.nodeName) || before.querySelector(headings) !== null);
}

/** Removes teasers: articles with linked headings that lead to other pages, unless they are most of the page. */
function removeCards(document: PageDocument): void {
  const articles = outermost(document, 'article, [role="article"]');
  const cards = articles.filter((article) => article.querySelector(linkedHeading));
  const size = cards.reduce((sum, card) => sum + lengthOf(card), 0);
  if (cards.length < articles.length || size < lengthOf(document.body) / 2) for (const card of cards) card.remove();
}

/** Whether a form is used for the layout of a page: it has no fields to fill in, or it has headings and most of the text. */
function isLayout(form: PageNode, sizeOfPage: number): boolean {
  if (form.parentNode?.closest('form')) return false;
  if (!form.querySelector(inputs)) return true;
  return form.querySelector(`main, article, ${headings}`) !== null && lengthOf(form) > sizeOfPage / 2;
}

/** Replaces an element that would be removed by its name with a plain element. */
function makePlain(document: PageDocument, element: PageNode): void {
  const plain = document.createElement('div');
  for (const child of [...element.childNodes]) plain.append(child);
  element.replaceWith(plain);
}

/** Whether an element is a cookie banner, and not content about cookies or consent. */
function isBanner(element: PageNode): boolean {
  if (element.nodeName.toUpperCase() === 'BODY' || element.querySelector('main, article, h1')) return false;
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

/** Converts a button that expands the answer to a question into a heading. Other buttons are not text. */
function keepQuestion(document: PageDocument, button: PageNode): void {
  const text = tidy(textOf(button));
  const isInHeading = button.closest(headings) !== null;
  if (!isInHeading && !/[?？؟]$/u.test(text)) return;
  // The answer is hidden until it is expanded.
  const panel = document.getElementById(button.getAttribute('aria-controls') ?? '');
  for (const name of ['hidden', 'aria-hidden', 'style', 'class']) panel?.removeAttribute(name);
  if (isInHeading) return button.replaceWith(text);
  const heading = document.createElement('h6');
  heading.textContent = text;
  button.replaceWith(heading);
}
