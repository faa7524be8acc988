import { foldAccents } from '../../../../contract/text/fold.ts';
import { characterPairs } from './character-pairs.ts';
import { knownLanguage, type LanguageCode } from './languages.ts';
import { hasDigit, spaced, unspaced, westernDigits } from './letters.ts';
import { loanWords, shortestLoanWord, withoutLongVowel } from './loan-words.ts';
import { joinVerbs } from './separable-verbs.ts';
import { languageOf, rankOf, rankOfWord, stemOf } from './word-lists.ts';

// Splits a text into the words by which FAQs are found (rules answers.23 to answers.27).

/** The number of the most common words of a language that say nothing about the subject of a text. */
const stopWordCount = 75;

/** What a dictionary divides into words: scripts without spaces, but in Japanese only loan words, because it often does not know others. */
const toldByDictionary = /[\p{scx=Han}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]+/gu;
const japanese = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** The rank of words that are not in the list of a language. */
const unlistedRank = 13_000;

/** The smallest length of a compound, and of its parts. */
const shortestCompound = 8;
const shortestPart = 4;

/** The smallest length of the known end of a compound whose beginning is unknown; of a known beginning, and of the unknown end after it. */
const halfKnownEnd = 5;
const halfKnownStart = 5;
const unknownEnd = 6;

/** What ends a single word. */
const ending = /^(?:lich|keit|heit|schaft|barkeit|samkeit|haft|ung|ier|isch|ling|ner)/u;

/** A word, a number, a code, or a run of characters of a script without spaces. */
export const wordPattern = new RegExp(`${unspaced.source}|\\p{N}+(?:\\.\\p{N}+)+|\\p{L}(?:#|\\+\\+)|${spaced.source}`, 'gv');

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
  const language = languageOf(written.map(foldAccents), expected);
  return { language, words: stemmed(written, language) };
}

/** The language that a text is taken to be in. */
export function languageOfText(text: string): LanguageCode {
  return languageOf(split(text).map(foldAccents));
}

/** Splits a text into words, whose language is known. */
export function wordsIn(text: string, language: LanguageCode): Words {
  return { language, words: stemmed(split(text), language) };
}

function split(text: string): string[] {
  const found = withSpaces(joinedCodes(westernDigits(text.normalize('NFKC'))).toLowerCase()).match(wordPattern) ?? [];
  return found
    .map(withoutLongVowel)
    .flatMap(characterPairs)
    .filter((word) => word.length > 1 || hasDigit(word) || unspaced.test(word));
}

/** A number and a unit without a space between: 200GB, 5km. */
const numberWithUnit =
  /(?<![\p{L}\p{N}.,-])(\d+(?:[.,]\d+)?)(?=(?:[kmgt]b|[kmc]m|kg|[mg]bps|mins?|hrs?|eur|usd|chf|pln|czk|kr|zł|tl|гб|мб|км|кг|kwh|watt|px|dpi|ml|cl|days?|tage?|uhr)(?![\p{L}\p{N}]))/giu;

