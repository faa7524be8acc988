import { areNegated } from './language/negations.ts';
import { likenessOf, partLikeness, typoLikeness, variantLikeness } from './language/likeness.ts';
import { rankOf } from './language/word-lists.ts';
import { type Identifiers, numbersAmong } from './agreement.ts';
import type { MessageWords } from './message-words.ts';

/** The number of passages of general text that are added to those of an account, so that common words count little in few FAQs. */
const background = 100;

/** The share of passages of general text that have a word, times its rank. */
const commonness = 16;

/** The maximum number of terms that match one word of a message. */
const termsOfWord = 8;

/** A term of the index in a scope, with the number of passages in that scope that have it. */
export interface CountedTerm {
  readonly scope: string;
  readonly term: string;
  readonly passages: number;
}

/** A word of a message, as it is looked for in FAQs. */
export interface QueryWord {
  /** How rare it is among the FAQs, as in BM25. */
  readonly idf: number;
  /** How much it tells about a subject, in general text. */
  readonly information: number;
  readonly isName: boolean;
}

/** That a term matches a word of a message, or is a part of it. */
interface TermMatch {
  /** The place of the word. */
  readonly word: number;
  /** How well it does, from 0 to 1. */
  readonly likeness: number;
  /** The share of a compound that a part of it is; 1 for other terms. */
  readonly share: number;
}

/** What a message asks for. */
export interface Query {
  readonly words: readonly QueryWord[];
  /** The words that terms match. */
  readonly matches: ReadonlyMap<string, readonly TermMatch[]>;
  /** The terms of the words that find FAQs, the closest one to each word. */
  readonly closest: readonly string[];
  readonly identifiers: Identifiers;
}

/**
 * Finds the index terms that match the words of a message: the same words, misspelled words, and words with the same root.
 * @param found candidate terms of all scopes
 * @param total the number of passages in the scopes
 */
export function queryOf({ language, words }: MessageWords, found: readonly CountedTerm[], total: number): Query {
  const counts = new Map<string, number>();
  for (const { term, passages } of found) counts.set(term, (counts.get(term) ?? 0) + passages);
  const isWord = (word: string) => rankOf(word, language) !== undefined;
  const closest: string[] = [];
  const matches = new Map<string, TermMatch[]>();
  const addMatch = (term: string, match: TermMatch) => {
    const known = matches.get(term);
    if (known) known.push(match);
    else matches.set(term, [match]);
  };
  const names: Set<string>[] = [];
  const otherWords: Set<string>[] = [];
  const queryWords = words.map(({ term: stem, variants, corrected, parts, isSearched, isName, information, ownRank }, word): QueryWord => {
    const exact = [stem, ...variants].map((term) => ({ term, likeness: term === stem ? 1 : variantLikeness }));
    if (corrected !== undefined && !exact.some(({ term }) => counts.has(term))) exact.push({ term: corrected, likeness: typoLikeness });
    const alike = !isSearched
      ? []
      : [...counts.keys()]
          .filter((term) => !exact.some((each) => each.term === term))
          .map((term) => ({ term, likeness: likenessOf(stem, term, isWord) }))
          .filter(({ likeness }) => likeness > 0)
          .sort((one, other) => other.likeness - one.likeness || (counts.get(one.term) ?? 0) - (counts.get(other.term) ?? 0))
          .slice(0, termsOfWord);
    const best = [...exact, ...alike].find(({ term }) => counts.has(term))?.term;
    if (best !== undefined) closest.push(best);
    for (const { term, likeness } of [...exact, ...alike]) addMatch(term, { word, likeness, share: 1 });
    for (const part of parts) addMatch(part, { word, likeness: partLikeness, share: 1 / parts.length });
    const all = [...exact, ...alike].map(({ term }) => term);
    if (!isName && information > 0 && numbersAmong([stem]).length === 0) otherWords.push(new Set([...all, ...parts]));
    // Another word with the same root is another name: Austria and Australia.
    if (isName) names.push(new Set([...exact, ...alike].filter(({ likeness }) => likeness >= typoLikeness).map(({ term }) => term)));
    return {
      idf: idfOf(isSearched ? (counts.get(best ?? stem) ?? 0) : null, total, ownRank ?? rankOf(best ?? stem, language)),
      information,
      isName,
    };
  });
  const written = words.map(({ term }) => term);
  return {
    words: queryWords,
    matches,
    closest,
    identifiers: { numbers: numbersAmong(written), names, otherWords, isNegated: areNegated(written, language) },
  };
}

/**
 * The inverse document frequency of a word, as in BM25, with a background of general text.
 * @param passages how many have it; null for a common word, of which the index has no count
 */
function idfOf(passages: number | null, total: number, rank: number | undefined): number {
  const share = rank === undefined ? 0 : 1 - Math.exp(-commonness / rank);
  const having = (passages ?? total * share) + background * share;
  const all = Math.max(total + background, having);
  return Math.log(1 + (all - having + 0.5) / (having + 0.5));
}
