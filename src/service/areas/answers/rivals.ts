import { spokenForm } from '../faqs/rules.ts';
import { withoutEnd } from '../faqs/same-words.ts';

// Whether the best FAQ answers a message, or which ones to ask about (rules answers.29 and answers.44). The constants were chosen on
// public sets of questions (`npm run bench -- finding`).

/** What is compared: how well a FAQ matches, its question, and its answer. */
interface Scored {
  readonly question: string;
  readonly score: number;
  readonly answer: string;
}

/** How far the best FAQ must be ahead of the next one with another answer. */
export const leastLead = 0.1;

/** The least that the score of the best FAQ and its lead add up to. */
export const goodEnough = 0.42;

/** The least score of the best FAQ, for a question to be asked. */
const leastScore = 0.13;

/** The number of FAQs that a contact can choose from. Between more that match about equally well, nothing is asked. */
const choicesMax = 3;

/** Whether the best FAQ answers a message: it matches well enough, and clearly better than those with other answers. @param found best first */
export function isSure(found: readonly Scored[]): boolean {
  const [best, ...others] = differentOf(found);
  if (!best) return false;
  const lead = best.score - Math.max(0, ...others.map(({ score }) => score));
  return lead >= leastLead && best.score + lead >= goodEnough;
}

/**
 * The FAQs that a message may mean when it is not sure which: the best ones with different answers.
 * @returns two or three, best first; none when there is nothing to choose from, or too much
 */
export function rivalsOf<Found extends Scored>(found: readonly Found[]): Found[] {
  const different = differentOf(found.toSorted((one, other) => other.score - one.score));
  const highest = different[0]?.score ?? 0;
  if (highest < leastScore || different.filter(({ score }) => highest - score < leastLead).length > choicesMax) return [];
  const rivals = different.filter(({ score }) => score >= highest / 2).slice(0, choicesMax);
  return rivals.length > 1 ? rivals : [];
}

/** The FAQs without those whose answer or question a better one has: of those with the same question, the first one is meant. */
function differentOf<Found extends Scored>(found: readonly Found[]): Found[] {
  const [answers, questions] = [new Set<string>(), new Set<string>()];
  return found.filter((faq) => {
    const [answer, question] = [withoutEnd(faq.answer.trim()), spokenForm(faq.question)];
    const isDifferent = !answers.has(answer) && !questions.has(question);
    answers.add(answer);
    questions.add(question);
    return isDifferent;
  });
}
