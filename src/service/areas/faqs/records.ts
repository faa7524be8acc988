import { limits } from '../../../contract/limits.ts';
import { ApiError, invalidField } from '../../errors.ts';
import { checkRoom } from '../../store/check-room.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';
import { alsoHas, isAmong } from '../../store/is-among.ts';
import { preparedChange } from '../../store/prepared.ts';
import { newest } from '../../store/newest.ts';
import type { NewRow } from '../../store/table.ts';
import { campaigns } from '../campaigns/table.ts';
import { unprepared } from './preparation.ts';
import { questionKey } from './rules.ts';
import { type Faq, faqLinks, faqs, faqSearch } from './table.ts';

/** The fields of a new FAQ that a request can set. */
type NewFaq = Pick<
  NewRow<typeof faqs>,
  'question' | 'answer' | 'category' | 'tags' | 'is_active' | 'is_global' | 'order_index' | 'drafted'
>;

/** FAQs as answers show them, with their campaigns in the order of creation. */
export async function faqRecords(db: Db, rows: readonly Faq[]) {
  if (!rows[0]) return [];
  const { account_id: accountId } = rows[0];
  const links = await db
    .selectFrom('faq_links')
    .innerJoin('campaigns', 'campaigns.id', 'faq_links.campaign_id')
    .select(['faq_seq', 'campaigns.id'])
    .where(
      'faq_seq',
      'in',
      rows.map(({ seq }) => seq),
    )
    // Links to a deleted campaign may still be stored.
    .where('campaigns.account_id', '=', accountId)
    .orderBy('campaigns.seq')
    .execute();
  const campaignsOf = Map.groupBy(links, ({ faq_seq: seq }) => seq);
  return rows.map((row) => {
    const { created_at, updated_at, ...fields } = faqs.show(row);
    return {
      ...fields,
      tags: [...fields.tags],
      campaign_ids: (campaignsOf.get(row.seq) ?? []).map(({ id }) => id),
      created_at,
      updated_at,
    };
  });
}

/** Lists FAQs, newest first. @param campaignId lists only FAQs of this campaign */
export async function listFaqs(
  db: Db,
  accountId: string,
  campaignId: string | undefined,
  before: number | undefined,
  limit: number,
): Promise<Faq[]> {
  if (campaignId === undefined) return await newest(db, faqs, { account_id: accountId }, before, limit);
  // Ordered by the link, so that the query starts at the right index entry.
  let query = db
    .selectFrom('faq_links')
    .innerJoin('faqs', 'faqs.seq', 'faq_links.faq_seq')
    .selectAll('faqs')
    .where('campaign_id', '=', campaignId)
    .orderBy('faq_links.faq_seq', 'desc')
    .limit(limit);
  if (before !== undefined) query = query.where('faq_links.faq_seq', '<', before);
  return (await query.execute()).map(faqs.decode);
}

/** Creates FAQs that are linked to a campaign, and marks their search data for preparation. @returns their ids, in order */
export async function createFaqs(db: Db, accountId: string, campaignId: string, fields: readonly NewFaq[], now: number): Promise<string[]> {
  const created = await insertFaqs(db, accountId, fields, now);
  await linkFaqs(
    db,
    campaignId,
    created.map(({ seq }) => seq),
  );
  return created.map(({ id }) => id);
}

/** Creates FAQs without links, and marks their search data for preparation. @returns the FAQs, in order */
export async function insertFaqs(db: Db, accountId: string, fields: readonly NewFaq[], now: number): Promise<Pick<Faq, 'seq' | 'id'>[]> {
  const own = { account_id: accountId, created_at: now, updated_at: now };
  const rows = fields.map((each) => ({ ...each, ...own, id: newId('faq'), question_key: questionKey(each.question) }));
  const created = await insertMany(db, faqs, rows, 'returning seq, id, is_active');
  await insertMany(
    db,
    faqSearch,
    created.map(({ seq, is_active }) => ({ ...unprepared(accountId), faq_seq: seq, is_active })),
  );
  const seqs = new Map(created.map(({ id, seq }) => [id, seq]));
  return rows.map(({ id }) => ({ id, seq: seqs.get(id) ?? 0 }));
}

