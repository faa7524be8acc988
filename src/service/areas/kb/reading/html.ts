import { decodeText } from './charset.ts';
import type { PageLinks, ReadDocument } from './document.ts';
import { type PageDocument, parsePage } from './dom.ts';
import { textOf, writeElements } from './html-sections.ts';
import { mainContent } from './main-content.ts';
import { markedFaqs } from './marked-faqs.ts';
import { SectionWriter, tidy, titleFrom } from './sections.ts';

/**
 * Reads the main content of a page.
 * @param contentType the header, if present
 */
export async function readPage(bytes: Buffer, contentType: string | null, url: string): Promise<ReadDocument> {
  const html = decodeText(bytes, contentType);
  const document = parsePage(html);
  const title = titleOf(document);
  const faqs = markedFaqs(document);
  const content = await mainContent(document, url);
  const sections = readFragment(content, headingOf(document) || title);
  if (sections.length > 0 || faqs.length > 0) return { title, faqs, sections };
  const whole = await mainContent(parsePage(html), url, true);
  return { title, faqs, sections: readFragment(whole, headingOf(document) || title) };
}

/** Reads the headings, paragraphs, lists and tables of an HTML fragment that consists only of content. */
export function readFragment(html: string, firstHeading: string | null): ReadDocument['sections'] {
  const { body } = parsePage(`<html><body>${html}</body></html>`);
  const writer = new SectionWriter();
  if (firstHeading !== null) writer.heading(1, firstHeading);
  writeElements(body, writer);
  return writer.end();
}

/** The maximum number of links of a page that are followed. */
const linksMax = 5_000;

/** Reads the links of a page, relative to its address. */
export function readLinks(bytes: Buffer, contentType: string | null, url: string): PageLinks {
  const document = parsePage(decodeText(bytes, contentType));
  const base = absolute(document.querySelector('base[href]')?.getAttribute('href') ?? '', url) ?? url;
  const robots = (document.querySelector('meta[name="robots" i]')?.getAttribute('content') ?? '').toLowerCase();
  const follows = !/\b(nofollow|none)\b/.test(robots);
  const links = new Set<string>();
  if (follows)
    for (const element of document.querySelectorAll('a[href], area[href]')) {
      if (/\bnofollow\b/i.test(element.getAttribute('rel') ?? '')) continue;
      const link = absolute(element.getAttribute('href') ?? '', base);
      if (link !== undefined) links.add(link);
    }
  const canonical = document.querySelector('link[rel="canonical" i][href]')?.getAttribute('href') ?? '';
  return {
    title: titleOf(document),
    links: [...links].slice(0, linksMax),
    canonical: (canonical !== '' && absolute(canonical, base)) || null,
    isHidden: /\b(noindex|none)\b/.test(robots),
  };
}

function titleOf(document: PageDocument): string | null {
  return titleFrom(document.querySelector('title')?.textContent ?? '') ?? titleFrom(headingOf(document));
}

function headingOf(document: PageDocument): string {
  const heading = document.querySelector('h1');
  return heading ? tidy(textOf(heading)) : '';
}

function absolute(href: string, base: string): string | undefined {
  const url = URL.parse(href.trim(), base);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  url.hash = '';
  return url.href;
}
