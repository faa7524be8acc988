import { Defuddle } from 'defuddle/node';
import { decodeText } from './charset.ts';
import { type PageLinks, type ReadDocument, Unreadable } from './document.ts';
import { type PageDocument, type PageNode, parsePage } from './dom.ts';
import { writeElements } from './html-sections.ts';
import { markedFaqs } from './marked-faqs.ts';
import { SectionWriter, tidy, titleFrom } from './sections.ts';

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

/**
 * Reads the main content of a page.
 * @param contentType the header, if there was one
 */
export async function readPage(bytes: Buffer, contentType: string | null, url: string): Promise<ReadDocument> {
  const html = decodeText(bytes, contentType);
  const document = parsePage(html);
  const title = titleOf(document);
  const faqs = markedFaqs(document);
  return { title, faqs, sections: await sectionsOf(document, url, title) };
}

/** Reads the headings, paragraphs, lists and tables of a fragment that has nothing but content. */
export function readFragment(html: string, firstHeading: string | null): ReadDocument['sections'] {
  const { body } = parsePage(`<html><body>${html}</body></html>`);
  const writer = new SectionWriter();
  if (firstHeading !== null) writer.heading(1, firstHeading);
  writeElements(body, writer);
  return writer.end();
}

/** How many links of a page are followed. */
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

async function sectionsOf(document: PageDocument, url: string, title: string | null): Promise<ReadDocument['sections']> {
  for (const element of document.querySelectorAll(noise.join())) if (element !== document.body) element.remove();
  for (const element of document.querySelectorAll(banners.join())) if (isBanner(element)) element.remove();
  for (const button of document.querySelectorAll('button')) keepQuestion(document, button);
  const firstHeading = tidy(document.querySelector('h1')?.textContent ?? '') || title;
  // The library must not fetch anything: what is fetched is checked against the rules on addresses.
  const { content } = await Defuddle(document, url, { useAsync: false, removeImages: true, fetch: refuse });
  return readFragment(content, firstHeading);
}

/** Whether an element is a banner about cookies, and not content about cookies or a consent. */
function isBanner(element: PageNode): boolean {
  if (element.nodeName.toUpperCase() === 'BODY' || element.querySelector('main, article, h1')) return false;
  return !element.closest('main, article') || bannerName.test(`${element.getAttribute('id') ?? ''} ${element.getAttribute('class') ?? ''}`);
}

/** Makes a heading of a button that opens the answer to a question. Other buttons are no text. */
function keepQuestion(document: PageDocument, button: PageNode): void {
  const text = tidy(button.textContent ?? '');
  const isInHeading = button.closest('h1, h2, h3, h4, h5, h6') !== null;
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

function titleOf(document: PageDocument): string | null {
  return titleFrom(document.querySelector('title')?.textContent ?? '') ?? titleFrom(document.querySelector('h1')?.textContent ?? '');
}

function absolute(href: string, base: string): string | undefined {
  const url = URL.parse(href.trim(), base);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  url.hash = '';
  return url.href;
}
