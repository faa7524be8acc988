import { parseHTML } from 'linkedom';
import { showContactDetails } from './contact-details.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { removeStruckOut } from './struck-out.ts';

/**
 * Parses a page into the form that all readers expect: names of attributes in lower case, headings as heading elements, contact
 * details as text, and nothing that is struck out. The library does not add tags that HTML allows to omit, so they are added here.
 */
export function parsePage(html: string): PageDocument {
  const { document } = parseHTML(withBody(html)) as unknown as { document: PageDocument };
  for (const element of [...document.querySelectorAll('*')]) foldAttributes(element);
  removeStruckOut(document);
  for (const element of [...document.querySelectorAll('[role="heading" i]')]) makeHeading(document, element);
  showContactDetails(document);
  return document;
}

/** The library keeps the case of attribute names, and selectors and `getAttribute` respect it. */
function foldAttributes(element: PageNode): void {
  for (const name of [...element.getAttributeNames()]) {
    const folded = name.toLowerCase();
    if (folded === name) continue;
    const value = element.getAttribute(name) ?? '';
    element.removeAttribute(name);
    if (!element.hasAttribute(folded)) element.setAttribute(folded, value);
  }
}

/** Replaces an element that only its role makes a heading. */
function makeHeading(document: PageDocument, element: PageNode): void {
  if (/^H[1-6]$/i.test(element.nodeName)) return;
  const level = Number(element.getAttribute('aria-level') ?? 2);
  const heading = document.createElement(`h${level >= 1 && level <= 6 ? level : 6}`);
  for (const child of [...element.childNodes]) heading.append(child);
  element.replaceWith(heading);
}

function withBody(html: string): string {
  if (/<body[\s>]/i.test(html)) return html;
  const bare = html.replace(/<!doctype[^>]*>|<\/?html\b[^>]*>/gi, '');
  const end = /<\/head\s*>/i.exec(bare);
  const head = end ? bare.slice(0, end.index) + end[0] : '<head></head>';
  return `<html>${head}<body>${end ? bare.slice(head.length) : bare}</body></html>`;
}
