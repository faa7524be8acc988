import type { Client } from '../../../client/client.ts';
import { InterfaceError } from '../../../client/errors.ts';
import { namedHost, pageAddress, pageKey } from '../../../contract/areas/kb/address.ts';
import { listSources } from '../../../contract/areas/kb/endpoints.ts';
import { counted } from '../../../contract/counted.ts';

/**
 * Finds out which pages are in the knowledge base. Failed or cancelled imports do not count (rule kb.11). If the API cannot
 * list sources, all pages count as missing.
 * @returns a function that returns whether a page is in the knowledge base
 */
export async function readPresent(client: Client, urls: readonly string[]): Promise<(url: string) => boolean> {
  const present = new Set<string>();
  try {
    for (const host of new Set(urls.flatMap((url) => namedHost(url) ?? [])))
      for (const url of await presentPages(client, host)) present.add(keyOf(url));
  } catch (error) {
    if (!(error instanceof InterfaceError) || error.status !== 404) throw error;
  }
  return (url) => present.has(keyOf(url));
}

/** The pages of a website that are in the knowledge base. */
async function presentPages(client: Client, host: string): Promise<string[]> {
  const sources = await client.all(listSources, { query: { host } });
  return sources.flatMap(({ url, status }) => (url === null || status === 'failed' || status === 'cancelled' ? [] : url));
}

/** The same text for all addresses of a page. */
function keyOf(url: string): string {
  const page = pageAddress(url);
  return page ? pageKey(page) : url;
}

/** Reports how many pages are already in the knowledge base. */
export function presentNote(count: number): string {
  return `${counted(count, 'page')} ${count === 1 ? 'is' : 'are'} there already`;
}