/** Spells out short forms, and writes numbers and codes in one way: 1,000 and 1000; 9:30 and 9.30; E-101, E 101 and E101. */
function joinedCodes(text: string): string {
  return text
    .replace(numberWithUnit, '$1 ')
    .replace(/\bcan(?:not|['’]?t)\b/giu, 'can not')
    .replace(/\bwon['’]?t\b/giu, 'will not')
    .replace(/(?<=\b(?:does|did|is|are|was|were|could|should|would|has|have|had|(?:i|you|we|they) do))n['’]?t\b/giu, ' not')
    .replace(/n['’]t\b/giu, ' not')
    .replace(/['’](?:s|re|ve|ll|d|m)\b/giu, '')
    .replace(/(?<=\d)[.,'’\u202F\u00A0](?=\d{3}(?!\d))/gu, '')
    .replace(/(?<=\d)[,:](?=\d)/gu, '.')
    .replace(/(?<![\p{L}\p{N}])(\p{L}{1,4})-(?=\d)/gu, '$1')
    .replace(/(?<![\p{L}\p{N}])([B-HJ-Z]) (?=\d)/gu, '$1')
    .replace(/(?<=\d)[- ](?=[A-Z](?![\p{L}\p{N}]))/gu, '');
}

const isGerman = (word: string) => rankOf(stemOf(word, 'de'), 'de') !== undefined;

function stemmed(written: readonly string[], language: LanguageCode): Word[] {
  const words = language === 'de' ? joinVerbs(written, isGerman, (word) => informationOf(stemOf(word, 'de'), 'de') > 0) : written;
  return words.map((word) =>
    unspaced.test(word)
      ? { term: foldAccents(word), written: word, parts: [] }
      : { term: stemOf(word, language), written: word, parts: compoundParts(word, language) },
  );
}

let dictionary: Intl.Segmenter | undefined;

/** Puts spaces around the words that a dictionary tells. */
function withSpaces(text: string): string {
  const isJapanese = japanese.test(text);
  return text.replace(isJapanese ? loanWords : toldByDictionary, (run) => {
    const words = divided(run);
    // A compound of words that the dictionary does not know stays whole. It is found by its beginning and its end.
    const isKnown = !isJapanese || words.every((word) => word.length >= shortestLoanWord);
    return ` ${isKnown ? words.join(' ') : run} `;
  });
}

/** The words of a text without spaces. The dictionary is loaded when it is first needed. */
function divided(text: string): string[] {
  dictionary ??= new Intl.Segmenter('zh', { granularity: 'word' });
  return Array.from(dictionary.segment(text), ({ segment }) => segment);
}

/** The stems of the two words of a compound. */
function compoundParts(written: string, language: LanguageCode): string[] {
  if (!knownLanguage(language).hasCompounds) return [];
  const word = foldAccents(written);
  if (word.length < shortestCompound) return [];
  const isForm = rankOf(stemOf(word, language), language) !== undefined;
  const parts = knownParts(word, language) ?? (isForm ? undefined : (knownBeginning(word, language) ?? halfKnownParts(word, language)));
  return parts ?? [];
}

/** The two words of the language that are the most common. */
function knownParts(word: string, language: LanguageCode): string[] | undefined {
  let [best, rarest]: [string[] | undefined, number] = [undefined, Infinity];
  for (const [first, second] of splitsOf(word)) {
    const secondRank = rankOfWord(second, language);
    if (secondRank === undefined) continue;
    // What joins the parts belongs to neither, as in Lieferungskosten.
    for (const start of [first, first.replace(/(?:es|en|s|n)$/u, '')]) {
      const rank = Math.max(secondRank, (start.length >= shortestPart ? rankOfWord(start, language) : undefined) ?? Infinity);
      if (rank < rarest) [best, rarest] = [[stemOf(start, language), stemOf(second, language)], rank];
    }
  }
  return best;
}

/** Two words of which only one is known, as in Versandkosten, or that an s after an ending joins, as in Kündigungsfrist. */
function halfKnownParts(word: string, language: LanguageCode): string[] | undefined {
  const isInformative = (part: string) => (rankOfWord(part, language) ?? 0) > stopWordCount;
  const splits = splitsOf(word);
  const split =
    /^(.{2,}(?:ung|ing|heit|keit|schaft|ion|tat|het))s(.{4,})$/u.exec(word)?.slice(1) ??
    splits.find(([, end]) => end.length >= halfKnownEnd && isInformative(end)) ??
    splits.findLast(
      ([start, end]) => isInformative(start) && start.length >= halfKnownStart && end.length >= unknownEnd && !ending.test(end),
    );
  return split?.map((part) => stemOf(part, language));
}

/** The stem of a word and a word, as in Bestellnummer. */
function knownBeginning(word: string, language: LanguageCode): string[] | undefined {
  const split = splitsOf(word).find(([start, end]) => rankOf(start, language) !== undefined && rankOfWord(end, language) !== undefined);
  return split && [split[0], stemOf(split[1], language)];
}

/** The ways to divide a word in two, those with the longest ends first. */
function splitsOf(word: string): [string, string][] {
  const places = Array.from({ length: word.length - 2 * shortestPart + 1 }, (_, index) => index + shortestPart);
  return places.map((at) => [word.slice(0, at), word.slice(at)]);
}

/** How much a word tells about the subject of a text: 0 for the most common words of its language, about 5 for a rare one. */
export function informationOf(term: string, language: LanguageCode): number {
  return Math.max(0, Math.log((rankOf(term, language) ?? unlistedRank) / stopWordCount));
}

/**
 * Tells the share of the words of a text and another one, common ones included, that both contain. Breaks ties between matches with the
 * same score.
 */
export function sharedWords(one: string): (other: string) => number {
  const own = allWords(one);
  return (other) => {
    const words = allWords(other);
    const all = own.union(words).size;
    return all === 0 ? 0 : own.intersection(words).size / all;
  };
}

function allWords(text: string): Set<string> {
  return new Set(foldAccents(text).match(wordPattern) ?? []);
}
