import type { LanguageCode } from './language/languages.ts';
import { hasDigit } from './language/letters.ts';
import { informationOf } from './language/words.ts';

/** The factor for a FAQ whose question has numbers, codes or names that differ from the message's. */
const otherIdentifiers = 0.7;

/** The same for how good an answer it is, when all other words of the question and the message agree: it asks the same about something else. */
const otherSubject = 0.25;

/** What it keeps when one of the two is negated and the other is not. */
const otherNegation = 0.9;

/** What must agree where both a message and a question have it. */
export interface Identifiers {
  /** Numbers, and codes with digits. */
  readonly numbers: readonly string[];
  /** The terms that match each of the names. */
  readonly names: readonly ReadonlySet<string>[];
  /** The terms that match each of the other words that tell something. */
  readonly otherWords: readonly ReadonlySet<string>[];
  readonly isNegated: boolean;
}

/** The terms that are numbers, codes with digits, or names such as C# and C++. */
export function numbersAmong(terms: readonly string[]): string[] {
  return terms.filter((term) => hasDigit(term) || /[#+]$/u.test(term));
}

/** What a passage keeps of its strength, and of the share of the message that it has. */
interface Agreement {
  readonly strength: number;
  readonly share: number;
}

/**
 * What a passage keeps: less when its question and the message each have a number that the other has not,
 * when its question has names and it has none of those of the message, and when only one of question and message is negated.
 */
export function agreementOf(
  question: { readonly terms: readonly string[]; readonly language: LanguageCode; readonly hasNames: boolean; readonly isNegated: boolean },
  has: (term: string) => boolean,
  message: Identifiers,
): Agreement {
  const numbers = numbersAmong(question.terms);
  const hasOtherNumbers =
    message.numbers.length > 0 && !message.numbers.every(has) && !new Set(numbers).isSubsetOf(new Set(message.numbers));
  const hasOne = (terms: ReadonlySet<string>) => [...terms].some(has);
  const hasOtherNames = message.names.length > 0 && question.hasNames && !message.names.some(hasOne);
  const ofNegation = question.isNegated === message.isNegated ? 1 : otherNegation;
  if (!hasOtherNumbers && !hasOtherNames) return { strength: ofNegation, share: ofNegation };
  const missing = question.terms.filter((term) => !has(term) && !hasDigit(term) && informationOf(term, question.language) > 0);
  // Which of the words of a question are names is not known.
  const isSame = missing.length <= (hasOtherNumbers ? 0 : 1) && message.otherWords.every(hasOne);
  return { strength: otherIdentifiers * ofNegation, share: (isSame ? otherSubject : otherIdentifiers) * ofNegation };
}
