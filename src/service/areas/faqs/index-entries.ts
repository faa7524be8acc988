import { rootKey, typoKeys, wordsOf } from './words.ts';

/** The words of a FAQ that it is found by. */
export interface FaqWords {
  readonly question: readonly string[];
  /** Without those of the question. */
  readonly answer: readonly string[];
}

/** An entry of the index. */
export interface FaqTerm {
  readonly term: string;
  /** Entries with a lower place come first in the list of their term. */
  readonly place: number;
}

/** The number of words of a question, and of an answer, that are in the index. Answers say the most at their beginning. */
const questionWords = 40;
const answerWords = 30;

/** The number of characters of an answer that are looked at. */
const answerStart = 2_000;

/** Added to the place of words of an answer, which come after all words of questions. */
const afterQuestions = 1_000;

/** The term that every FAQ has. Its count is the number of FAQs. */
export const everyFaq = '';

/** The words of a FAQ. */
export function wordsOfFaq(question: string, answer: string): FaqWords {
  const asked = wordsOf(question).slice(0, questionWords);
  const isAsked = new Set(asked);
  const answered = wordsOf(answer.slice(0, answerStart)).filter((word) => !isAsked.has(word));
  return { question: asked, answer: answered.slice(0, answerWords) };
}

/** The entries of a FAQ. A word of a short question says more about it than one of a long one, so it comes first. */
export function termsOf({ question, answer }: FaqWords): FaqTerm[] {
  return [
    { term: everyFaq, place: 0 },
    ...[...question, ...pairsOf(question)].map((term) => ({ term, place: question.length })),
    ...answer.map((term) => ({ term, place: afterQuestions + answer.length })),
  ];
}

/** The number of words of which every two are a pair. */
const pairedWords = 6;

/**
 * The pairs of words, as terms. Where each word stands in many FAQs, few have both words of a pair.
 * @param words those that matter most first
 */
export function pairsOf(words: readonly string[]): string[] {
  const paired = words.slice(0, pairedWords);
  return paired.flatMap((one, index) => paired.slice(index + 1).map((other) => [one, other].sort().join(' ')));
}

/** Whether a term is a pair of words. */
function isPair(term: string): boolean {
  return term.includes(' ');
}

/** Whether a place is one of the words of a question. */
export function isOfQuestion(place: number): boolean {
  return place < afterQuestions;
}

/** The key under which a word is found that is spelled in the same way, or has the same root. */
export function spellingOf(word: string): string {
  return rootKey(word) ?? word;
}

/** The keys under which a term is found; none for a pair, which is found by its words. */
export function spellingsOf(term: string): string[] {
  if (isPair(term)) return [];
  return [...new Set([spellingOf(term), ...typoKeys(term)])];
}
