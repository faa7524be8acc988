import { rootKey, typoKeys, wordsOf } from './words.ts';

/** The words by which a FAQ is found. */
export interface FaqWords {
  readonly question: readonly string[];
  /** Without the words of the question. */
  readonly answer: readonly string[];
}

/** An entry of the index. */
interface FaqTerm {
  readonly term: string;
  /** Entries with a lower place come first in the list of a term. */
  readonly place: number;
}

/** The maximum number of indexed words of a question and of an answer. The beginning of an answer is the most relevant. */
const questionWords = 40;
const answerWords = 30;

/** The number of characters at the beginning of an answer that are examined. */
const answerStart = 2_000;

/** Added to the place of words from answers, so that they come after all words from questions. */
const afterQuestions = 1_000;

/** A term that every FAQ has. Its count is the number of FAQs. */
export const everyFaq = '';

/** The words of a FAQ. */
export function wordsOfFaq(question: string, answer: string): FaqWords {
  const asked = wordsOf(question).slice(0, questionWords);
  const isAsked = new Set(asked);
  const answered = wordsOf(answer.slice(0, answerStart)).filter((word) => !isAsked.has(word));
  return { question: asked, answer: answered.slice(0, answerWords) };
}

/** The index entries of a FAQ. A word of a short question is more specific than a word of a long one, so it comes first. */
export function termsOf({ question, answer }: FaqWords): FaqTerm[] {
  return [
    { term: everyFaq, place: 0 },
    ...[...question, ...pairsOf(question)].map((term) => ({ term, place: question.length })),
    ...answer.map((term) => ({ term, place: afterQuestions + answer.length })),
  ];
}

/** The number of words that are combined into pairs. */
const pairedWords = 6;

/**
 * The pairs of words, as terms. Few FAQs contain both words of a pair, even if each word occurs in many FAQs.
 * @param words the most important words first
 */
export function pairsOf(words: readonly string[]): string[] {
  const paired = words.slice(0, pairedWords);
  return paired.flatMap((one, index) => paired.slice(index + 1).map((other) => [one, other].sort().join(' ')));
}

/** Whether a term is a pair of words. */
function isPair(term: string): boolean {
  return term.includes(' ');
}

/** Whether a place belongs to a word of a question. */
export function isOfQuestion(place: number): boolean {
  return place < afterQuestions;
}

/** The key under which a word, and words with the same root, are found. */
export function spellingOf(word: string): string {
  return rootKey(word) ?? word;
}

/** The keys under which a term is found. A pair has none, because it is found by its words. */
export function spellingsOf(term: string): string[] {
  if (isPair(term)) return [];
  return [...new Set([spellingOf(term), ...typoKeys(term)])];
}
