import type { LanguageCode } from './languages.ts';
import { wordPattern } from './words.ts';

/** What a word follows that is not the first of a sentence, and how many characters are looked at. */
const insideSentence = /[^.!?:…\s"'“„«(¿¡-][ \t"'“„«(¿¡-]*$/u;
const looked = 12;

/** A title in which most words have capitals tells no names. */
const titleWords = 3;

/**
 * The names in a text, in lower case: words with a capital that their place does not give them, such as Visa, PayPal and Monday. In
 * German all nouns have capitals, so only those inside of a word tell a name.
 */
export function namesIn(text: string, language: LanguageCode): ReadonlySet<string> {
  const plain = text.normalize('NFKC');
  // Where all letters are capitals, they tell nothing.
  if (!/\p{Ll}/u.test(plain)) return new Set();
  const words = Array.from(plain.matchAll(wordPattern), ({ 0: word, index }) => ({
    word,
    isFirst: !insideSentence.test(plain.slice(Math.max(0, index - looked), index)),
  }));
  const inside = words.filter(({ isFirst }) => !isFirst);
  const capitals = inside.filter(({ word }) => /^\p{Lu}/u.test(word));
  const isTitle = capitals.length >= titleWords && capitals.length > inside.length / 2;
  const hasCapitals = language !== 'de' && !isTitle;
  const isName = ({ word, isFirst }: (typeof words)[number]) =>
    /.\p{Lu}/u.test(word) || (hasCapitals && !isFirst && /^\p{Lu}./u.test(word));
  return new Set(words.filter(isName).map(({ word }) => word.toLowerCase()));
}
