import type { ErrorCode } from '../../../contract/areas/errors/codes.ts';
import type { ReadText } from '../answers/writer.ts';
import type { LazyCrawlers } from './lazy-crawlers.ts';
import { pageAddress } from '../../../contract/areas/kb/address.ts';
import { Unreadable } from './reading/document.ts';

/** Why a page could not be read. */
interface Flaw {
  readonly text: string;
  readonly code: ErrorCode;
}

/** The texts of pages that could be read, and why the first of the others could not. */
interface PageTexts {
  readonly pages: readonly ReadText[];
  readonly flaw: Flaw | undefined;
}

/** Reads the texts of web pages for an account. Pages that cannot be read are left out. */
export async function readTexts(crawling: LazyCrawlers, accountId: string, urls: readonly string[]): Promise<PageTexts> {
  const crawler = await crawling.open(accountId);
  const read = async (text: string): Promise<ReadText | Flaw> => {
    try {
      const url = pageAddress(text);
      const page = url && (await crawler.withinPageLimit(url, () => crawler.readPage(url)));
      if (!page || page === 'unchanged') return { text: `${text} could not be read`, code: 'unreadable' };
      const { title, sections } = page.document;
      const texts = sections.map((section) => [section.headings.at(-1), section.text].filter(Boolean).join(': '));
      return { url: text, title, text: texts.join('\n') };
    } catch (error) {
      if (error instanceof Unreadable) return { text: `${text} could not be read: ${error.message}`, code: error.code };
      throw error;
    }
  };
  const found = await Promise.all(urls.map(read));
  return {
    pages: found.filter((page) => 'url' in page),
    flaw: found.find((page) => 'code' in page),
  };
}
