import { comparedQuestion } from '../../../contract/areas/faqs/question.ts';

/** What is compared: how well a FAQ matches, its question and its answer. */
interface Scored {
  readonly question: string;
  readonly score: number;
  readonly answer: string;
}

/** Whether there is nothing to choose between two FAQs: of those with the same question, the first one is meant. */
function saysTheSame(one: Scored, other: Scored): boolean {
  return one.answer === other.answer || comparedQuestion(one.question) === comparedQuestion(other.question);
}

/** The lead that a FAQ must have of those with other answers, as a share of its score; the better it matches, the less. */
export const leadNeeded = (score: number) => 0.22 - 0.1 * score;

/**
 * The FAQs between which a message does not decide: the best one, and the best ones with other answers that match about as well
 * (rule answers.44).
 * @param found best first
 * @returns an empty list when the best one is clear
 */
export function rivalsOf<Found extends Scored>(found: readonly Found[]): Found[] {
  const [best] = found;
  if (!best) return [];
  const rivals = found.filter(
    (faq, place) =>
      1 - faq.score / best.score < leadNeeded(best.score) && !found.slice(0, place).some((earlier) => saysTheSame(faq, earlier)),
  );
  return rivals.length > 1 ? rivals : [];
}
