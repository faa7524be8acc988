import { foldAccents } from '../../../contract/text/fold.ts';
import { type LanguageCode, languageCodes } from './language/languages.ts';
import { hasDigit, unspaced } from './language/letters.ts';
import { namesIn } from './language/names.ts';
import { correctionOf, rankOf, stemOf } from './language/word-lists.ts';
import { tellingOf, type Words, wordsIn, wordsOf } from './language/words.ts';

/** The maximum number of words of a message that are searched. */
const searchedWords = 32;

/** A word of a message. */
export interface MessageWord {
  readonly term: string;
  /** What else its stem can be: that of the word without its accents, and those in other languages, because short texts often do not tell theirs. */
  readonly variants: readonly string[];
  /** The stem of the word that is meant, when this one is none of the language. */
  readonly corrected: string | undefined;
  /** The stems of the parts of a compound. */
  readonly parts: readonly string[];
  readonly isName: boolean;
  /** Whether FAQs are searched for it. Words that say nothing only rank what others find. */
  readonly isSearched: boolean;
}

/** The words of a message in a language. */
export interface MessageWords {
  readonly language: LanguageCode;
  readonly words: readonly MessageWord[];
}

/**
 * The first distinct words of a message, by which FAQs in any language are looked up.
 * @param expected the language of the agent, if it is known
 */
export function messageWords(message: string, expected: LanguageCode | undefined): MessageWords {
  return firstWords(message, wordsOf(message, expected), variantsOf);
}

/** The same words, as they are compared with FAQs in a language. */
export function messageWordsIn(message: string, language: LanguageCode): MessageWords {
  return firstWords(message, wordsIn(message, language), (written) => (hasDigit(written) ? [] : [stemOf(foldAccents(written), language)]));
}

function firstWords(
  message: string,
  { language, words: all }: Words,
  variantsOfWord: (written: string) => readonly string[],
): MessageWords {
  const names = namesIn(message, language);
  const words = [...new Map(all.map((word) => [word.term, word])).values()];
  const isTelling = ({ term }: { term: string }) => tellingOf(term, language) > 0;
  const hasTelling = words.some(isTelling);
  const found = words.map(({ term, written, parts }) => ({
    term,
    variants: variantsOfWord(written).filter((each) => each !== term),
    corrected: correctedStem(written, language),
    parts,
    isName: names.has(written),
    isSearched: !hasTelling || isTelling({ term }),
  }));
  return { language, words: found.slice(0, searchedWords) };
}

function correctedStem(written: string, language: LanguageCode): string | undefined {
  if (hasDigit(written) || unspaced.test(written) || rankOf(stemOf(written, language), language) !== undefined) return undefined;
  const word = correctionOf(foldAccents(written), language);
  return word === undefined ? undefined : stemOf(word, language);
}

/** What the variants of words are, for those that messages had last. */
const knownVariants = new Map<string, readonly string[]>();
const knownMax = 10_000;

function variantsOf(written: string): readonly string[] {
  const known = knownVariants.get(written);
  if (known) return known;
  const bare = foldAccents(written);
  const stems = hasDigit(written) ? [] : languageCodes.flatMap((language) => [stemOf(written, language), stemOf(bare, language)]);
  const variants = [...new Set([bare, ...stems])];
  if (knownVariants.size >= knownMax) knownVariants.clear();
  knownVariants.set(written, variants);
  return variants;
}
