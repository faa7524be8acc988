import { readNow } from '../../clock/state.ts';
import { ApiError } from '../../errors.ts';
import type { JobDefinition } from '../../jobs/job.ts';
import { enqueueOnce } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { insertMany } from '../../store/insert.ts';
import { preparedChange } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { StepScheduler } from '../../store/step-scheduler.ts';
import { requireSources } from '../agents/sources.ts';
import { type ComparedFaq, findDuplicates } from './duplicates.ts';
import { prepareLater } from './preparation.ts';
import { faqLinks, faqSources } from './table.ts';

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    faq_dedupe: { readonly sources: readonly string[] | null };
  }
}

/** The numbers of FAQs that are read, and that are merged, in one step. */
const readAtOnce = 500;
const mergedAtOnce = 100;

const running = () => new ApiError(409, 'A duplicate check is running on this account: wait until it ends');

/**
 * Queues a duplicate check. @param sources compares the FAQs of these sources; by default, the FAQs of each campaign
 * @returns the id of the job
 * @throws ApiError 404 for an unknown source, 409 while a check is queued or running
 */
export async function startDedupe(db: Db, accountId: string, sources: readonly string[] | undefined, now: number): Promise<string> {
  if (sources) await requireSources(db, accountId, sources);
  const payload = { sources: sources?.length ? sources : null };
  const id = await enqueueOnce(db, { kind: 'faq_dedupe', accountId, payload, dueAt: now, key: '' });
  if (id === undefined) throw running();
  return id;
}

/**
 * Clears a finished check. Only a check that was given up leaves a record. @throws ApiError 409 while a check is queued or
 * running
 */
export async function dismissDedupe(db: Db, accountId: string): Promise<void> {
  const jobs = await db.selectFrom('jobs').select('failure').where('account_id', '=', accountId).where('kind', '=', 'faq_dedupe').execute();
  if (jobs.some(({ failure }) => failure === null)) throw running();
  await db.deleteFrom('jobs').where('account_id', '=', accountId).where('kind', '=', 'faq_dedupe').execute();
}

/** The parts of the machinery that a check uses. */
export interface DedupeParts {
  readonly store: Store;
  readonly scheduler: StepScheduler;
  readonly realNow: () => number;
}

/**
 * Defines the jobs that merge duplicates. FAQs are read, compared and merged in steps, so that other requests are served in
 * between. Each merge is independent and verifies that neither FAQ changed, so a repeated job continues where it stopped.
 */
export function faqDedupe(parts: DedupeParts): JobDefinition<'faq_dedupe'> {
  return {
    run: async ({ accountId, payload: { sources } }) => {
      if (accountId === null) return undefined;
      const check = new DuplicateCheck(parts, accountId);
      if (sources) await check.mergeGroup({ sources });
      else for (const campaign of await check.campaigns()) await check.mergeGroup({ campaign });
      return undefined;
    },
  };
}

/** Merges the duplicates among the FAQs of some sources. */
export async function mergeSources(parts: DedupeParts, accountId: string, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await new DuplicateCheck(parts, accountId).mergeGroup({ sources: ids });
}

/** FAQs that are compared with each other: the FAQs of a campaign, or of some sources. */
type Group = { readonly campaign: string } | { readonly sources: readonly string[] };

interface GroupedFaq extends ComparedFaq {
  readonly seq: number;
}

/** A duplicate, and the older FAQ that it is merged into. */
interface Merge {
  readonly kept: GroupedFaq;
  readonly duplicate: GroupedFaq;
}

class DuplicateCheck {
  readonly #parts: DedupeParts;
  readonly #accountId: string;

  constructor(parts: DedupeParts, accountId: string) {
    this.#parts = parts;
    this.#accountId = accountId;
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
    const joined = await this.#compare(faqs);
    const merges = joined.flatMap((kept, index): Merge[] =>
      kept === undefined ? [] : [{ kept: faqs[kept] as GroupedFaq, duplicate: faqs[index] as GroupedFaq }],
    );
    for (let from = 0; from < merges.length; from += mergedAtOnce) await this.#merge(merges.slice(from, from + mergedAtOnce));
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

  async #compare(faqs: readonly GroupedFaq[]): Promise<(number | undefined)[]> {
    const comparing = findDuplicates(faqs);
    for (;;) {
      const step = await this.#parts.scheduler.run(async () => comparing.next());
      if (step.done) return step.value;
    }
  }

  async #merge(merges: readonly Merge[]): Promise<void> {
    const { store, scheduler, realNow } = this.#parts;
    await scheduler.run(() =>
      store.write(async (db) => mergeAll(db, this.#accountId, merges, await readNow(db, realNow())), { accounts: [this.#accountId] }),
    );
  }
}

/** The next FAQs of a group, oldest first. */
async function nextOfGroup(db: Db, accountId: string, group: Group, after: number): Promise<GroupedFaq[]> {
  const query = db
    .selectFrom('faqs')
    .select(['seq', 'question', 'answer'])
    .where('account_id', '=', accountId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(readAtOnce);
  return 'campaign' in group
    ? await query.where('seq', 'in', db.selectFrom('faq_links').select('faq_seq').where('campaign_id', '=', group.campaign)).execute()
    : await query.where('seq', 'in', db.selectFrom('faq_sources').select('faq_seq').where('source_id', 'in', group.sources)).execute();
}

/** Merges duplicates, unless one of the two FAQs was changed or deleted since the comparison. */
async function mergeAll(db: Db, accountId: string, merges: readonly Merge[], now: number): Promise<void> {
  const seqs = [...new Set(merges.flatMap(({ kept, duplicate }) => [kept.seq, duplicate.seq]))];
  const rows = await db.selectFrom('faqs').select(['seq', 'question', 'answer', 'usage_count']).where('seq', 'in', seqs).execute();
  const present = new Map(rows.map((row) => [row.seq, row]));
  const isSame = ({ seq, question, answer }: GroupedFaq) => present.get(seq)?.question === question && present.get(seq)?.answer === answer;
  const keptBy = new Map(
    merges.filter(({ kept, duplicate }) => isSame(kept) && isSame(duplicate)).map((merge) => [merge.duplicate.seq, merge.kept.seq]),
  );
  if (keptBy.size === 0) return;
  const duplicates = [...keptBy.keys()];
  const links = await db.selectFrom('faq_links').selectAll().where('faq_seq', 'in', duplicates).execute();
  const sources = await db.selectFrom('faq_sources').selectAll().where('faq_seq', 'in', duplicates).execute();
  const ofKept = <R extends { faq_seq: number }>(all: readonly R[]) =>
    all.map((row) => ({ ...row, faq_seq: keptBy.get(row.faq_seq) ?? 0 }));
  await insertMany(db, faqLinks, ofKept(links), 'on conflict do nothing');
  await insertMany(db, faqSources, ofKept(sources), 'on conflict do nothing');
  for (const [seq, ofOne] of Map.groupBy(duplicates, (duplicate) => keptBy.get(duplicate) ?? 0))
    await addUses(db, { seq, uses: ofOne.reduce((sum, duplicate) => sum + (present.get(duplicate)?.usage_count ?? 0), 0), now });
  await db.deleteFrom('faqs').where('seq', 'in', duplicates).execute();
  await prepareLater(db, accountId, [...new Set([...keptBy.keys(), ...keptBy.values()])], now);
}

const addUses = preparedChange<{ seq: number; uses: number; now: number }>((db, $) =>
  db
    .updateTable('faqs')
    .set((eb) => ({ usage_count: eb('usage_count', '+', $.uses), updated_at: $.now }))
    .where('seq', '=', $.seq),
);
