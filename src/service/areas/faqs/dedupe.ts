import { readNow } from '../../clock/state.ts';
import { ApiError } from '../../errors.ts';
import type { JobDefinition } from '../../jobs/job.ts';
import { enqueueOnce } from '../../jobs/queue.ts';
import type { Parts } from '../../parts.ts';
import type { Db } from '../../store/database.ts';
import { insertMany } from '../../store/insert.ts';
import { preparedChange } from '../../store/prepared.ts';
import { requireSources } from '../agents/sources.ts';
import { limits } from '../../../contract/limits.ts';
import { type ComparedFaq, findDuplicates, type Sameness } from './duplicates.ts';
import { prepareLater } from './preparation.ts';
import { shownScore } from './ranking.ts';
import { proposeMerges } from './proposals.ts';
import { type FaqCheckStatus, faqChecks, faqGroups, faqLinks, faqSources, type MergedFaq, type ProposedFaqs } from './table.ts';

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    faq_dedupe: { readonly sources: readonly string[] | null; readonly propose?: boolean };
  }
}

/** The numbers of FAQs that are read, and that are merged, in one step. */
const readAtOnce = 500;
const mergedAtOnce = 100;

const running = () => new ApiError(409, 'A duplicate check is running on this account: wait until it ends');

/** What is compared, and whether duplicates are only proposed. */
interface WantedCheck {
  /** Compares the FAQs of these sources; by default, the FAQs of each campaign. */
  readonly sourceIds?: readonly string[] | undefined;
  readonly propose?: boolean | undefined;
}

/**
 * Queues a duplicate check. @returns the id of the job
 * @throws ApiError 404 for an unknown source, 409 while a check is queued or running
 */
export async function startDedupe(db: Db, accountId: string, { sourceIds, propose = false }: WantedCheck, now: number): Promise<string> {
  if (sourceIds) await requireSources(db, accountId, sourceIds);
  const payload = { sources: sourceIds?.length ? sourceIds : null, propose };
  const id = await enqueueOnce(db, { kind: 'faq_dedupe', accountId, payload, dueAt: now, key: '' });
  if (id === undefined) throw running();
  await forgetCheck(db, accountId);
  await insertMany(db, faqChecks, [{ account_id: accountId, status: 'queued' }]);
  return id;
}

/** The last duplicate check of an account, as answers show it; null when there is none. */
export async function checkRecord(db: Db, accountId: string) {
  const row = await db.selectFrom('faq_checks').selectAll().where('account_id', '=', accountId).executeTakeFirst();
  if (!row) return null;
  const { status, merged, proposals } = faqChecks.decode(row);
  return { status, merged, proposals };
}

async function setStatus(db: Db, accountId: string, status: FaqCheckStatus): Promise<void> {
  await db.updateTable('faq_checks').set({ status }).where('account_id', '=', accountId).execute();
}

async function forgetCheck(db: Db, accountId: string): Promise<void> {
  await db.deleteFrom('faq_checks').where('account_id', '=', accountId).execute();
}

/** Clears a finished check. @throws ApiError 409 while a check is queued or running */
export async function dismissDedupe(db: Db, accountId: string): Promise<void> {
  const jobs = await db.selectFrom('jobs').select('failure').where('account_id', '=', accountId).where('kind', '=', 'faq_dedupe').execute();
  if (jobs.some(({ failure }) => failure === null)) throw running();
  await db.deleteFrom('jobs').where('account_id', '=', accountId).where('kind', '=', 'faq_dedupe').execute();
  await forgetCheck(db, accountId);
}

/** Notes merges in the record of a job, up to what it shows. */
type NoteMerged = (db: Db, merged: readonly MergedFaq[]) => Promise<void>;

/** Adds merges to those that a job shows, up to the maximum. */
export function withMerged(before: readonly MergedFaq[], merged: readonly MergedFaq[]): MergedFaq[] {
  return [...before, ...merged].slice(0, limits.mergedFaqs);
}

const noteInCheck =
  (accountId: string): NoteMerged =>
  async (db, merged) => {
    const before = (await checkRecord(db, accountId))?.merged ?? [];
    const all = faqChecks.encode({ merged: withMerged(before, merged) });
    await db.updateTable('faq_checks').set(all).where('account_id', '=', accountId).execute();
  };

/**
 * Defines the jobs that merge duplicates. FAQs are read, compared and merged in steps, so that other requests are served in
 * between. Each merge is independent and verifies that neither FAQ changed, so a repeated job continues where it stopped.
 */
