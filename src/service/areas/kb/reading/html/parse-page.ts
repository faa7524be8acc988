import { parseHTML } from 'linkedom';
import { parse, serialize } from 'parse5';
import { showContactDetails } from '../contact-details.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { replaceBy } from './elements.ts';
import { removeStruckOut } from './struck-out.ts';

/** An element in XHTML that has no content. In HTML, it would not end before the page does. */
const emptyElement =
  /<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)([a-z][\w:-]*)((?:\s[^<>]{0,10000})?)\/>/gi;

/**
 * Parses a page into the form that all readers expect: the elements that a browser sees, names in lower case, headings as heading
 * elements, contact details as text, and nothing that is struck out.
 */
export function parsePage(html: string): PageDocument {
  const { document } = parseHTML(wellFormed(html)) as unknown as { document: PageDocument };
  showShadows(document);
  removeStruckOut(document);
  for (const element of [...document.querySelectorAll('[role="heading" i]')]) makeHeading(document, element);
  showContactDetails(document);
  return document;
}

/**
 * A page with all of its tags, in their places. The library that makes the document does not add those that are left out, and
 * drops what stands behind the end of the body.
 */
function wellFormed(html: string): string {
  const text = /^\s*<\?xml\b/.test(html) ? html.replace(emptyElement, '<$1$2></$1>') : html;
  return serialize(parse(text, { scriptingEnabled: false }));
}

/** Shows what is in shadow roots, before what their elements have besides. What is in a template is found once it is shown. */
function showShadows(document: PageDocument): void {
  const shown: PageNode[] = [document.body];
  for (const part of shown)
    for (const shadow of part.querySelectorAll('template[shadowrootmode]')) {
      shown.push(replaceBy(document, shadow, 'div'));
    }
}

/** Replaces an element that only its role makes a heading. */
function makeHeading(document: PageDocument, element: PageNode): void {
  if (/^H[1-6]$/i.test(element.nodeName)) return;
  const level = Number(element.getAttribute('aria-level') ?? 2);
  replaceBy(document, element, `h${level >= 1 && level <= 6 ? level : 6}`);
}
