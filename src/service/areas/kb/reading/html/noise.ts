import type { PageDocument, PageNode } from './dom.ts';
import { hasTextBeside, headings, lengthOf, outermost, replaceBy, visibleLength } from './elements.ts';

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
  // What Webflow adds to a page.
  '.w-webflow-badge',
  // What Jetpack adds to a post: links that share it, and related posts.
  '.sharedaddy',
  '#jp-relatedposts',
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
  '.linenumber',
  '.crayon-num',
  '.lnt',
  'pre .ln',
  'td.gutter',
  // What MediaWiki adds to a text: links to edit a section, to skip the menu, from and to footnotes, and to the categories.
  '.mw-editsection',
  '.mw-jump-link',
  '.mw-cite-backlink',
  'sup.reference',
  '#siteSub',
  '.printfooter',
  '#catlinks',
  // What Joomla says of a text: its writer, category and date.
  'dl.article-info',
];

/** The text of a link from a heading to itself. */
const permalink = /^[#¶§↩↑^🔗⚓◆∞\uFE0E\uFE0F\uE000-\uF8FF\u200B\u2060\uFEFF\s]*$/u;

/** Removes elements without content. */
export function removeNoise(document: PageDocument): void {
  showWithoutScripts(document);
  for (const element of document.querySelectorAll(noise.join())) if (element !== document.body) element.remove();
  for (const link of document.querySelectorAll('a[href*="#"]')) if (permalink.test(link.textContent ?? '')) link.remove();
  for (const element of document.querySelectorAll(unseen)) if (isSpokenBeside(element)) element.remove();
}

/** The length from which a page has text for visitors without scripts, and more than the request to turn them on. */
const textWithoutScripts = 500;

/** Shows what visitors without scripts see, where that is most of the page. */
function showWithoutScripts(document: PageDocument): void {
  const texts = outermost(document, 'noscript');
  const length = texts.reduce((sum, text) => sum + lengthOf(text), 0);
  if (length >= textWithoutScripts && length > visibleLength(document)) for (const text of texts) replaceBy(document, text, 'div');
}

/** Text that only screen readers say. */
const unseen = '.sr-only, .visually-hidden, .visuallyhidden, .screen-reader-text, .screen-reader-only';

/**
 * Whether text for screen readers stands beside visible text, such as "opens in a new tab". Alone, it describes a picture. Beside an
 * element that is hidden from screen readers, it replaces it.
 */
function isSpokenBeside(element: PageNode): boolean {
  if (element.querySelector(headings) || element.closest(headings)) return false;
  const beside = [element.previousElementSibling, element.nextElementSibling ?? element.parentNode?.nextElementSibling];
  if (beside.some((other) => other?.getAttribute('aria-hidden') === 'true')) return false;
  return hasTextBeside(element);
}