/** Reads a FAQ and a campaign. @throws ApiError 404 when the account does not have both */
export async function requireFaqAndCampaign(db: Db, accountId: string, faqId: string, campaignId: string): Promise<Faq> {
  const faq = await faqs.require(db, accountId, faqId);
  await campaigns.require(db, accountId, campaignId);
  return faq;
}

/** Links FAQs, by their `seq`, to a campaign. Existing links stay. */
export async function linkFaqs(db: Db, campaignId: string, seqs: readonly number[]): Promise<void> {
  await insertMany(
    db,
    faqLinks,
    seqs.map((seq) => ({ campaign_id: campaignId, faq_seq: seq })),
    'on conflict do nothing',
  );
}

/** Links a FAQ to a campaign. @throws ApiError 400 when it is linked to as many others as it can be */
export async function linkToCampaign(db: Db, campaignId: string, seq: number): Promise<void> {
  const known = db.selectFrom('faq_links').select('faq_seq').where('campaign_id', '=', campaignId).where('faq_seq', '=', seq);
  if (await known.executeTakeFirst()) return;
  const full = `The FAQ is linked to ${limits.faqCampaigns} campaigns, as many as it can be: unlink one first`;
  await checkRoom(db, { table: 'faq_links', column: 'faq_seq', owner: seq }, limits.faqCampaigns, full);
  await linkFaqs(db, campaignId, [seq]);
}

/** Removes the link of a FAQ to a campaign, if there is one. */
export async function unlinkFaq(db: Db, campaignId: string, seq: number): Promise<void> {
  await db.deleteFrom('faq_links').where('campaign_id', '=', campaignId).where('faq_seq', '=', seq).execute();
}

const notEachOnce = () => invalidField('ordered_faq_ids', 'must have each FAQ of the campaign exactly once');

/** @throws ApiError 400 when an id is repeated */
export function checkEachOnce(ids: readonly string[]): void {
  if (new Set(ids).size !== ids.length) throw notEachOnce();
}

/**
 * Sets the order of a campaign's FAQs. `ids` must contain each of them exactly once.
 * @throws ApiError 404 when an id is not of a FAQ of the campaign, 400 when a FAQ of the campaign is missing
 */
export async function orderFaqs(db: Db, campaignId: string, ids: readonly string[], now: number): Promise<void> {
  const rows = await db
    .selectFrom('faq_links')
    .innerJoin('faqs', 'faqs.seq', 'faq_links.faq_seq')
    .select(['faqs.id', 'faqs.seq', 'faqs.order_index'])
    .where('campaign_id', '=', campaignId)
    .execute();
  const linked = new Map(rows.map((row) => [row.id, row]));
  if (ids.some((id) => !linked.has(id))) throw new ApiError(404, 'One or more FAQs were not found', { reason: 'faq_not_found' });
  if (ids.length !== linked.size) throw notEachOnce();
  for (const [index, id] of ids.entries()) {
    const row = linked.get(id);
    if (row && row.order_index !== index) await setOrder(db, { seq: row.seq, index, now });
  }
}

const setOrder = preparedChange<{ seq: number; index: number; now: number }>((db, $) =>
  db.updateTable('faqs').set({ order_index: $.index, updated_at: $.now }).where('seq', '=', $.seq),
);

/** Deletes FAQs. Ignores unknown ids. @returns the `seq` of each deleted FAQ */
export async function deleteFaqs(db: Db, accountId: string, ids: readonly string[]): Promise<number[]> {
  const deleted = await db
    .deleteFrom('faqs')
    .where(isAmong(db, 'id', JSON.stringify(ids)))
    .where(alsoHas(db, 'account_id', accountId))
    .returning('seq')
    .execute();
  return deleted.map(({ seq }) => seq);
}

/** Adds to the number of messages that a FAQ answered. */
export const countUses = preparedChange<{ id: string; uses: number }>((db, $) =>
  db
    .updateTable('faqs')
    .set((eb) => ({ usage_count: eb('usage_count', '+', $.uses) }))
    .where('id', '=', $.id),
);
