import { limits } from '../../../contract/limits.ts';
import { findAccount } from '../../identity/accounts.ts';
import type { JobDefinition, JobPayloads } from '../../jobs/job.ts';
import type { Parts } from '../../parts.ts';
import type { Db } from '../../store/database.ts';
import { ApiError } from '../../errors.ts';
import { finishOnAccount } from '../activity/account-job.ts';
import type { Journal } from '../activity/journal.ts';
import { recordCall } from '../answers/calls.ts';
import { type DraftedFaq, type Tier, type Usage, WriterFailed, WriterStopped } from '../answers/writer.ts';
import { campaigns } from '../campaigns/table.ts';
import { createFaqs } from '../faqs/records.ts';
import { prepareLater } from '../faqs/preparation.ts';
import { chunkCost, chunksOf, isFree } from './costs.ts';
import type { Failure } from '../notices/log-failures.ts';
import { fileNameOf, readFile } from './files.ts';
import { requireFormat, Unreadable } from './reading/document.ts';

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    faq_generate: { readonly campaign: string; readonly paths: readonly string[]; readonly tier: Tier; readonly agent: string | null };
  }
}

/** FAQs that were drafted from a document. */
interface Drafted {
  readonly path: string;
  readonly title: string;
  readonly chunks: number;
  readonly drafts: readonly DraftedFaq[];
  readonly usage: Usage;
}

/** The jobs that draft FAQs for a campaign from documents. The FAQs stay inactive until a user activates them. */
export const faqGenerate: JobDefinition<'faq_generate'> = {
  isLarge: () => true,
  run: async ({ accountId, payload }, parts) => {
    const id = accountId ?? '';
    const account = await parts.store.read((db) => findAccount(db, id));
    if (!account) return undefined;
    const read: (Drafted | Flaw)[] = [];
    if (account.ownAiKey === 'failing') read.push(new WriterFailed("The account's own AI key fails", 'own_key_failing'));
    else for (const path of payload.paths) read.push(await draftFrom(parts, id, path, payload.tier));
    return finishOnAccount(id, async (db, journal) => {
      if (!(await campaigns.find(db, id, payload.campaign))) return;
      const drafted = read.filter((each) => 'drafts' in each);
      const flaw = read.find((each) => each instanceof Error);
      if (drafted.length > 0) await saveDrafted(db, journal, payload, drafted, parts.writer.provider);
      // A document that cannot be read is left out: only a run without any FAQs has failed.
      else if (flaw) journal.fail(failureOf(flaw, payload.agent));
    });
  },
};

/** Why a document has no FAQs. */
type Flaw = WriterFailed | Unreadable;

function failureOf(flaw: Flaw, agentId: string | null): Failure {
  const { code } = flaw;
  if (flaw instanceof WriterFailed) return { source: 'model', code, entity: { type: 'agent', id: agentId } };
  return { source: 'import', code, entity: { type: 'kb_source', id: null } };
}

/** Charges for FAQs that were drafted, and stores them. Stores nothing when they cannot be paid for. */
async function saveDrafted(
  db: Db,
  journal: Journal,
  { campaign, agent, tier }: JobPayloads['faq_generate'],
  drafted: readonly Drafted[],
  provider: string,
): Promise<void> {
  const { account, now } = journal;
  const chunks = drafted.reduce((sum, each) => sum + each.chunks, 0);
  const millionths = isFree(account, tier) ? 0 : chunkCost(tier, chunks);
  const origin = { campaignId: campaign, agentId: agent };
  const ledgerId = millionths === 0 ? null : await journal.postDue({ millionths: -millionths, reason: 'knowledge_import', ...origin });
  if (ledgerId instanceof ApiError)
    return journal.fail({ source: 'import', code: 'insufficient_credits', entity: { type: 'kb_source', id: null } });
  for (const { path, title, drafts } of drafted) {
    const fields = drafts.map((draft, index) => ({ ...draft, category: title, tags: [path], is_active: false, order_index: index }));
    await createFaqs(db, account.id, campaign, fields, now);
  }
  await prepareLater(db, account.id, [], now);
  await recordCall(db, account, { kind: 'faqs', provider, tier, usage: sumOf(drafted), ledgerId, ...origin }, now);
}

/** @returns the flaw of a document that cannot be read */
async function draftFrom({ store, crawling, writer }: Parts, accountId: string, path: string, tier: Tier): Promise<Drafted | Flaw> {
  try {
    const crawler = await crawling.open(accountId);
    const load = () => store.read((db) => readFile(db, accountId, path));
    return await crawler.withinDocumentLimit(async () => {
      const document = await crawler.readDocument(requireFormat(path), load);
      const { title, sections, faqs: marked } = document;
      const { result, usage } = await writer.writeFaqs({ accountId, tier, title, sections, marked });
      return { path, title: title ?? fileNameOf(path), chunks: chunksOf(document), drafts: result.slice(0, limits.sourceFaqs), usage };
    });
  } catch (error) {
    // The document did not cause the stop, so the job runs again.
    if (error instanceof WriterStopped) throw error;
    if (error instanceof Unreadable || error instanceof WriterFailed) return error;
    throw error;
  }
}

function sumOf(drafted: readonly Drafted[]): Usage {
  const sum = (field: keyof Usage) => drafted.reduce((total, { usage }) => total + usage[field], 0);
  return { inputTokens: sum('inputTokens'), cachedInputTokens: sum('cachedInputTokens'), outputTokens: sum('outputTokens') };
}
