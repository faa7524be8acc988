import { readFileSync } from 'node:fs';

// Sets of questions about FAQs: public ones, and chats that were written for this. The files name their sources and licenses.

/** A set: FAQs, questions of contacts with the label of the right FAQ, and questions about other things. */
export interface QuestionSet {
  readonly lang: string;
  readonly faqs: readonly { readonly question: string; readonly answer: string; readonly label: string }[];
  readonly queries: readonly { readonly text: string; readonly label: string; readonly gold?: string }[];
  readonly outOfScope?: readonly string[];
}

export const setNames = [
  'banking',
  'clinc',
  'hwu',
  'covid-en',
  'paragraphs-en',
  'paragraphs-de',
  'paragraphs-ro',
  ...(['ar', 'de', 'en', 'es', 'fr', 'it', 'ja', 'nl', 'pt', 'ru', 'tr', 'zh'] as const).map((language) => `chat-${language}` as const),
  ...(['he', 'hi', 'id', 'ko', 'th', 'vi', 'zh'] as const).map((language) => `bank-${language}` as const),
] as const;

export function readSet(name: (typeof setNames)[number]): QuestionSet {
  return JSON.parse(readFileSync(new URL(`question-sets/${name}.json`, import.meta.url), 'utf8')) as QuestionSet;
}

/** What an agent answers, as `ask` of the sandbox does. */
type Ask = (question: string) => Promise<{ source: string | null; answer: string | null; faqs: readonly { faq_id: string }[] }>;

/** How many questions had which result. */
export interface Found {
  readonly asked: number;
  /** The right FAQ was the best one, or among the five best. */
  readonly first: number;
  readonly five: number;
  /** Answered with the right FAQ, or with another one. */
  readonly right: number;
  readonly wrong: number;
  /** Asked back, and with the right FAQ among the first three. */
  readonly askedBack: number;
  readonly named: number;
  /** Answered with the right FAQ, in the wanted words. */
  readonly inWords: number;
  /** Questions about other things, those of them that were answered, and those at which the agent asked back. */
  readonly others: number;
  readonly othersAnswered: number;
  readonly othersAskedBack: number;
}

/**
 * Asks an agent one in so many of the questions of a set.
 * @param labels the labels of the FAQs, by their ids
 */
export async function askSet(set: QuestionSet, labels: ReadonlyMap<string, string>, ask: Ask, oneIn = 1): Promise<Found> {
  const found = {
    asked: 0,
    first: 0,
    five: 0,
    right: 0,
    wrong: 0,
    askedBack: 0,
    named: 0,
    inWords: 0,
    others: 0,
    othersAnswered: 0,
    othersAskedBack: 0,
  };
  const sample = <Each>(all: readonly Each[]) => all.filter((_, index) => index % oneIn === 0);
  for (const { text, label, gold } of sample(set.queries)) {
    const { faqs, source, answer } = await ask(text);
    const best = [...new Set(faqs.map(({ faq_id: id }) => labels.get(id)))];
    const isFirst = best[0] === label;
    found.asked++;
    if (isFirst) found.first++;
    if (best.slice(0, 5).includes(label)) found.five++;
    if (source === 'faq') found[isFirst ? 'right' : 'wrong']++;
    if (source === 'faq' && isFirst && gold !== undefined && answer?.includes(gold)) found.inWords++;
    if (source === 'clarify') found.askedBack++;
    if (source === 'clarify' && best.slice(0, 3).includes(label)) found.named++;
  }
  for (const text of sample(set.outOfScope ?? [])) {
    found.others++;
    const { source } = await ask(text);
    if (source === 'faq') found.othersAnswered++;
    if (source === 'clarify') found.othersAskedBack++;
  }
  return found;
}
