import { tidy, titleFrom } from '../sections.ts';
import type { PageDocument } from './dom.ts';
import { headings, mainParts, titleElement } from './elements.ts';
import { isLinked } from './link-share.ts';
import { textOf } from './text-of.ts';

// What a page is called (rule kb.97).

/**
 * What the site is called: by its meta element, and by the links of other pages to the first one, such as a logo with its name. It is asked
 * before menus are removed.
 * @param url the address of the page
 */
export function namesOfSite(document: PageDocument, url: string): Set<string> {
  const name = document.querySelector('meta[property="og:site_name"]')?.getAttribute('content') ?? '';
  // What leads from the first page to itself can also be its own name.
  const links = isFirstPage(url, url) ? [] : [...document.querySelectorAll('a[href]')];
  const homes = links.filter((link) => isFirstPage(link.getAttribute('href') ?? '', url));
  return new Set([name, ...homes.map((link) => link.textContent ?? '')].map(tidy).filter((text) => text !== ''));
}

/** Whether an address is that of the first page of a site. @param url the address of another page */
function isFirstPage(href: string, url: string): boolean {
  const [linked, page] = [URL.parse(href, url), URL.parse(url)];
  if (!linked || linked.origin !== page?.origin) return false;
  return /^\/(?:index\.\w+)?$/.test(linked.pathname) && linked.search + linked.hash === '';
}

/** The title of a page: its title element, or else its first heading. */
export function titleOf(document: PageDocument): string | null {
  return titleFrom(document.querySelector('title')?.textContent ?? '') ?? titleFrom(headingOf(document));
}

/** The first part of a title, and the rest. */
const titleParts = /^(.+?)(?:\s*[|–—:·«»‹›•~-]\s+|｜|(?<=[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}])[_|])(.+)$/u;

/** The heading of a page. Where that is the name of the site, the title of the page without it (rule kb.97). */
export function firstHeadingOf(document: PageDocument, siteNames: ReadonlySet<string>): string | null {
  const heading = headingOf(document);
  const title = tidy(document.querySelector('title')?.textContent ?? '');
  const [, first = '', second = ''] = titleParts.exec(title) ?? [];
  if (second === '') return heading || null;
  // What the site is called can have a line below it.
  const [, site = second] = titleParts.exec(second) ?? [];
  return nameOfPage(document, heading, [first, siteNames.has(site) ? site : second], siteNames) || null;
}

/** The name of a page, whose title has two parts: either can be the name of the site. */
function nameOfPage(
  document: PageDocument,
  heading: string,
  [first, second]: readonly [string, string],
  siteNames: ReadonlySet<string>,
): string {
  const h1 = titleElement(document);
  const isHeading = (text: string) =>
    [...document.querySelectorAll(headings)].some((each) => each !== h1 && tidy(each.textContent ?? '') === text);
  if (heading === '') {
    if (siteNames.has(first)) return second;
    const firstOfAll = tidy(document.querySelector(headings)?.textContent ?? '');
    return siteNames.has(second) || (firstOfAll === first && !isHeading(second)) ? first : '';
  }
  if (heading === first) return siteNames.has(first) || (!siteNames.has(second) && isHeading(second)) ? second : heading;
  const isInHead = h1 !== undefined && h1.closest('header, [id="header" i], [role="banner"]') !== null && h1.closest(mainParts) === null;
  if (heading !== second) return isInHead && heading.startsWith(second) ? first : heading;
  if (siteNames.has(first)) return heading;
  return siteNames.has(heading) || isInHead || (h1 && isLinked(h1)) || isHeading(first) ? first : heading;
}

function headingOf(document: PageDocument): string {
  const heading = titleElement(document);
  return heading ? tidy(textOf(heading)) : '';
}
