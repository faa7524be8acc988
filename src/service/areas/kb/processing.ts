import { hash } from 'node:crypto';
import type { Account } from '../../identity/accounts.ts';
import type { Db } from '../../store/database.ts';
import type { Store } from '../../store/store.ts';
import { ApiError } from '../../errors.ts';
import type { Journal } from '../activity/journal.ts';
import { recordCall } from '../answers/calls.ts';
import { type DraftedFaq, type Writer, WriterFailed, type Written } from '../answers/writer.ts';
import { chunkCost, chunksOf, isFree } from './costs.ts';
import type { Crawling } from './crawling.ts';
import type { PageVersion } from './crawling/crawler.ts';
import { readFile } from './files.ts';
import { formatOfName, type ReadDocument, Unreadable } from './reading/document.ts';
import { findKnowingAgent } from './records.ts';
import type { Source } from './table.ts';

/** The parts of the machinery that read sources. */
export interface ReadingParts {
  readonly store: Store;
  readonly crawling: Crawling;
  readonly writer: Writer;
}

/** A source that was read, with the FAQs that were drafted from it. */
export interface ProcessedSource extends PageVersion {
  readonly title: string | null;
  readonly chunks: number;
  readonly sectionCount: number;
  readonly contentHash: string;
  /** Where the page is: redirects may have led elsewhere. Null for a document. */
  readonly url: URL | null;
  readonly drafts: Written<readonly DraftedFaq[]>;
}

/** What became of reading a source. */
export type Outcome = ProcessedSource | 'unchanged' | Unreadable;

/**
 * Reads a source and drafts its FAQs.
 * @param begin runs when it is the source's turn; it is left alone when it returns false
 * @returns undefined when it was left alone
 */
export async function processSource(parts: ReadingParts, source: Source, begin: () => Promise<boolean>): Promise<Outcome | undefined> {
  try {
    const page = await readSource(parts, source, begin);
    if (page === undefined || page === 'unchanged') return page;
    const { document, ...version } = page;
    const contentHash = hash('sha256', JSON.stringify(document), 'base64url');
    if (source.is_refresh && contentHash === source.content_hash) return 'unchanged';
    const title = document.title ?? source.filename;
    const drafts = await parts.writer.writeFaqs({ tier: source.tier, title, sections: document.sections, marked: document.faqs });
    return { ...version, title, chunks: chunksOf(document), sectionCount: document.sections.length, contentHash, drafts };
  } catch (error) {
    if (error instanceof Unreadable) return error;
    if (error instanceof WriterFailed) return new Unreadable(`The FAQs could not be written: ${error.message}`, { cause: error });
    throw error;
  }
}

interface ReadSource extends PageVersion {
  readonly document: ReadDocument;
  readonly url: URL | null;
}

async function readSource(
  { store, crawling }: ReadingParts,
  source: Source,
  begin: () => Promise<boolean>,
): Promise<ReadSource | 'unchanged' | undefined> {
  const crawler = await crawling.open();
  if (source.url !== null) {
    const known = source.is_refresh ? { etag: source.etag, lastModified: source.last_modified } : undefined;
    return await crawler.readPage(new URL(source.url), begin, known);
  }
  if (!(await begin())) return undefined;
  const path = source.storage_path ?? '';
  const bytes = await store.read((db) => readFile(db, source.account_id, path));
  const document = await crawler.readDocument(bytes, formatOfName(source.filename ?? path) ?? 'txt');
  return { document, url: null, etag: null, lastModified: null };
}

/**
 * Charges for a source that was read, and records the call that drafted its FAQs.
 * @returns why it cannot be paid
 */
export async function payFor(
  db: Db,
  journal: Journal,
  source: Source,
  provider: string,
  read: ProcessedSource,
): Promise<ApiError | undefined> {
  const { account, now } = journal;
  const agent = await findKnowingAgent(db, source.id);
  const millionths = isPaidByKey(account, source) ? 0 : chunkCost(source.tier, read.chunks);
  const [campaignId = null] = source.campaigns;
  const origin = { agentId: agent?.id ?? null, campaignId };
  const posted = millionths === 0 ? null : await journal.postDue({ millionths: -millionths, reason: 'knowledge_import', ...origin });
  if (posted instanceof ApiError) return posted;
  const call = { kind: 'faqs', provider, tier: source.tier, usage: read.drafts.usage, ...origin } as const;
  await recordCall(db, account, { ...call, ledgerId: posted }, now);
  return undefined;
}

function isPaidByKey(account: Account, { tier, on_platform: onPlatform }: Source): boolean {
  return isFree(account, tier) && !(onPlatform && account.ownAiKey === 'failing');
}

/** The columns of a source that say what was read. */
export function readColumns(read: ProcessedSource) {
  return {
    title: read.title,
    section_count: read.sectionCount,
    faq_count: read.drafts.result.length,
    content_hash: read.contentHash,
    etag: read.etag,
    last_modified: read.lastModified,
    error_message: null,
  };
}
