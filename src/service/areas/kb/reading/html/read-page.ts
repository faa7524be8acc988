import { decodeText } from '../charset.ts';
import type { ReadDocument } from '../document.ts';
import { SectionWriter, tidy, titleFrom } from '../sections.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { headings, lengthOf, titleElement, visibleLength } from './elements.ts';
import { leadWithHeadings } from './leading-headings.ts';
import { isLinked } from './link-share.ts';
import { mainContent, wholeContent } from './main-content.ts';
import { markedFaqs } from './marked-faqs.ts';
import { checkStays } from './meta-refresh.ts';
import { parsePage } from './parse-page.ts';
import { textOf, writeElements } from './write-elements.ts';

/**
 * Reads the main content of a page.
 * @param contentType the header, if present
 * @throws Moved when it leads to another page at once
 */
export function readPage(bytes: Buffer, contentType: string | null, url: string): ReadDocument {
  const html = decodeText(bytes, contentType);
  const document = parsePage(html);
  checkStays(document, url);
  const title = titleOf(document);
  const faqs = markedFaqs(document);
  const length = visibleLength(document);
  const content = mainContent(document);
  const sections = sectionsOf(content, firstHeadingOf(document) ?? title);
  if (sections.length > 0 || faqs.length > 0) return { title, faqs, sections, kept: shareOf(content, length) };
  const whole = parsePage(html);
  const all = wholeContent(whole);
  return { title, faqs, sections: sectionsOf(all, firstHeadingOf(whole) ?? title), kept: shareOf(all, length) };
}

function shareOf(content: PageNode, length: number): number {
  return length > 0 ? Math.min(1, lengthOf(content) / length) : 1;
}

/** Reads an HTML fragment that consists only of content. */
export function readFragment(html: string): ReadDocument['sections'] {
  return sectionsOf(parsePage(`<html><body>${html}</body></html>`).body, null);
}

/** The headings, paragraphs, lists and tables of an element. */
function sectionsOf(content: PageNode, firstHeading: string | null): ReadDocument['sections'] {
  leadWithHeadings(content);
  const writer = new SectionWriter();
  if (firstHeading !== null) writer.heading(1, firstHeading);
  writeElements(content, writer);
  return writer.end();
}

/** The title of a page: its title element, or else its first heading. */
export function titleOf(document: PageDocument): string | null {
  return titleFrom(document.querySelector('title')?.textContent ?? '') ?? titleFrom(headingOf(document));
}

/** The heading of a page. Where that is the name of the site, which ends the title of the page, the title without it. */
function firstHeadingOf(document: PageDocument): string | null {
  const heading = headingOf(document);
  const title = tidy(document.querySelector('title')?.textContent ?? '');
  const [, first = '', second = ''] = /^(.+?)(?:\s*[|–—:·»-]\s+|｜|(?<=\p{scx=Han})_)(.+)$/u.exec(title) ?? [];
  if (second === '') return heading || null;
  return nameOfPage(document, heading, first, second) || null;
}

/** The name of a page, whose title has two parts: either can be the name of the site. */
function nameOfPage(document: PageDocument, heading: string, first: string, second: string): string {
  const h1 = titleElement(document);
  const siteName = tidy(document.querySelector('meta[property="og:site_name"]')?.getAttribute('content') ?? '');
  const isHeading = (text: string) =>
    [...document.querySelectorAll(headings)].some((each) => each !== h1 && tidy(each.textContent ?? '') === text);
  if (heading === first) return heading === siteName || (second !== siteName && isHeading(second)) ? second : heading;
  const isInHead = (h1?.closest('header, [id="header" i]') ?? null) !== null;
  if (heading !== second) return isInHead && heading.startsWith(second) ? first : heading;
  if (first === siteName) return heading;
  return heading === siteName || isInHead || (h1 && isLinked(h1)) || isHeading(first) ? first : heading;
}

function headingOf(document: PageDocument): string {
  const heading = titleElement(document);
  return heading ? tidy(textOf(heading)) : '';
}
