import type { ReadText } from '../answers/writer.ts';
import type { Crawling } from './crawling.ts';
import { pageAddress } from '../../../contract/areas/kb/address.ts';
import { Unreadable } from './reading/document.ts';

/** Reads the texts of web pages for an account. Pages that cannot be read are left out. */
export async function readTexts(crawling: Crawling, accountId: string, urls: readonly string[]): Promise<ReadText[]> {
  if (urls.length === 0) return [];
  const crawler = await crawling.open(accountId);
  const read = async (text: string): Promise<ReadText[]> => {
    try {
      const url = pageAddress(text);
      const page = url && (await crawler.withinPageLimit(url, () => crawler.readPage(url)));
      if (!page || page === 'unchanged') return [];
      const { title, sections } = page.document;
      const texts = sections.map((section) => [section.headings.at(-1), section.text].filter(Boolean).join(': '));
      return [{ url: text, title, text: texts.join('\n') }];
    } catch (error) {
      if (error instanceof Unreadable) return [];
      throw error;
    }
  };
  return (await Promise.all(urls.map(read))).flat();
}
