import { hash } from 'node:crypto';
import { counted } from '../../../contract/text/counted.ts';
import { limits } from '../../../contract/limits.ts';
import type { Account } from '../../identity/accounts.ts';
import type { Parts } from '../../parts.ts';
import type { Store } from '../../store/store.ts';
import { ApiError } from '../../errors.ts';
import type { Journal } from '../activity/journal.ts';
import type { Call } from '../answers/calls.ts';
import { type DraftedFaq, WriterFailed, WriterStopped, type Written } from '../answers/writer.ts';
import { chunkCost, chunksOf, isFree } from './costs.ts';
import type { Crawler, PageVersion } from './crawling/crawler.ts';
import { readFile } from './files.ts';
import { type ReadDocument, requireFormat, Unreadable } from './reading/document.ts';
import { faqsOf } from './source-faqs.ts';
import { isTextKept, sourceText, type SourceText } from './source-texts.ts';
import type { Source } from './table.ts';

/** The result of reading a source: its metadata and the FAQs drafted from it. */
interface ProcessedSource extends PageVersion {
  readonly title: string | null;
  readonly chunks: number;
  readonly sectionCount: number;
  readonly contentHash: string;
  /** The address of the page after redirects; null for a document. */
  readonly url: URL | null;
  readonly drafts: Written<readonly DraftedFaq[]>;
  readonly text: SourceText;
  /** What was left out, and why: sentences without a full stop. */
  readonly notes: readonly string[];
}

/** A source whose content is the same as before. */
interface UnchangedSource {
  readonly isUnchanged: true;
  /** What was read of it, where that was not kept before; otherwise null. */
  readonly text: SourceText | null;
}

/** The result of reading a source. */
export type SourceOutcome = ProcessedSource | UnchangedSource | Unreadable;

/**
 * Reads a source and drafts its FAQs.
 * @param begin runs when the limit of the source's host allows it. If it returns false, the source is skipped
 * @returns undefined when the source was skipped
 */
export async function processSource(parts: Parts, source: Source, begin: () => Promise<boolean>): Promise<SourceOutcome | undefined> {
  const crawler = await parts.crawling.open(source.account_id);
  const process = async () => ((await begin()) ? await readAndDraft(parts, crawler, source) : undefined);
  return source.url === null ? await crawler.withinDocumentLimit(process) : await crawler.withinPageLimit(new URL(source.url), process);
}

async function readAndDraft({ store, writer }: Parts, crawler: Crawler, source: Source): Promise<SourceOutcome> {
  try {
    const hasText = source.is_refresh && (await store.read((db) => isTextKept(db, source)));
    const page = await readSource(store, crawler, source, hasText);
    if (page === 'unchanged') return { isUnchanged: true, text: null };
    const { document, ...version } = page;
    // What is beside the content may change without a new version of it.
    const contentHash = hash('sha256', JSON.stringify({ ...document, kept: undefined }), 'base64url');
    if (source.is_refresh && contentHash === source.content_hash)
      return { isUnchanged: true, text: hasText ? null : await sourceText(document, await store.read((db) => faqsOf(db, source.id))) };
    const { account_id: accountId, tier } = source;
    const { title, sections, faqs: marked, unreadablePages = 0, firstPages } = document;
    const { result, usage } = await writer.writeFaqs({ accountId, tier, title, sections, marked });
    const drafts = { result: result.slice(0, limits.sourceFaqs), usage };
    const notes = [
      ...(firstPages === undefined ? [] : [`Only the first ${firstPages} pages were read: split the document`]),
      ...(unreadablePages > 0 ? [leftOutPages(unreadablePages)] : []),
      ...(result.length > limits.sourceFaqs ? [`Only the first ${limits.sourceFaqs} FAQs were kept: split the document`] : []),
    ];
    const text = await sourceText(document, drafts.result);
    const sectionCount = sections.length;
    return { ...version, title: title ?? source.filename, chunks: chunksOf(document), sectionCount, contentHash, drafts, text, notes };
  } catch (error) {
    if (error instanceof Unreadable) return error;
    // The source did not cause the stop, so it is read again after the next start.
    if (error instanceof WriterStopped) throw error;
    if (error instanceof WriterFailed) {
      // An import has no code of its own for what a model wrote.
      const code = error.code === 'invalid_answer' ? 'unreadable' : error.code;
      return new Unreadable(`The FAQs could not be written: ${error.message}`, { cause: error, code });
    }
    throw error;
  }
}

interface ReadSource extends PageVersion {
  readonly document: ReadDocument;
  readonly url: URL | null;
}

/** @param isKnown whether it need not be read when it has not changed since it was read last */
async function readSource(store: Store, crawler: Crawler, source: Source, isKnown: boolean): Promise<ReadSource | 'unchanged'> {
  if (source.url !== null) {
    const known = isKnown ? { etag: source.etag, lastModified: source.last_modified } : undefined;
    return await crawler.readPage(new URL(source.url), known);
  }
  const path = source.storage_path ?? '';
  const load = () => store.read((db) => readFile(db, source.account_id, path));
  const document = await crawler.readDocument(requireFormat(source.filename ?? path), load);
  return { document, url: null, etag: null, lastModified: null };
}

/**
 * Charges for a source that was read.
 * @param agent the first agent that the source is attached to
 * @returns the call that drafted its FAQs, to be recorded, or the error when it cannot be paid for
 */
export async function chargeFor(
  journal: Journal,
  source: Source,
  agent: string | null,
  provider: string,
  read: ProcessedSource,
): Promise<Call | ApiError> {
  const millionths = isPaidByKey(journal.account, source) ? 0 : chunkCost(source.tier, read.chunks);
  const [campaignId = null] = source.campaigns;
  const origin = { agentId: agent, campaignId };
  const posted = millionths === 0 ? null : await journal.postDue({ millionths: -millionths, reason: 'knowledge_import', ...origin });
  if (posted instanceof ApiError) return posted;
  return { kind: 'faqs', provider, tier: source.tier, usage: read.drafts.usage, ...origin, ledgerId: posted };
}

function isPaidByKey(account: Account, { tier, on_platform: onPlatform }: Source): boolean {
  return isFree(account, tier) && !(onPlatform && account.ownAiKey === 'failing');
}

function leftOutPages(count: number): string {
  return `${counted(count, 'page')} ${count === 1 ? 'was' : 'were'} left out, because the PDF does not say which characters the glyphs stand for: make it searchable first, with a program for text recognition`;
}

/** The columns of a source that describe what was read. */
export function importedColumns(read: ProcessedSource) {
  return {
    title: read.title,
    section_count: read.sectionCount,
    content_hash: read.contentHash,
    etag: read.etag,
    last_modified: read.lastModified,
    error_message: read.notes.join('. ') || null,
  };
}