export const faqDedupe: JobDefinition<'faq_dedupe'> = {
  run: async ({ accountId, payload: { sources, propose } }, parts) => {
    if (accountId === null) return undefined;
    await parts.store.write((db) => setStatus(db, accountId, 'processing'), { accounts: [accountId] });
    const check = new DuplicateCheck(parts, accountId, 'spelling', noteInCheck(accountId));
    const groups = sources ? [{ sources }] : (await check.campaigns()).map((campaign) => ({ campaign }));
    const proposals: ProposedFaqs[] = [];
    for (const group of groups)
      if (propose) proposals.push(...(await check.proposeGroup(group)));
      else await check.mergeGroup(group);
    const { proposals: shown } = faqChecks.encode({ proposals: proposals.slice(0, limits.mergedFaqs) });
    return async (db) => {
      const ended = { status: 'completed' as const, ...(propose && { proposals: shown }) };
      await db.updateTable('faq_checks').set(ended).where('account_id', '=', accountId).execute();
    };
  },
  giveUp:
    ({ accountId }) =>
    async (db) => {
      if (accountId !== null) await setStatus(db, accountId, 'failed');
    },
};

/** Merges the FAQs of some sources that are equal. @param note is called with each part of the merges, in its transaction */
export async function mergeEqual(parts: Parts, accountId: string, sources: readonly string[], note: NoteMerged): Promise<void> {
  if (sources.length > 0) await new DuplicateCheck(parts, accountId, 'equal', note).mergeGroup({ sources });
}

/** FAQs that are compared with each other: the FAQs of a campaign, or of some sources. */
type Group = { readonly campaign: string } | { readonly sources: readonly string[] };

interface GroupedFaq extends ComparedFaq {
  readonly seq: number;
  readonly id: string;
}

/** A duplicate, and the older FAQ that it is merged into. */
interface Merge {
  readonly kept: GroupedFaq;
  readonly duplicate: GroupedFaq;
}

class DuplicateCheck {
  readonly #parts: Parts;
  readonly #accountId: string;
  readonly #sameness: Sameness;
  readonly #note: NoteMerged;

  constructor(parts: Parts, accountId: string, sameness: Sameness, note: NoteMerged) {
    this.#parts = parts;
    this.#accountId = accountId;
    this.#sameness = sameness;
    this.#note = note;
  }

  /** The account's campaigns, oldest first. */
  async campaigns(): Promise<string[]> {
    const rows = await this.#parts.store.read((db) =>
      db.selectFrom('campaigns').select('id').where('account_id', '=', this.#accountId).orderBy('seq').execute(),
    );
    return rows.map(({ id }) => id);
  }

  async mergeGroup(group: Group): Promise<void> {
    const faqs = await this.#read(group);
    const joined = await this.#inSteps(findDuplicates(faqs, this.#sameness));
    const merges = joined.flatMap((kept, index): Merge[] =>
      kept === undefined ? [] : [{ kept: faqs[kept] as GroupedFaq, duplicate: faqs[index] as GroupedFaq }],
    );
    for (let from = 0; from < merges.length; from += mergedAtOnce) await this.#merge(merges.slice(from, from + mergedAtOnce));
  }

  /** Which FAQs of a group could be merged. */
  async proposeGroup(group: Group): Promise<ProposedFaqs[]> {
    const faqs = await this.#read(group);
    const proposals = await this.#inSteps(proposeMerges(faqs));
    return proposals.map(({ faqs: places, reason, score }) => ({
      faq_ids: places.slice(0, limits.mergedFaqs).map((place) => faqs[place]?.id ?? ''),
      reason,
      score: shownScore(score),
    }));
  }

