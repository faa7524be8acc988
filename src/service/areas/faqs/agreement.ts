import { hasDigit } from './language/letters.ts';

/** The factor for a FAQ whose question has numbers, codes or names that differ from the message's. */
const otherIdentifiers = 0.7;

/** What it keeps when one of the two is negated and the other is not. */
const otherNegation = 0.9;

/** What must agree where both a message and a question have it. */
export interface Identifiers {
  /** Numbers, and codes with digits. */
  readonly numbers: readonly string[];
  /** The terms that match each of the names. */
  readonly names: readonly ReadonlySet<string>[];
  readonly isNegated: boolean;
}

/** The terms that are numbers, codes with digits, or names such as C# and C++. */
export function numbersAmong(terms: readonly string[]): string[] {
  return terms.filter((term) => hasDigit(term) || /[#+]$/u.test(term));
}

/**
 * The share of its strength that a passage keeps: less when its question and the message each have a number that the other has not,
 * when its question has names and it has none of those of the message, and when only one of question and message is negated.
 */
export function agreementOf(
  question: { readonly terms: readonly string[]; readonly hasNames: boolean; readonly isNegated: boolean },
  has: (term: string) => boolean,
  message: Identifiers,
): number {
  const numbers = numbersAmong(question.terms);
  const hasOtherNumbers =
    message.numbers.length > 0 && !message.numbers.every(has) && !new Set(numbers).isSubsetOf(new Set(message.numbers));
  const hasOtherNames = message.names.length > 0 && question.hasNames && !message.names.some((terms) => [...terms].some(has));
  return (hasOtherNumbers || hasOtherNames ? otherIdentifiers : 1) * (question.isNegated === message.isNegated ? 1 : otherNegation);
}
