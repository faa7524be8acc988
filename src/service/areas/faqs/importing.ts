import { definedFields } from '../../../contract/defined-fields.ts';
import { sql } from 'kysely';
import type { importFaqs } from '../../../contract/areas/faqs/endpoints.ts';
import type { Body } from '../../../contract/endpoint.ts';
import type { Db } from '../../store/database.ts';
import { isAmong } from '../../store/is-among.ts';
import { createFaqs } from './records.ts';
import { questionKey } from './rules.ts';
import { type Faq, faqs } from './table.ts';
import { changeFaqs } from './changes.ts';

type ImportedFaq = Body<typeof importFaqs>['faqs'][number];

/**
 * Imports FAQs to a campaign: creates FAQs with new questions, and updates the others (rules faqs.19 to faqs.22).
 * @returns the id of each entry's FAQ, in order
 */
export async function importRows(
  db: Db,
  accountId: string,
  campaignId: string,
  rows: readonly ImportedFaq[],
  now: number,
): Promise<string[]> {
  // If a question occurs more than once, later entries take precedence, field by field.
  const wanted = new Map<string, ImportedFaq>();
  const keys = rows.map((row) => questionKey(row.question));
  for (const [index, row] of rows.entries()) wanted.set(keys[index] ?? '', { ...wanted.get(keys[index] ?? ''), ...definedFields(row) });
  const known = await oldestByKey(db, accountId, campaignId, [...wanted.keys()]);
  const changes = [...known].map(([key, faq]) => ({ faq, change: faqs.read(wanted.get(key) as ImportedFaq) }));
  await changeFaqs(db, changes, now);
  const fresh = [...wanted].filter(([key]) => !known.has(key));
  const created = await createFaqs(
    db,
    accountId,
    campaignId,
    fresh.map(([, row]) => faqs.read(row)),
    now,
  );
  const ids = new Map([
    ...[...known].map(([key, { id }]) => [key, id] as const),
    ...fresh.map(([key], index) => [key, created[index]] as const),
  ]);
  return keys.map((key) => ids.get(key) ?? '');
}

/** The campaign's FAQs with these questions, by key. If several have the same question, the oldest is used. */
async function oldestByKey(db: Db, accountId: string, campaignId: string, keys: readonly string[]): Promise<Map<string, Faq>> {
  const rows = await db
    .selectFrom('faqs')
    .selectAll('faqs')
    .where('account_id', '=', accountId)
    .where(isAmong(db, 'question_key', JSON.stringify(keys)))
    .where(sql<boolean>`exists (select 1 from faq_links where faq_seq = faqs.seq and campaign_id = ${campaignId})`)
    .execute();
  // Sorted here: for an order by `seq`, SQLite would read all FAQs of the account.
  const newestFirst = rows.toSorted((one, other) => other.seq - one.seq);
  return new Map(newestFirst.map((row) => [row.question_key, faqs.decode(row)]));
}
