import { isOfQuestion } from './index-entries.ts';
import { likenessOf, wordsOf } from './words.ts';

/** The maximum number of words of a message that are looked up. */
const messageWords = 32;

/** The weight of a word in a FAQ's answer, relative to one in its question. */
const answerWeight = 0.6;

/**
 * The part of the score that depends on how much of the FAQ's question is in the message. The rest depends on how much of the
 * message is in the FAQ.
 */
const questionShare = 0.25;

/** The maximum number of terms that match one word of a message. */
const termsOfWord = 8;

/** A term of the index in a scope, with the number of FAQs in that scope that have it. */
export interface CountedTerm {
  readonly scope: string;
  readonly term: string;
  readonly faqs: number;
}

/** The words of a message, and the index terms that match them. */
export interface MessageTerms {
  /** The weight of each word of the message: as in BM25, rarer words have a higher weight. */
  readonly weights: readonly number[];
  /** The term that is most similar to each word; undefined when no FAQ has the word in any form. */
  readonly closest: readonly (string | undefined)[];
  /** The words that each term matches. */
  readonly meanings: ReadonlyMap<string, readonly Meaning[]>;
}

/** A word that a term matches, by its position, and the quality of the match. */
interface Meaning {
  readonly word: number;
  readonly likeness: number;
}

/** The words of a message that are looked up. */
export function lookedUpWords(message: string): string[] {
  return wordsOf(message).slice(0, messageWords);
}

/**
 * Finds the index terms that match the words of a message: the same words, misspelled words, and words with the same root.
 * @param found candidate terms of all scopes
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
    // If no FAQ has the word, its weight is the same as for a word that a single FAQ has.
    return weightOf(Math.max(1, ...best.map(({ faqs }) => faqs)), total);
  });
  return { weights, closest, meanings };
}

/** The weight of a word that a number of FAQs have, as in BM25. */
function weightOf(faqs: number, total: number): number {
  return Math.log(1 + (Math.max(total, faqs) - faqs + 0.5) / (faqs + 0.5));
}

/** An index entry that was read: a FAQ that has a term. */
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
 * Ranks the FAQs of index entries. The score combines how much of the message is in the FAQ, and how much of the FAQ's question
 * is in the message. The entries of very frequent words were not read; such words count only if they are in the question.
 * @param questions the words of the questions of the FAQs that can be found, by `seq`
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
    // A question that is contained in the message counts little if it is only a small part of the message.
    return { seq, score: (1 - questionShare) * said + questionShare * asked * Math.min(1, 4 * said) };
  });
  return matches.sort((a, b) => b.score - a.score || a.seq - b.seq);
}

/** How a FAQ and a message match. */
interface FoundWords {
  /** For each word of the message, how well the FAQ matches it. */
  readonly shares: Float64Array;
  /** The share of the FAQ's question that is in the message. */
  asked: number;
}

/** Records that a FAQ has a term. @returns how well the term matches a word of the message */
function note({ shares }: FoundWords, meanings: readonly Meaning[] | undefined, weight: number): number {
  let best = 0;
  for (const { word, likeness } of meanings ?? []) {
    if (likeness * weight > (shares[word] ?? 0)) shares[word] = likeness * weight;
    if (likeness > best) best = likeness;
  }
  return best;
}
