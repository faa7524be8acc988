import { hasDigit } from './language/letters.ts';

/** How much of its strength a FAQ keeps when its question has other numbers or codes than the message. */
const otherNumbers = 0.7;

/** What it keeps when one of the two is negated and the other is not. */
const otherNegation = 0.9;

/** Words that negate a sentence, without accents. */
const negations = new Set(
  `not no never none without cannot don doesn didn isn aren wasn weren won couldn shouldn wouldn
   nicht kein keine keinen keiner keinem nie niemals ohne
   nunca sin tampoco ne pas jamais sans aucun aucune non mai senza nao sem niet geen nooit zonder
   inte aldrig utan ikke aldri uden uten ei degil yok
   не нет никогда без ні немає
   لا لم لن ليس بدون δεν μην οχι nem nincs nu fara nie bez ne neni`
    .split(/\s+/u)
    .filter((word) => word !== ''),
);

/** What must agree where both a message and a question have it. */
export interface Identifiers {
  /** Numbers, and codes with digits. */
  readonly numbers: ReadonlySet<string>;
  readonly isNegated: boolean;
}

/** The identifiers of a message. */
export function identifiersOf(words: readonly { readonly term: string }[]): Identifiers {
  return identifiersIn(words.map(({ term }) => term));
}

function identifiersIn(terms: readonly string[]): Identifiers {
  return { numbers: new Set(terms.filter(hasDigit)), isNegated: terms.some((term) => negations.has(term)) };
}

/**
 * The share of its strength that a passage keeps: 1 when it has one of the numbers of the message, or its question has none, and when
 * question and message are both negated or both not.
 */
export function agreementOf(question: readonly string[], passage: ReadonlyMap<string, number>, message: Identifiers): number {
  const own = identifiersIn(question);
  const hasOthers = own.numbers.size > 0 && message.numbers.size > 0 && ![...message.numbers].some((number) => passage.has(number));
  return (hasOthers ? otherNumbers : 1) * (own.isNegated === message.isNegated ? 1 : otherNegation);
}
