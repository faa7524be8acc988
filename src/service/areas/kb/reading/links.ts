import { hostOf, pageAddress, pageKey } from '../../../../contract/areas/kb/address.ts';
import { decodeText } from './charset.ts';
import type { PageLink, PageLinks } from './document.ts';
import { type PageDocument, parsePage } from './dom.ts';
import { titleOf } from './html.ts';
import { addressOnHost, isPage } from './site-pages.ts';
import { formOf, isTrap } from './traps.ts';

/** The maximum number of links of a page that are followed, and of the characters of their addresses together. */
const linksMax = 5_000;
const lengthMax = 1024 * 1024;

/** Reads what a page says of itself, and its links to other pages of its host. */
export function readLinks(bytes: Buffer, contentType: string | null, url: string): PageLinks {
  const document = parsePage(decodeText(bytes, contentType));
  const base = URL.parse(document.querySelector('base[href]')?.getAttribute('href') ?? '', url);
  const address = base && /^https?:$/.test(base.protocol) ? base.href : url;
  const robots = (document.querySelector('meta[name="robots" i]')?.getAttribute('content') ?? '').toLowerCase();
  const canonical = document.querySelector('link[rel="canonical" i][href]')?.getAttribute('href') ?? '';
  return {
    title: titleOf(document),
    links: /\b(nofollow|none)\b/.test(robots) ? [] : linksIn(document, address, hostOf(new URL(url))),
    canonical: (canonical !== '' && pageAddress(URL.parse(canonical, address)?.href ?? '')?.href) || null,
    isHidden: /\b(noindex|none)\b/.test(robots),
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
