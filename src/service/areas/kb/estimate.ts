import type { estimateImport } from '../../../contract/areas/kb/endpoints.ts';
import type { Body } from '../../../contract/endpoint.ts';
import type { Service } from '../../http/handler.ts';
import type { Account } from '../../identity/accounts.ts';
import { toCredits } from '../../store/millionths.ts';
import { defaultTier } from '../answers/writer.ts';
import { readBalance } from '../credits/records.ts';
import { isUnchecked, readWaiting, shownCredits } from './checks.ts';
import { chunkCost, chunksOf, isFree } from './costs.ts';
import type { LazyCrawlers } from './lazy-crawlers.ts';
import { pageAddress } from '../../../contract/areas/kb/address.ts';
import { ownPath } from '../uploads/files.ts';
import { readFile } from './files.ts';
import { type ReadDocument, requireFormat, Unreadable } from './reading/document.ts';

/** Estimates the cost of an import by reading its pages and documents. Queues nothing (rules kb.29 and kb.31). */
export async function estimate({ store }: Service, crawling: LazyCrawlers, account: Account, body: Body<typeof estimateImport>) {
  const { urls = [], files = [], tier = defaultTier, prior_chunks: prior = 0 } = body;
  const paths = files.map((file) => ({ ...file, path: ownPath(account.id, file.storage_path) }));
  const crawler = await crawling.open(account.id);
  const estimates = await Promise.all([
    ...urls.map((text) =>
      estimateOne(text, async () => {
        const url = pageAddress(text);
        const page = url && (await crawler.withinPageLimit(url, () => crawler.readPage(url)));
        return page === 'unchanged' ? undefined : page?.document;
      }),
    ),
    ...paths.map(({ path, storage_path: ref, filename }) =>
      estimateOne(ref, async () => {
        const format = requireFormat(filename);
        const load = () => store.read((db) => readFile(db, account.id, path));
        return await crawler.withinDocumentLimit(() => crawler.readDocument(format, load));
      }),
    ),
  ]);
  const price = (chunks: number) => (isFree(account, tier) ? 0 : chunkCost(tier, chunks));
  const total = estimates.reduce((sum, { chunks }) => sum + chunks, 0);
  const [waiting, { millionths: available }] = await store.read(
    async (db) => [await readWaiting(db, account.id), await readBalance(db, account.id)] as const,
  );
  const required = isFree(account, tier) ? 0 : waiting.millionths + price(total + prior);
  return {
    estimates: estimates.map(({ chunks, ...one }) => ({
      ref: one.ref,
      chunks,
      credits: toCredits(price(chunks)),
      ...(one.error !== undefined && { error: one.error }),
    })),
    total_chunks: total,
    total_credits: toCredits(price(total)),
    affordable: isUnchecked(account, tier) || required <= available,
    required_credits: toCredits(required),
    available_credits: shownCredits(account, available),
    checked_chunks: total + prior,
    waiting_pages: waiting.pages,
    max_affordable_chunks: account.parentId === null ? Math.floor(available / chunkCost(tier, 1)) : null,
  };
}

/** Estimates one source. A source that cannot be read counts as one chunk. */
async function estimateOne(
  ref: string,
  read: () => Promise<ReadDocument | undefined>,
): Promise<{ ref: string; chunks: number; error?: string }> {
  try {
    const document = await read();
    if (!document) throw new Unreadable('It is not an http or https address');
    return { ref, chunks: chunksOf(document) };
  } catch (error) {
    if (error instanceof Unreadable) return { ref, chunks: 1, error: error.message };
    throw error;
  }
}
