/** What is compared: how well a FAQ matches, and its answer. */
interface Scored {
  readonly score: number;
  readonly answer: string;
}

/** The lead that a FAQ must have of those with other answers, as a share of its score; the better it matches, the less. */
const leadNeeded = (score: number) => 0.22 - 0.1 * score;

/**
 * The FAQs between which a message does not decide: the best one, and the best ones with other answers that match about as well
 * (rule answers.44).
 * @param found best first
 * @returns an empty list when the best one is clear
 */
export function rivalsOf<Found extends Scored>(found: readonly Found[]): Found[] {
  const [best] = found;
  if (!best) return [];
  const answers = new Map(found.toReversed().map((faq) => [faq.answer, faq]));
  const rivals = found.filter((faq) => answers.get(faq.answer) === faq && 1 - faq.score / best.score < leadNeeded(best.score));
  return rivals.length > 1 ? rivals : [];
}
