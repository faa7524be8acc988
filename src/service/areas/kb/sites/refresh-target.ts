import { pageAddress } from '../../../../contract/areas/kb/address.ts';

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
