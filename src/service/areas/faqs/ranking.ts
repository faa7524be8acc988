import { sum } from '../../../contract/sum.ts';
import type { LanguageCode } from './language/languages.ts';
import { areNegated } from './language/negations.ts';
import { agreementOf } from './agreement.ts';
import { answerWeight, type ScoredPassage, scorePassage, shareOfQuestion } from './passage-score.ts';
import type { Query } from './query.ts';

// Ranks the FAQs that a message finds (rules answers.20 to answers.24).

/** The part of a FAQ's strength that depends on how much of its question the message has. */
const questionShare = 0.2;

/** The coverage of the message from which that part counts in full. */
const fullCoverage = 0.25;

/** The share of its strength that a FAQ lends to others with the same answer: half of it to the first of them, a quarter to the next. */
const support = 0.5;

/** The words of a FAQ that was found. */
export interface FoundWords {
  readonly seq: number;
  readonly language: LanguageCode;
  readonly question: readonly string[];
  /** Whether the question has names. */
  readonly hasNames: boolean;
  readonly answerKey: string;
  /** The words of the passages that were found, by their number. */
  readonly passages: ReadonlyMap<number, readonly string[]>;
}

/** A FAQ that matches a message. */
export interface Match {
  readonly seq: number;
  /** From 0 to 1. */
  readonly score: number;
  /** The passage of its answer that matches best. */
  readonly passage: number;
}

/** A score as answers show it, to two places. */
export function shownScore(score: number): number {
  return Math.round(score * 100) / 100;
}

/** A match before its score is known. */
interface Strength {
  readonly seq: number;
  readonly passage: number;
  readonly answerKey: string;
  readonly strength: number;
  /** The share of what the message tells that the FAQ has. */
  readonly share: number;
}

/**
 * Ranks FAQs by their strength. The score of the best is how much of the message it has, and those of the others follow their
 * strength.
 */
export function rank(found: readonly FoundWords[], queryFor: (language: LanguageCode) => Query): Match[] {
  const own = found.flatMap((faq) => strengthOf(faq, queryFor(faq.language)) ?? []);
  const groups = Map.groupBy(
    own.toSorted((one, other) => other.strength - one.strength),
    ({ answerKey }) => answerKey,
  );
  const ranked = own
    .map((each) => ({
      ...each,
      strength: each.strength + support * lentBy((groups.get(each.answerKey) ?? []).filter((one) => one !== each)),
    }))
    .sort((one, other) => other.strength - one.strength || one.seq - other.seq);
  const [best] = ranked;
  if (!best) return [];
  return ranked.map(({ seq, passage, strength }) => ({
    seq,
    passage,
    score: Math.min(1, best.share) * (strength / best.strength),
  }));
}

function lentBy(others: readonly Strength[]): number {
  return sum(others.map(({ strength }, index) => strength / 2 ** (index + 1)));
}

/** The strength of a FAQ: that of its best passage. @returns undefined when it has nothing of the message */
function strengthOf(faq: FoundWords, query: Query): Strength | undefined {
  const { seq, language, question, hasNames, answerKey } = faq;
  const asked = shareOfQuestion(question, language, query);
  const isNegated = areNegated(question, language);
  let best: Strength | undefined;
  for (const passage of faq.passages.keys()) {
    const scored = scoredPassage(faq, passage, query);
    const { bm25, coverage, informationShare } = scorePassage(scored, query, asked);
    if (bm25 === 0) continue;
    const has = (term: string) => scored.frequencies.has(term) || scored.elsewhere.has(term);
    const agreement = agreementOf({ terms: question, language, hasNames, isNegated }, has, query.identifiers);
    const ofQuestion = asked.share * Math.min(1, coverage / fullCoverage);
    const strength = agreement.strength * ((1 - questionShare) * bm25 + questionShare * ofQuestion);
    if (best === undefined || strength > best.strength)
      best = { seq, passage, answerKey, strength, share: agreement.share * informationShare };
  }
  return best;
}

/** What a passage of a FAQ, with its question, has of the words of a message. */
function scoredPassage({ question, passages }: FoundWords, passage: number, { matches }: Query): ScoredPassage {
  const words = passages.get(passage) ?? [];
  const frequencies = new Map<string, number>();
  for (const term of question) if (matches.has(term)) frequencies.set(term, 1);
  for (const term of words) if (matches.has(term)) frequencies.set(term, (frequencies.get(term) ?? 0) + answerWeight);
  const elsewhere = [...passages.values()].flat().filter((term) => matches.has(term) && !frequencies.has(term));
  return { frequencies, elsewhere: new Set(elsewhere), length: question.length + words.length };
}
