import type { checkStatuses, proposalReasons } from '../../../contract/areas/faqs/endpoints.ts';
import { accountTable } from '../../store/account-table.ts';
import { boolean, bytes, integer, json, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';
import type { LanguageCode } from './language/languages.ts';

export const faqs = accountTable(
  'faqs',
  { prefix: 'faq', record: 'faq' },
  {
    question: text(),
    /** Identifies the question for imports (see `questionKey`). */
    question_key: text().internal(),
    answer: text(),
    category: text().nullable(),
    tags: json<readonly string[]>().default([]),
    is_active: boolean().default(true),
    is_global: boolean().default(false),
    usage_count: integer().default(0),
    order_index: integer().default(0),
    /**
     * A digest of the question and answer as they were drafted from the source; null when the FAQ was not drafted (see
     * `draftDigest`).
     */
    drafted: text().internal().nullable(),
  },
);

export type Faq = Row<typeof faqs>;

export type FaqCheckStatus = (typeof checkStatuses)[number];

/** A FAQ that was merged, and the one that it was merged into, by their ids. */
export interface MergedFaq {
  readonly faq_id: string;
  readonly into: string;
}

/** FAQs that could be merged, by their ids. */
export interface ProposedFaqs {
  readonly faq_ids: string[];
  readonly reason: (typeof proposalReasons)[number];
  readonly score: number;
}

/** The last duplicate check of each account. */
export const faqChecks = table('faq_checks', {
  account_id: text(),
  status: text<FaqCheckStatus>(),
  /** The first merges, and the first FAQs that could be merged, as many as answers show. */
  merged: json<MergedFaq[]>().default([]),
  proposals: json<ProposedFaqs[]>().default([]),
});

/** The campaigns that FAQs are linked to. */
export const faqLinks = table('faq_links', { campaign_id: text(), faq_seq: integer() });

/** Named groups of FAQs, which are applied to agents and campaigns. */
export const kbGroups = accountTable(
  'kb_groups',
  { prefix: 'kgr', record: 'group' },
  {
    name: text(),
    /** The name for comparison: names that differ only in case are the same. */
    folded_name: text().internal(),
    description: text().nullable(),
  },
);

/** The knowledge groups that FAQs are in. */
export const faqGroups = table('faq_groups', { group_id: text(), faq_seq: integer() });

/** The sources that FAQs came from. */
export const faqSources = table('faq_sources', { source_id: text(), faq_seq: integer() });

/**
 * Whether the search data of a FAQ are up to date. If `changed`, they must be prepared before the FAQ is found. If `moved`, only
 * their campaigns or sources are out of date.
 */
type SearchState = 'ready' | 'changed' | 'moved';

/** The search data of each FAQ, and of each gap, as they are in the index (see `searched-texts.ts`). */
export const faqSearch = table('faq_search', {
  faq_seq: integer(),
  account_id: text(),
  state: text<SearchState>(),
  is_active: boolean(),
  /** The index scopes that contain it. */
  scopes: json<readonly string[]>(),
  language: text<LanguageCode>(),
  /** The words of the question, separated by spaces. */
  question_words: text(),
  /** Whether the question has names. */
  has_names: boolean(),
  /** The same for FAQs with the same answer. */
  answer_key: text(),
});

/** The words of each passage of an answer, separated by spaces. */
export const faqPassages = table('faq_passages', { faq_seq: integer(), passage: integer(), words: text() });

/** The vectors of passages, of a model for embeddings, as 32-bit numbers. */
export const faqVectors = table('faq_vectors', { faq_seq: integer(), passage: integer(), model: text(), vector: bytes() });

/**
 * The index: for each term, the passages that have it, best first. A scope is a campaign, a knowledge group, or an account for the
 * FAQs of its sources.
 */
export const faqTerms = table('faq_terms', {
  scope: text(),
  term: text(),
  /** Lower for FAQs to which the term is more specific (see `termsOf`). */
  place: integer(),
  faq_seq: integer(),
  passage: integer(),
});

/** The number of passages in a scope that have a term. The empty term counts all passages. */
export const faqWords = table('faq_words', { scope: text(), term: text(), passages: integer() });

/** The keys under which terms with other spellings are found (see `spellingsOf`). */
export const faqSpellings = table('faq_spellings', { scope: text(), spelling: text(), term: text() });

declare module '../../store/database.ts' {
  interface Database {
    faqs: StoredRow<typeof faqs>;
    faq_checks: StoredRow<typeof faqChecks>;
    faq_links: StoredRow<typeof faqLinks>;
    kb_groups: StoredRow<typeof kbGroups>;
    faq_groups: StoredRow<typeof faqGroups>;
    faq_sources: StoredRow<typeof faqSources>;
    faq_search: StoredRow<typeof faqSearch>;
    faq_passages: StoredRow<typeof faqPassages>;
    faq_vectors: StoredRow<typeof faqVectors>;
    faq_terms: StoredRow<typeof faqTerms>;
    faq_words: StoredRow<typeof faqWords>;
    faq_spellings: StoredRow<typeof faqSpellings>;
  }
}
