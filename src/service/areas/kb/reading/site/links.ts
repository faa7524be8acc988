import { hostOf, pageAddress, pageKey } from '../../../../../contract/areas/kb/address.ts';
import { decodeText } from '../charset.ts';
import type { PageLink, PageLinks } from '../document.ts';
import type { PageDocument } from '../html/dom.ts';
import { parsePage } from '../html/parse-page.ts';
import { titleOf } from '../html/page-name.ts';
import { checkStays } from '../html/meta-refresh.ts';
import { robotsDirectives } from './robots-directives.ts';
import { addressOnHost, isPage } from './site-pages.ts';
import { formOf, isTrap } from './traps.ts';

/** A page whose links are read. */
export interface LinksTask {
  readonly contentType: string | null;
  readonly url: string;
  readonly robotsTag: string;
  /** In epoch milliseconds. */
  readonly now: number;
}

/** The maximum number of links of a page that are followed, and of the characters of their addresses together. */
const linksMax = 5_000;
const lengthMax = 1024 * 1024;

/**
 * Reads what a page says of itself, and its links to other pages of its host.
 * @param robotsTag the header `X-Robots-Tag`, empty without one
 * @throws Moved when it leads to another page at once
 */
export function readLinks(bytes: Buffer, { contentType, url, robotsTag, now }: LinksTask): PageLinks {
  const document = parsePage(decodeText(bytes, contentType));
  checkStays(document, url);
  const base = URL.parse(document.querySelector('base[href]')?.getAttribute('href') ?? '', url);
  const address = base && /^https?:$/.test(base.protocol) ? base.href : url;
  const { noIndex, noFollow } = robotsDirectives(document, robotsTag, now);
  const canonical = document.querySelector('link[rel~="canonical" i][href]')?.getAttribute('href') ?? '';
  return {
    title: titleOf(document),
    links: noFollow ? [] : linksIn(document, address, hostOf(new URL(url))),
    canonical: (canonical !== '' && pageAddress(URL.parse(canonical, address)?.href ?? '')?.href) || null,
    isHidden: noIndex,
  };
}

function linksIn(document: PageDocument, base: string, host: string): PageLink[] {
  const links = new Map<string, PageLink>();
  let length = 0;
  for (const element of document.querySelectorAll('a[href], area[href]')) {
    if (/\bnofollow\b/i.test(element.getAttribute('rel') ?? '')) continue;
    const url = addressOnHost(element.getAttribute('href') ?? '', base, host);
    if (!url || !isPage(url) || isTrap(url)) continue;
    const key = pageKey(url);
    if (links.has(key)) continue;
    length += url.href.length;
    if (links.size === linksMax || length > lengthMax) break;
    links.set(key, { url: url.href, key, form: formOf(url) });
  }
  return [...links.values()];
}
