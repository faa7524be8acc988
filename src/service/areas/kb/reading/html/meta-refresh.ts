import { pageAddress } from '../../../../../contract/areas/kb/address.ts';
import { refreshTarget } from '../../sites/refresh-target.ts';
import { Moved } from '../document.ts';
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
