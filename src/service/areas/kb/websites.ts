import { limits } from '../../../contract/limits.ts';
import { ApiError } from '../../errors.ts';
import type { Account } from '../../identity/accounts.ts';
import type { Db } from '../../store/database.ts';
import type { LazyCrawlers } from './lazy-crawlers.ts';
import type { Discovery } from './crawling/discovery.ts';
import { Unreadable } from './reading/document.ts';
import { countReadyPages, findPresent } from './records.ts';

/** The pages found on a website. */
interface Found extends Pick<Discovery, 'sourceType' | 'pages'> {
  /** Why the site could not be read. */
  readonly error: string | undefined;
  readonly limited: { readonly max_pages: number; readonly limit_reached: boolean; readonly limit_notice: string | null };
}

/** Finds the pages of a website for an account. For a site that cannot be read, the result has no pages and an error. */
export async function findPages(
  crawling: LazyCrawlers,
  accountId: string,
  url: URL,
  maxPages: number,
  realNow: () => number,
): Promise<Found> {
  try {
    const crawler = await crawling.open(accountId);
    const { discover } = await import('./crawling/discovery.ts');
    const { sourceType, pages, isLimited, unread } = await discover(crawler, url, maxPages, realNow);
    return { sourceType, pages, error: undefined, limited: limitOf(maxPages, isLimited, unread) };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { sourceType: 'link_discovery', pages: [], error: error.message, limited: limitOf(maxPages, false, null) };
  }
}

/** @throws ApiError 400 `kb_import_page_limit` when more pages are requested than may be queued (rule kb.53) */
export function checkMaxPages({ plan }: Account, wanted: number | undefined): number {
  const ceiling = Math.min(plan.pending_pages, limits.discoveredPages);
  if (wanted === undefined || wanted <= ceiling) return wanted ?? ceiling;
  const message = `maxPages: must be at most ${ceiling}, as many as may wait to be imported`;
  throw new ApiError('kb_import_page_limit', message, { field: 'maxPages' });
}

/** Compares the pages found on a website with the imported pages. */
export async function comparePages(db: Db, accountId: string, host: string, found: Found) {
  const keys = found.pages.map(({ key }) => key);
  const present = await findPresent(db, accountId, keys);
  return {
    ...(found.error !== undefined && { success: false, error: found.error }),
    source_type: found.sourceType,
    discovered: found.pages.length,
    new_pages: found.pages
      .filter((_page, index) => !present.has(keys[index] ?? ''))
      .map(({ url, score, recommendation, reason_key }) => ({ url, score, recommendation, reason_key })),
    new_urls_queued: 0 as const,
    existing_refresh_queued: await countReadyPages(db, accountId, host),
    ...found.limited,
  };
}

function limitOf(maxPages: number, isReached: boolean, unread: string | null) {
  const reached = `The website has more pages than these: the search stops at ${maxPages} pages, or at 4 million characters of addresses`;
  const notices = [...(isReached ? [reached] : []), ...(unread === null ? [] : [unread])];
  return { max_pages: maxPages, limit_reached: isReached, limit_notice: notices.join('. ') || null };
}
