import { foldAccents } from '../../../contract/text/fold.ts';
import { type LanguageCode, languageCodes } from './language/languages.ts';
import { namesIn } from './language/names.ts';
import { rootKey, typoKeys } from './language/likeness.ts';
import { endKeys } from './language/loan-words.ts';
import { languageOfText, informationOf, type Words, wordsIn } from './language/words.ts';
import { passagesOf } from './passages.ts';

/** The words by which a FAQ is found, as terms in the order of the text. */
export interface FaqWords {
  readonly language: LanguageCode;
  /** Each once. */
  readonly question: readonly string[];
  /** Whether the question has names. */
  readonly hasNames: boolean;
  /** The words of each passage of the answer. */
  readonly passages: readonly (readonly string[])[];
}

/** An entry of the index. */
interface FaqTerm {
  readonly term: string;
  /** The passage that has it, from 0. A word of the question is an entry of the first. */
  readonly passage: number;
  /** Entries with a lower place come first in the list of a term. */
  readonly place: number;
}

/** The maximum number of searched words of a question. */
const questionWords = 60;

/** Added to the place of words from answers, so that they come after all words from questions. */
const afterQuestions = 1_000;

/** The term of all passages in a language. No text has it. */
const passagesIn = (language: LanguageCode) => `0:${language}`;

/** The terms that tell how many passages there are in each language. */
export const languageTerms = new Map(languageCodes.map((code) => [passagesIn(code), code]));

/** The words of a FAQ. Its language is that of the question and the beginning of the answer. */
export function wordsOfFaq(question: string, answer: string): FaqWords {
  const passages = passagesOf(answer);
  const language = languageOfText(`${question}\n${passages[0] ?? ''}`);
  return {
    language,
    question: [...new Set(termsOfText(wordsIn(question, language)))].slice(0, questionWords),
    hasNames: namesIn(question, language).size > 0,
    passages: passages.map((passage) => termsOfText(wordsIn(passage, language))),
  };
}

function termsOfText({ words }: Words): string[] {
  return words.flatMap(({ term, parts }) => [term, ...parts]);
}

/**
 * The index entries of a FAQ. Words that say nothing about a subject have none, unless the question has no others. A word of a
 * short question is more specific than a word of a long one, so it comes first.
 */
export function termsOf({ language, question, passages }: Omit<FaqWords, 'hasNames'>): FaqTerm[] {
  const isInformative = (term: string) => informationOf(term, language) > 0;
  const informative = question.filter(isInformative);
  const asked = informative.length > 0 ? informative : question;
  const isAsked = new Set(asked);
  return [
    ...[...asked, ...pairsOf(asked)].map((term) => ({ term, passage: 0, place: asked.length })),
    ...passages.flatMap((words, passage) => {
      const answered = [...new Set(words)].filter((term) => !isAsked.has(term) && isInformative(term));
      const place = afterQuestions + answered.length;
      return [{ term: passagesIn(language), passage, place: 0 }, ...answered.map((term) => ({ term, passage, place }))];
    }),
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
  return [...new Set([spellingOf(term), spellingOf(foldAccents(term)), ...typoKeys(term), ...endKeys(term)])];
}
