import type { Db } from '../../store/database.ts';
import { campaigns } from '../campaigns/table.ts';
import { kbGroups } from './table.ts';

// What the index has: FAQs by their `seq`, and the questions of gaps, as FAQs without an answer, by their `seq` below zero.

/** A text that is searched. */
export interface SearchedText {
  readonly seq: number;
  readonly question: string;
  readonly answer: string;
}

/** The number of a gap among the texts that are searched, and of the gap with this number. */
export function numberOfGap(seq: number): number {
  return -seq;
}

/** The scope of the index that has the questions of an account's gaps. */
export function gapScope(accountId: string): string {
  return `gaps ${accountId}`;
}

/** Reads texts by `seq`. Deleted ones are missing. */
export async function readTexts(db: Db, seqs: readonly number[]): Promise<Map<number, SearchedText>> {
  const faqs = await db.selectFrom('faqs').select(['seq', 'question', 'answer']).where('seq', 'in', seqs).execute();
  const asked = seqs.filter((seq) => seq < 0).map(numberOfGap);
  const gaps =
    asked.length === 0 ? [] : await db.selectFrom('knowledge_gaps').select(['seq', 'question']).where('seq', 'in', asked).execute();
  const questions = gaps.map(({ seq, question }) => ({ seq: numberOfGap(seq), question, answer: '' }));
  return new Map([...faqs, ...questions].map((row) => [row.seq, row]));
}

/** Reads the scopes that texts belong to: the campaigns and groups of a FAQ, and the account if it has a source. */
export async function readScopes(db: Db, accountId: string, seqs: readonly number[]): Promise<(seq: number) => string[]> {
  const links = await db.selectFrom('faq_links').selectAll().where('faq_seq', 'in', seqs).orderBy('campaign_id').execute();
  const members = await db.selectFrom('faq_groups').selectAll().where('faq_seq', 'in', seqs).orderBy('group_id').execute();
  const sourced = await db.selectFrom('faq_sources').select('faq_seq').distinct().where('faq_seq', 'in', seqs).execute();
  const ofFaqs = [
    ...links.map((row) => ({ seq: row.faq_seq, scope: row.campaign_id })),
    ...members.map((row) => ({ seq: row.faq_seq, scope: row.group_id })),
    ...sourced.map((row) => ({ seq: row.faq_seq, scope: accountId })),
  ];
  const existing = await existingScopes(
    db,
    accountId,
    ofFaqs.map(({ scope }) => scope),
  );
  const found = Map.groupBy(
    ofFaqs.filter(({ scope }) => existing.has(scope)),
    ({ seq }) => seq,
  );
  return (seq) => (seq < 0 ? [gapScope(accountId)] : (found.get(seq) ?? []).map(({ scope }) => scope));
}

/** The scopes that still exist. The index entries of a deleted campaign or group are deleted along with it. */
export async function existingScopes(db: Db, accountId: string, scopes: readonly string[]): Promise<Set<string>> {
  const ids = [...new Set(scopes)];
  const [ofCampaigns, ofGroups] = [await campaigns.existing(db, accountId, ids), await kbGroups.existing(db, accountId, ids)];
  return new Set([...ofCampaigns, ...ofGroups, accountId, gapScope(accountId)]);
}
