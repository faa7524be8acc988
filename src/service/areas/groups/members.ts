import { limits } from '../../../contract/limits.ts';
import { ApiError, notFound } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { deleteRows } from '../../store/delete-rows.ts';
import { insertMany } from '../../store/insert.ts';
import { alsoHas, isAmong, isNumberAmong } from '../../store/is-among.ts';
import { prepareLater } from '../faqs/preparation.ts';
import { faqGroups, faqs } from '../faqs/table.ts';

/** The newest FAQs of a group. @param before the sequence number of the last FAQ of the page before */
export async function faqsOf(db: Db, groupId: string, before: number | undefined, limit: number) {
  let query = db
    .selectFrom('faq_groups')
    .innerJoin('faqs', 'faqs.seq', 'faq_groups.faq_seq')
    .selectAll('faqs')
    .where('group_id', '=', groupId)
    .orderBy('faq_groups.faq_seq', 'desc')
    .limit(limit);
  if (before !== undefined) query = query.where('faq_groups.faq_seq', '<', before);
  return (await query.execute()).map(faqs.decode);
}

/** Adds FAQs to a group. @throws ApiError 404 for an unknown FAQ, 400 when one is in as many groups as it can be */
export async function addFaqs(db: Db, accountId: string, groupId: string, faqIds: readonly string[], now: number): Promise<void> {
  const seqs = await requireFaqs(db, accountId, faqIds);
  await checkGroups(db, groupId, seqs);
  const rows = seqs.map((seq) => ({ group_id: groupId, faq_seq: seq }));
  await insertMany(db, faqGroups, rows, 'on conflict do nothing');
  await prepareLater(db, accountId, seqs, now);
}

/** Removes FAQs from a group. Those that are not in it are ignored. @throws ApiError 404 for an unknown FAQ */
export async function removeFaqs(db: Db, accountId: string, groupId: string, faqIds: readonly string[], now: number): Promise<void> {
  const seqs = await requireFaqs(db, accountId, faqIds);
  const rows = seqs.map((seq) => ({ group_id: groupId, faq_seq: seq }));
  deleteRows(db, faqGroups, ['group_id', 'faq_seq'], rows);
  await prepareLater(db, accountId, seqs, now);
}

async function requireFaqs(db: Db, accountId: string, ids: readonly string[]): Promise<number[]> {
  const rows = await db
    .selectFrom('faqs')
    .select(['id', 'seq'])
    .where(isAmong(db, 'id', JSON.stringify(ids)))
    .where(alsoHas(db, 'account_id', accountId))
    .execute();
  const known = new Map(rows.map(({ id, seq }) => [id, seq]));
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined) throw notFound('faq', missing);
  return [...known.values()];
}

/** Checks that FAQs can be in one more group, because the index has each of them once for each group. */
async function checkGroups(db: Db, groupId: string, seqs: readonly number[]): Promise<void> {
  const full = await db
    .selectFrom('faq_groups')
    .innerJoin('faqs', 'faqs.seq', 'faq_groups.faq_seq')
    .select('faqs.id')
    .where(isNumberAmong(db, 'faq_seq', JSON.stringify(seqs)))
    .where('group_id', '<>', groupId)
    .groupBy('faqs.id')
    .having((eb) => eb.fn.countAll(), '>=', limits.faqGroups)
    .limit(1)
    .executeTakeFirst();
  if (full) throw new ApiError(400, `FAQ ${full.id} is in ${limits.faqGroups} groups, as many as it can be: remove it from one first`);
}
