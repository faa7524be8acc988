import { hasDigit } from './language/letters.ts';

/** How much of its strength a FAQ keeps when its question has other numbers, codes or names than the message. */
const others = 0.7;

/** What it keeps when one of the two is negated and the other is not. */
const otherNegation = 0.9;

/** Words that negate a sentence, without accents. */
const negations = new Set(
  `not no never none without cannot don doesn didn isn aren wasn weren won couldn shouldn wouldn haven hasn hadn mustn nothing nobody unable
   nicht kein keine keinen keiner keinem keinesfalls nichts niemand nie niemals ohne
   nunca sin tampoco ne pas jamais sans aucun aucune non mai senza nao sem niet geen nooit zonder
   inte aldrig utan ikke aldri uden uten ei degil yok
   не нет никогда нельзя без ні немає
   لا لم لن ليس بدون δεν μην οχι nem nincs nu fara nie bez ne neni tidak belum bukan jangan tanpa
   没 沒 没有 沒有 不能 不要 不会 不會 无法 無法 别 別`
    .split(/\s+/u)
    .filter((word) => word !== ''),
);

/** What must agree where both a message and a question have it. */
export interface Identifiers {
  /** Numbers, and codes with digits. */
  readonly numbers: readonly string[];
  /** The terms that match each of the names. */
  readonly names: readonly ReadonlySet<string>[];
  readonly isNegated: boolean;
}

export function numbersAmong(terms: readonly string[]): string[] {
  return terms.filter((term) => hasDigit(term) || /[#+]$/u.test(term));
}

export function areNegated(terms: readonly string[]): boolean {
  return terms.some((term) => negations.has(term));
}

/**
 * The share of its strength that a passage keeps: less when its question and the message each have a number that the other has not,
 * when its question has names and it has none of those of the message, and when only one of question and message is negated.
 */
export function agreementOf(
  question: { readonly terms: readonly string[]; readonly hasNames: boolean },
  passage: ReadonlyMap<string, number>,
  message: Identifiers,
): number {
  const numbers = numbersAmong(question.terms);
  const has = (term: string) => passage.has(term);
  const hasOtherNumbers =
    message.numbers.length > 0 && !message.numbers.every(has) && !new Set(numbers).isSubsetOf(new Set(message.numbers));
  const hasOtherNames = message.names.length > 0 && question.hasNames && !message.names.some((terms) => [...terms].some(has));
  return (hasOtherNumbers || hasOtherNames ? others : 1) * (areNegated(question.terms) === message.isNegated ? 1 : otherNegation);
}
