import { pageAddress } from '../../../../contract/areas/kb/address.ts';
import { Moved } from './document.ts';
import type { PageDocument } from './dom.ts';

/** Checks that a page does not lead to another one at once. What is for browsers without scripts does not count. @throws Moved */
export function checkStays(document: PageDocument, url: string): void {
  const base = URL.parse(document.querySelector('base[href]')?.getAttribute('href') ?? '', url)?.href ?? url;
  for (const meta of document.querySelectorAll('meta[http-equiv="refresh" i]')) {
    if (meta.closest('noscript')) continue;
    const target = refreshTarget(meta.getAttribute('content') ?? '', base);
    if (target !== undefined && target !== pageAddress(url)?.href) throw new Moved(target);
  }
}

/**
 * The address that a refresh leads to at once; undefined when it leads nowhere, or later.
 * @param text such as `0; url=/new`
 * @param base the address that it is relative to
 */
export function refreshTarget(text: string, base: string): string | undefined {
  const rest = /^\s*(?:0+(?:\.[\d.]*)?|\.[\d.]*)(?:\s*[;,]|\s)\s*(.*)$/s.exec(text)?.[1] ?? '';
  const address = rest.replace(/^url\s*=\s*/i, '');
  const unquoted = /^(["'])(.*?)(?:\1|$)/s.exec(address)?.[2] ?? address;
  return unquoted.trim() === '' ? undefined : pageAddress(URL.parse(unquoted.trim(), base)?.href ?? '')?.href;
}
