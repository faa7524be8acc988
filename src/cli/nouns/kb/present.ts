import type { Client } from '../../../client/client.ts';
import { InterfaceError } from '../../../client/errors.ts';
import { namedHost, pageAddress, pageKey } from '../../../contract/areas/kb/address.ts';
import { listSources } from '../../../contract/areas/kb/endpoints.ts';
import { counted } from '../../../contract/text/counted.ts';
import type { Answer } from '../../../contract/endpoint.ts';

/**
 * Finds out which pages are in the knowledge base. Failed or cancelled imports do not count (rule kb.11). If the API cannot
 * list sources, all pages count as missing.
 * @returns a function that returns whether a page is in the knowledge base
 */
export async function readPresent(client: Client, urls: readonly string[]): Promise<(url: string) => boolean> {
  const present = new Set((await readPages(client, urls)).filter(isPresent).map(({ url }) => keyOf(url)));
  return (url) => present.has(keyOf(url));
}

/** A source that is a page. */
type PageSource = Answer<typeof listSources>['sources'][number] & { readonly url: string };

/** All pages of the websites of these addresses in the knowledge base; none if the API cannot list sources. */
async function readPages(client: Client, urls: readonly string[]): Promise<PageSource[]> {
  const pages: PageSource[] = [];
  try {
    for (const host of new Set(urls.flatMap((url) => namedHost(url) ?? [])))
      for (const source of await client.all(listSources, { query: { host } })) if (source.url !== null) pages.push(source as PageSource);
  } catch (error) {
    if (!(error instanceof InterfaceError) || error.status !== 404) throw error;
  }
  return pages;
}

function isPresent({ status }: PageSource): boolean {
  return status !== 'failed' && status !== 'cancelled';
}

/**
 * Finds out which pages of an import were queued and which were there already, because the answer to an import only counts them.
 * @param queued the ids of the queued sources
 * @returns the source of each address, in order; its id is null where it is not known
 */
export async function pagesOfImport(
  client: Client,
  urls: readonly string[],
  queued: ReadonlySet<string>,
): Promise<{ readonly url: string; readonly id: string | null; readonly isQueued: boolean }[]> {
  const pages = new Map<string, string>();
  const left = new Set(queued);
  const sources = await readPages(client, urls);
  // A page can have failed sources too. The queued one counts, whatever has become of it.
  for (const source of sources.filter(isPresent)) pages.set(keyOf(source.url), source.source_id);
  for (const source of sources) if (queued.has(source.source_id)) pages.set(keyOf(source.url), source.source_id);
  return urls.map((url) => {
    const id = pages.get(keyOf(url)) ?? null;
    // An address that is given twice is queued once.
    return { url, id, isQueued: id !== null && left.delete(id) };
  });
}

/** The same text for all addresses of a page. */
function keyOf(url: string): string {
  const page = pageAddress(url);
  return page ? pageKey(page) : url;
}

/** Reports how many pages are already in the knowledge base. */
export function presentNote(count: number): string {
  return `${counted(count, 'page')} ${count === 1 ? 'is' : 'are'} already in the knowledge base`;
}
