import { hostOf, pageAddress } from '../../../../../contract/areas/kb/address.ts';

/** File name extensions of addresses that are not pages. */
const files =
  /\.(png|jpe?g|gif|svg|webp|avif|ico|css|js|mjs|json|xml|rss|atom|woff2?|ttf|zip|gz|tgz|rar|7z|dmg|exe|mp[34]|m4a|wav|avi|mov|webm|ics)$/i;

/**
 * The address of something on a host.
 * @param base the address that it is relative to; undefined when it must not be relative
 * @returns undefined when it is no page address, or is on another host
 */
export function addressOnHost(text: string, base: string | undefined, host: string): URL | undefined {
  const url = pageAddress(URL.parse(text, base)?.href ?? '');
  return url && hostOf(url) === host ? url : undefined;
}

/** Whether an address may be that of a page, going by its file name extension. */
export function isPage({ pathname }: URL): boolean {
  return !files.test(pathname);
}
