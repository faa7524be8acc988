import { knownLanguage, type LanguageCode } from './languages.ts';
import { foldLetters, hasDigit, unspaced } from './letters.ts';
import { languageOf, rankOf, rankOfWord, stemOf } from './word-lists.ts';

// Splits a text into the words by which FAQs are found (rules answers.23 to answers.27).

/** The number of the most common words of a language that say nothing about the subject of a text. */
const saysNothing = 75;

/** The rank of words that are not in the list of a language. */
const unlistedRank = 13_000;

/** The smallest length of a compound, and of its parts. */
const shortestCompound = 8;
const shortestPart = 4;

const wordPattern = new RegExp(`${unspaced.source}|[\\p{L}\\p{N}\\p{M}]+`, 'gu');

/** A word of a text. */
export interface Word {
  /** Its stem, by which it is compared. */
  readonly term: string;
  /** In lower case, with its accents. */
  readonly written: string;
  /** The stems of the two words that a compound consists of. Other words have none. */
  readonly parts: readonly string[];
}

/** The words of a text in order, and the language that they are taken to be in. */
export interface Words {
  readonly language: LanguageCode;
  readonly words: readonly Word[];
}

/** Splits a text into words. Single letters are left out. @param expected the language of texts that do not tell theirs */
export function wordsOf(text: string, expected?: LanguageCode): Words {
  const written = split(text);
  const language = languageOf(written.map(foldLetters), expected);
  return { language, words: stemmed(written, language) };
}

/** Splits a text into words, whose language is known. */
export function wordsIn(text: string, language: LanguageCode): Words {
  return { language, words: stemmed(split(text), language) };
}

function split(text: string): string[] {
  const found =
    text
      .normalize('NFKC')
      .toLowerCase()
      .replace(/['’](?:s|re|ve|ll|d|m)\b/gu, '')
      .match(wordPattern) ?? [];
  return found.flatMap(partsOf).filter((word) => word.length > 1 || hasDigit(word) || unspaced.test(word));
}

function stemmed(written: readonly string[], language: LanguageCode): Word[] {
  return written.map((word) =>
    unspaced.test(word)
      ? { term: foldLetters(word), written: word, parts: [] }
      : { term: stemOf(word, language), written: word, parts: compoundParts(foldLetters(word), language) },
  );
}

/** A word, or the pairs of neighbouring characters of a text without spaces. */
function partsOf(found: string): string[] {
  if (!unspaced.test(found)) return [found];
  const characters = [...found];
  return characters.length === 1 ? characters : characters.slice(1).map((character, index) => (characters[index] ?? '') + character);
}

/** The stems of the words of a compound: those two words of the language that are the most common. @param word without accents */
function compoundParts(word: string, language: LanguageCode): string[] {
  if (!knownLanguage(language).hasCompounds || word.length < shortestCompound) return [];
  let [best, rarest]: [string[], number] = [[], Infinity];
  for (let at = shortestPart; at <= word.length - shortestPart; at++) {
    const [first, second] = [word.slice(0, at), word.slice(at)];
    const secondRank = rankOfWord(second, language);
    if (secondRank === undefined) continue;
    // What joins the parts belongs to neither, as in Lieferungskosten.
    for (const start of [first, first.replace(/(?:es|en|s|n)$/u, '')]) {
      const rank = Math.max(secondRank, (start.length >= shortestPart ? rankOfWord(start, language) : undefined) ?? Infinity);
      if (rank < rarest) [best, rarest] = [[start, second], rank];
    }
  }
  return best.map((part) => stemOf(part, language));
}

/** How much a word tells about the subject of a text: 0 for the most common words of its language, about 5 for a rare one. */
export function tellingOf(term: string, language: LanguageCode): number {
  return Math.max(0, Math.log((rankOf(term, language) ?? unlistedRank) / saysNothing));
}

/** The distinct terms of a text that tell something about its subject, or all of them when none does. */
export function tellingTerms({ language, words }: Words): string[] {
  const all = [...new Set(words.flatMap(({ term, parts }) => [term, ...parts]))];
  const telling = all.filter((term) => tellingOf(term, language) > 0);
  return telling.length > 0 ? telling : all;
}

/**
 * The share of the words of two texts, common ones included, that both contain. Breaks ties between matches with the same score.
 */
export function sharedWords(one: string, other: string): number {
  const [left, right] = [one, other].map((text) => new Set(foldLetters(text).match(wordPattern) ?? []));
  const all = left && right ? left.union(right).size : 0;
  return all === 0 ? 0 : (left as Set<string>).intersection(right as Set<string>).size / all;
}
