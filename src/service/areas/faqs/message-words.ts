import { type LanguageCode, languageCodes } from './language/languages.ts';
import { foldLetters, hasDigit } from './language/letters.ts';
import { stemOf } from './language/word-lists.ts';
import { tellingOf, wordsOf } from './language/words.ts';

/** The maximum number of words of a message that are searched. */
const searchedWords = 32;

/** A word of a message. */
export interface MessageWord {
  readonly term: string;
  /** What its stem is without its accents, as it is written, and in the other languages, because short texts often do not tell theirs. */
  readonly variants: readonly string[];
  /** The stems of the parts of a compound. */
  readonly parts: readonly string[];
  /** Whether FAQs are searched for it. Words that say nothing only rank what others find. */
  readonly isSearched: boolean;
}

/**
 * The first distinct words of a message, and its language.
 * @param expected the language of the agent, if it is known
 */
export function messageWords(message: string, expected: LanguageCode | undefined): { language: LanguageCode; words: MessageWord[] } {
  const { language, words: all } = wordsOf(message, expected);
  const words = [...new Map(all.map((word) => [word.term, word])).values()];
  const isTelling = ({ term }: { term: string }) => tellingOf(term, language) > 0;
  const hasTelling = words.some(isTelling);
  const found = words.map(({ term, written, parts }) => ({
    term,
    variants: variantsOf(written).filter((each) => each !== term),
    parts,
    isSearched: !hasTelling || isTelling({ term }),
  }));
  return { language, words: found.slice(0, searchedWords) };
}

/** What the variants of words are, for those that messages had last. */
const knownVariants = new Map<string, readonly string[]>();
const knownMax = 10_000;

function variantsOf(written: string): readonly string[] {
  const known = knownVariants.get(written);
  if (known) return known;
  const bare = foldLetters(written);
  const stems = hasDigit(written) ? [] : languageCodes.flatMap((language) => [stemOf(written, language), stemOf(bare, language)]);
  const variants = [...new Set([bare, ...stems])];
  if (knownVariants.size >= knownMax) knownVariants.clear();
  knownVariants.set(written, variants);
  return variants;
}
