import { hash } from 'node:crypto';
import type { Db } from '../../store/database.ts';
import { insertMany } from '../../store/insert.ts';
import { isNumberAmong } from '../../store/is-among.ts';
import type { DraftedFaq } from '../answers/writer.ts';
import { changeFaqs } from '../faqs/changes.ts';
import { prepareLater } from '../faqs/preparation.ts';
import { insertFaqs, linkFaqs } from '../faqs/records.ts';
import { questionKey } from '../faqs/rules.ts';
import { campaigns } from '../campaigns/table.ts';
import { type Faq, faqs, faqSources } from '../faqs/table.ts';
import type { Source } from './table.ts';

/** A source that was read, with the FAQs drafted from it. */
export interface DraftedSource {
  readonly source: Source;
  readonly drafts: readonly DraftedFaq[];
}

/** Creates the FAQs of an account's sources. The title of the page becomes their category, and its address a tag (rule kb.5). */
export async function createSourceFaqs(db: Db, accountId: string, drafted: readonly DraftedSource[], now: number): Promise<void> {
  const fields = drafted.flatMap(({ source, drafts }) =>
    drafts.map((draft, index) => ({
      ...draft,
      category: source.title,
      tags: tagsOf(source),
      order_index: index,
      drafted: draftDigest(draft),
    })),
  );
  if (fields.length === 0) return;
  const created = await insertFaqs(db, accountId, fields, now);
  const owners = drafted.flatMap(({ source, drafts }) => drafts.map(() => source));
  const rows = created.map(({ seq }, index) => ({ source: owners[index] as Source, faq_seq: seq }));
  await insertMany(
    db,
    faqSources,
    rows.map(({ source, faq_seq }) => ({ source_id: source.id, faq_seq })),
  );
  const campaignIds = [...new Set(owners.flatMap((source) => source.campaigns))];
  for (const campaignId of await campaigns.existing(db, accountId, campaignIds)) {
    const linked = rows.filter(({ source }) => source.campaigns.includes(campaignId));
    await linkFaqs(
      db,
      campaignId,
      linked.map((row) => row.faq_seq),
    );
  }
  await prepareLater(db, accountId, [], now);
}

/** A digest that identifies the drafted text. */
function draftDigest({ question, answer }: DraftedFaq): string {
  return hash('sha256', JSON.stringify([question, answer]), 'base64url');
}

/**
 * Replaces the FAQs of a source with the FAQs of its new version. A FAQ whose question still exists keeps its id, links and usage
 * count, and also its text if it was edited after it was drafted. FAQs whose question is gone are deleted, unless another source
 * has them too.
 */
export async function replaceSourceFaqs(db: Db, source: Source, drafts: readonly DraftedFaq[], now: number): Promise<void> {
  const present = await faqsOf(db, source.id);
  const wanted = new Map(drafts.map((draft) => [questionKey(draft.question), draft]));
  const kept = present.filter((faq) => wanted.has(faq.question_key));
  const changes = kept.map((faq) => {
    const draft = wanted.get(faq.question_key);
    const isEdited = faq.drafted !== null && faq.drafted !== draftDigest(faq);
    const text = draft && !isEdited ? { ...draft, drafted: draftDigest(draft) } : {};
    return { faq, change: { ...text, category: source.title, tags: tagsOf(source) } };
  });
  await changeFaqs(db, changes, now);
  const keptKeys = new Set(kept.map((faq) => faq.question_key));
  const gone = present.filter((faq) => !wanted.has(faq.question_key)).map(({ seq }) => seq);
  await removeFromSource(db, source.id, gone);
  if (present.length > 0) await prepareLater(db, source.account_id, gone, now);
  const added = [...wanted].filter(([key]) => !keptKeys.has(key)).map(([, draft]) => draft);
  await createSourceFaqs(db, source.account_id, [{ source, drafts: added }], now);
}

/**
 * Deletes FAQs of a source, except those that another source has too.
 * @param limit the maximum number of FAQs
 * @returns the number of deleted FAQs, and whether all FAQs of the source have been processed
 */
export async function deleteSourceFaqs(
  db: Db,
  accountId: string,
  sourceId: string,
  limit: number,
  now: number,
): Promise<{ deleted: number; isDone: boolean }> {
  const rows = await db.selectFrom('faq_sources').select('faq_seq').where('source_id', '=', sourceId).limit(limit).execute();
  const seqs = rows.map((row) => row.faq_seq);
  const deleted = await removeFromSource(db, sourceId, seqs);
  if (seqs.length > 0) await prepareLater(db, accountId, seqs, now);
  return { deleted, isDone: rows.length < limit };
}

/** Unlinks the FAQs of a source from it and keeps them. */
export async function releaseFaqs(db: Db, accountId: string, sourceId: string, now: number): Promise<void> {
  const rows = await db.deleteFrom('faq_sources').where('source_id', '=', sourceId).returning('faq_seq').execute();
  if (rows.length > 0)
    await prepareLater(
      db,
      accountId,
      rows.map((row) => row.faq_seq),
      now,
    );
}

/** Unlinks FAQs from a source, and deletes those that no other source has. @returns the number of deleted FAQs */
async function removeFromSource(db: Db, sourceId: string, seqs: readonly number[]): Promise<number> {
  if (seqs.length === 0) return 0;
  const all = JSON.stringify(seqs);
  await db
    .deleteFrom('faq_sources')
    .where('source_id', '=', sourceId)
    .where(isNumberAmong(db, 'faq_seq', all))
    .execute();
  const shared = await db
    .selectFrom('faq_sources')
    .select('faq_seq')
    .distinct()
    .where(isNumberAmong(db, 'faq_seq', all))
    .execute();
  const others = new Set(shared.map((row) => row.faq_seq));
  const gone = seqs.filter((seq) => !others.has(seq));
  if (gone.length > 0)
    await db
      .deleteFrom('faqs')
      .where(isNumberAmong(db, 'seq', JSON.stringify(gone)))
      .execute();
  return gone.length;
}

export async function faqsOf(db: Db, sourceId: string): Promise<Faq[]> {
  const rows = await db
    .selectFrom('faq_sources')
    .innerJoin('faqs', 'faqs.seq', 'faq_sources.faq_seq')
    .selectAll('faqs')
    .where('source_id', '=', sourceId)
    .orderBy('faqs.seq')
    .execute();
  return rows.map(faqs.decode);
}

function tagsOf({ url, storage_path: path }: Source): string[] {
  return [url ?? path ?? ''].filter((tag) => tag !== '');
}
