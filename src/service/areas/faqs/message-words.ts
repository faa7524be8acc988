import { foldAccents } from '../../../contract/text/fold.ts';
import { type LanguageCode, languageCodes } from './language/languages.ts';
import { hasDigit, unspaced } from './language/letters.ts';
import { namesIn } from './language/names.ts';
import { correctionOf, rankOf, stemOf } from './language/word-lists.ts';
import { informationOf, type Words, wordsIn, wordsOf } from './language/words.ts';

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
  /** How much it tells about a subject, in general text. */
  readonly information: number;
  /** Its rank in the language of the message, if it says nothing there and is only rare in that of the FAQs. */
  readonly ownRank: number | undefined;
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
  const words = wordsOf(message, expected);
  return firstWords(message, words, words.language, variantsOf);
}

/**
 * The same words, as they are compared with FAQs in a language.
 * @param own the language of the message. What says nothing in it tells nothing in another one, where it is only rare
 */
export function messageWordsIn(message: string, language: LanguageCode, own = language): MessageWords {
  return firstWords(message, wordsIn(message, language), own, (written) =>
    hasDigit(written) ? [] : [stemOf(foldAccents(written), language)],
  );
}

function firstWords(
  message: string,
  { language, words: all }: Words,
  own: LanguageCode,
  variantsOfWord: (written: string) => readonly string[],
): MessageWords {
  const names = namesIn(message, language);
  const words = [...new Map(all.map((word) => [word.term, word])).values()];
  const ranked = words.map((word) => {
    const stem = stemOf(word.written, own);
    const ownRank = own !== language && informationOf(stem, own) === 0 ? rankOf(stem, own) : undefined;
    return { ...word, ownRank, information: ownRank === undefined ? informationOf(word.term, language) : 0 };
  });
  const hasInformation = ranked.some(({ information }) => information > 0);
  const found = ranked.map(({ term, written, parts, information, ownRank }) => ({
    term,
    information,
    ownRank,
    variants: variantsOfWord(written).filter((each) => each !== term),
    corrected: correctedStem(written, language),
    parts,
    isName: names.has(written),
    isSearched: !hasInformation || information > 0,
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
