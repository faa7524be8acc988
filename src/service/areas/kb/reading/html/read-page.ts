import { decodeText } from '../charset.ts';
import type { ReadDocument } from '../document.ts';
import { SectionWriter } from '../sections.ts';
import type { PageNode } from './dom.ts';
import { lengthOf, visibleLength } from './elements.ts';
import { leadWithHeadings } from './leading-headings.ts';
import { mainContent, wholeContent } from './main-content.ts';
import { markedFaqs } from './marked-faqs.ts';
import { checkStays } from './meta-refresh.ts';
import { firstHeadingOf, namesOfSite, titleOf } from './page-name.ts';
import { parsePage } from './parse-page.ts';
import { writeElements } from './write-elements.ts';

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
  const siteNames = namesOfSite(document, url);
  const faqs = markedFaqs(document);
  const length = visibleLength(document);
  const content = mainContent(document);
  const sections = sectionsOf(content, firstHeadingOf(document, siteNames) ?? title);
  if (sections.length > 0 || faqs.length > 0) return { title, faqs, sections, kept: shareOf(content, length) };
  const whole = parsePage(html);
  const all = wholeContent(whole);
  return { title, faqs, sections: sectionsOf(all, firstHeadingOf(whole, siteNames) ?? title), kept: shareOf(all, length) };
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