  async #read(group: Group): Promise<GroupedFaq[]> {
    const { store, scheduler } = this.#parts;
    const faqs: GroupedFaq[] = [];
    for (;;) {
      const after = faqs.at(-1)?.seq ?? 0;
      const rows = await scheduler.run(() => store.read((db) => nextOfGroup(db, this.#accountId, group, after)));
      faqs.push(...rows);
      if (rows.length < readAtOnce) return faqs;
    }
  }

  async #inSteps<Result>(work: Generator<undefined, Result>): Promise<Result> {
    for (;;) {
      const step = await this.#parts.scheduler.run(async () => work.next());
      if (step.done) return step.value;
    }
  }

  async #merge(merges: readonly Merge[]): Promise<void> {
    const { store, scheduler, realNow } = this.#parts;
    const merge = async (db: Db) => {
      const merged = await mergeAll(db, this.#accountId, merges, await readNow(db, realNow()));
      if (merged.length > 0) await this.#note(db, merged);
    };
    await scheduler.run(() => store.write(merge, { accounts: [this.#accountId] }));
  }
}

/** The next FAQs of a group, oldest first. */
async function nextOfGroup(db: Db, accountId: string, group: Group, after: number): Promise<GroupedFaq[]> {
  const query = db
    .selectFrom('faqs')
    .select(['seq', 'id', 'question', 'answer'])
    .where('account_id', '=', accountId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(readAtOnce);
  return 'campaign' in group
    ? await query.where('seq', 'in', db.selectFrom('faq_links').select('faq_seq').where('campaign_id', '=', group.campaign)).execute()
    : await query.where('seq', 'in', db.selectFrom('faq_sources').select('faq_seq').where('source_id', 'in', group.sources)).execute();
}

/** Merges duplicates, unless one of the two FAQs was changed or deleted since the comparison. @returns those that were merged */
async function mergeAll(db: Db, accountId: string, merges: readonly Merge[], now: number): Promise<MergedFaq[]> {
  const seqs = [...new Set(merges.flatMap(({ kept, duplicate }) => [kept.seq, duplicate.seq]))];
  const rows = await db
    .selectFrom('faqs')
    .select(['seq', 'question', 'answer', 'usage_count', 'is_active'])
    .where('seq', 'in', seqs)
    .execute();
  const present = new Map(rows.map((row) => [row.seq, row]));
  const isSame = ({ seq, question, answer }: GroupedFaq) => present.get(seq)?.question === question && present.get(seq)?.answer === answer;
  const unchanged = merges.filter(({ kept, duplicate }) => isSame(kept) && isSame(duplicate));
  if (unchanged.length === 0) return [];
  const keptBy = new Map(unchanged.map(({ kept, duplicate }) => [duplicate.seq, kept.seq]));
  const duplicates = [...keptBy.keys()];
  const links = await db.selectFrom('faq_links').selectAll().where('faq_seq', 'in', duplicates).execute();
  const groups = await db.selectFrom('faq_groups').selectAll().where('faq_seq', 'in', duplicates).execute();
  const sources = await db.selectFrom('faq_sources').selectAll().where('faq_seq', 'in', duplicates).execute();
  const ofKept = <R extends { faq_seq: number }>(all: readonly R[]) =>
    all.map((row) => ({ ...row, faq_seq: keptBy.get(row.faq_seq) ?? 0 }));
  await insertMany(db, faqLinks, ofKept(links), 'on conflict do nothing');
  await insertMany(db, faqGroups, ofKept(groups), 'on conflict do nothing');
  await insertMany(db, faqSources, ofKept(sources), 'on conflict do nothing');
  for (const [seq, ofOne] of Map.groupBy(duplicates, (duplicate) => keptBy.get(duplicate) ?? 0)) {
    const merged = ofOne.map((duplicate) => present.get(duplicate));
    const uses = merged.reduce((sum, row) => sum + (row?.usage_count ?? 0), 0);
    // Agents keep an answer that they had, also if the FAQ that stays was switched off.
    await gather(db, { seq, uses, active: Math.max(present.get(seq)?.is_active ?? 0, ...merged.map((row) => row?.is_active ?? 0)), now });
  }
  for (const { kept, duplicate } of unchanged)
    await db
      .updateTable('knowledge_gaps')
      .set({ faq_id: kept.id })
      .where('account_id', '=', accountId)
      .where('faq_id', '=', duplicate.id)
      .execute();
  await db.deleteFrom('faqs').where('seq', 'in', duplicates).execute();
  await prepareLater(db, accountId, [...new Set([...keptBy.keys(), ...keptBy.values()])], now);
  return unchanged.map(({ kept, duplicate }) => ({ faq_id: duplicate.id, into: kept.id }));
}

const gather = preparedChange<{ seq: number; uses: number; active: number; now: number }>((db, $) =>
  db
    .updateTable('faqs')
    .set((eb) => ({ usage_count: eb('usage_count', '+', $.uses), is_active: $.active, updated_at: $.now }))
    .where('seq', '=', $.seq),
);
