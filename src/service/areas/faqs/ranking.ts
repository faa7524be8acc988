import { isOfQuestion } from './index-entries.ts';
import { likenessOf, wordsOf } from './words.ts';

/** The number of words of a message that are looked up. */
const messageWords = 32;

/** How much a word in the answer of a FAQ counts, of one in its question. */
const answerWeight = 0.6;

/** How much of the score is the share of the question's words that the message has; the rest is that of the message's. */
const questionShare = 0.25;

/** The number of terms that stand for one word of a message. */
const termsOfWord = 8;

/** A term of the index in a scope, with the number of FAQs there that have it. */
export interface CountedTerm {
  readonly scope: string;
  readonly term: string;
  readonly faqs: number;
}

/** The words of a message, and the terms that stand for them. */
export interface MessageTerms {
  /** How much each word of the message says: more the fewer FAQs have it, as in BM25. */
  readonly weights: readonly number[];
  /** The term that is the most like each word; undefined when no FAQ has it in any form. */
  readonly closest: readonly (string | undefined)[];
  /** The words that each term stands for. */
  readonly meanings: ReadonlyMap<string, readonly Meaning[]>;
}

/** A word that a term stands for, by its position, and how well it does. */
interface Meaning {
  readonly word: number;
  readonly likeness: number;
}

/** The words of a message that are looked up. */
export function lookedUpWords(message: string): string[] {
  return wordsOf(message).slice(0, messageWords);
}

/**
 * Finds the terms that stand for the words of a message: the words themselves, misspelled ones, and those with the same root.
 * @param found terms that may, of all scopes
 * @param total the number of FAQs in the scopes
 */
export function messageTerms(words: readonly string[], found: readonly CountedTerm[], total: number): MessageTerms {
  const counts = new Map<string, number>();
  for (const { term, faqs } of found) counts.set(term, (counts.get(term) ?? 0) + faqs);
  const meanings = new Map<string, Meaning[]>();
  const closest: (string | undefined)[] = [];
  const weights = words.map((word, position) => {
    const terms = [...counts]
      .map(([term, faqs]) => ({ term, faqs, likeness: likenessOf(word, term) }))
      .filter(({ likeness }) => likeness > 0);
    const best = terms.sort((a, b) => b.likeness - a.likeness || a.faqs - b.faqs).slice(0, termsOfWord);
    closest.push(best[0]?.term);
    for (const { term, likeness } of best) meanings.set(term, [...(meanings.get(term) ?? []), { word: position, likeness }]);
    // No FAQ has the word: it says as much as one that a single FAQ has.
    return weightOf(Math.max(1, ...best.map(({ faqs }) => faqs)), total);
  });
  return { weights, closest, meanings };
}

/** The weight of a word that some of the FAQs have, as in BM25. */
function weightOf(faqs: number, total: number): number {
  return Math.log(1 + (Math.max(total, faqs) - faqs + 0.5) / (faqs + 0.5));
}

/** An entry of the index that was read: a FAQ with a term. */
export interface FoundEntry {
  readonly faq_seq: number;
  readonly scope: string;
  readonly term: string;
  readonly place: number;
}

/** A FAQ that matches a message. */
export interface Match {
  readonly seq: number;
  /** From 0 to 1. */
  readonly score: number;
}

/**
 * Ranks the FAQs of the entries that were read. The score is the share of what the message says that the FAQ has, and of
 * what the question of the FAQ says that the message has. Words that too many FAQs have were not read; they count when
 * they are in the question.
 * @param questions the words of the questions of the FAQs that can be found, by their `seq`
 */
export function rank(
  entries: readonly FoundEntry[],
  questions: ReadonlyMap<number, readonly string[]>,
  { weights, meanings }: MessageTerms,
): Match[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const found = new Map<number, FoundWords>();
  for (const [seq, question] of questions) {
    const own = { shares: new Float64Array(weights.length), asked: 0 };
    for (const term of question) own.asked += note(own, meanings.get(term), 1) / question.length;
    found.set(seq, own);
  }
  for (const { faq_seq: seq, term, place } of entries) {
    const own = found.get(seq);
    if (own && !isOfQuestion(place)) note(own, meanings.get(term), answerWeight);
  }
  const matches = Array.from(found, ([seq, { shares, asked }]) => {
    const said = total === 0 ? 0 : shares.reduce((sum, share, word) => sum + share * (weights[word] ?? 0), 0) / total;
    // A question that is found whole counts little when it is a small part of what the message says.
    return { seq, score: (1 - questionShare) * said + questionShare * asked * Math.min(1, 4 * said) };
  });
  return matches.sort((a, b) => b.score - a.score || a.seq - b.seq);
}

/** What a FAQ has of a message. */
interface FoundWords {
  /** How much of each word of the message it has. */
  readonly shares: Float64Array;
  /** How much of its question the message has. */
  asked: number;
}

/** Notes that a FAQ has a term. @returns how well the term stands for a word of the message */
function note({ shares }: FoundWords, meanings: readonly Meaning[] | undefined, weight: number): number {
  let best = 0;
  for (const { word, likeness } of meanings ?? []) {
    if (likeness * weight > (shares[word] ?? 0)) shares[word] = likeness * weight;
    if (likeness > best) best = likeness;
  }
  return best;
}
