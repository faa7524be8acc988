import { fold } from '../../../contract/text/fold.ts';
import { informationOf, wordsOf } from '../faqs/language/words.ts';
import type { DraftedTag, DraftTagsRequest } from './writer.ts';

/**
 * Limits of drafts: the number of tags, the length of a word that becomes a tag, and the number of word forms that a description
 * quotes.
 */
const tagsMax = 5;
const shortestWord = 4;
const longestWord = 50;
const formsMax = 3;

/** How much a word that becomes a tag tells: it is not among the 200 most common ones. */
const leastInformation = 1;

/** The tags of an agent without any knowledge. */
const common: readonly DraftedTag[] = [
  { name: 'Interested', description: 'The contact writes "price", "buy" or "order".' },
  { name: 'Complaint', description: 'The contact writes "complaint", "broken" or "refund".' },
  { name: 'Appointment', description: 'The contact writes "appointment", "book" or "schedule".' },
];

/**
 * Drafts tags from the most frequent words of an agent's questions, or else of its texts. Each description quotes the forms of
 * its word, so that the rule also works without a model.
 */
export function draftTags({ agent, questions, existing }: DraftTagsRequest): DraftedTag[] {
  const texts = [agent.goal, agent.instructions, agent.rules].flatMap((text) => (text === null ? [] : text.split(/[.!?\n]+/)));
  const taken = new Set(existing.map(({ name }) => fold(name)));
  for (const drafted of [frequentWords(questions), frequentWords(texts), common]) {
    const fresh = drafted.filter(({ name }) => !taken.has(fold(name))).slice(0, tagsMax);
    if (fresh.length > 0) return fresh;
  }
  return [];
}

/** A tag for each word, the most frequent first. */
function frequentWords(texts: readonly string[]): DraftedTag[] {
  const words = new Map<string, { count: number; forms: Set<string> }>();
  for (const text of texts)
    for (const [stem, forms] of formsOf(text)) {
      const word = words.get(stem) ?? { count: 0, forms: new Set() };
      word.count++;
      for (const form of forms) word.forms.add(form);
      words.set(stem, word);
    }
  const ordered = [...words.values()].sort((a, b) => b.count - a.count);
  return ordered.map(({ forms }) => {
    const [first = '', ...others] = [...forms].slice(0, formsMax);
    const quoted = [first, ...others].map((form) => `"${form}"`);
    const last = quoted.pop() ?? '';
    return {
      name: first.charAt(0).toUpperCase() + first.slice(1),
      description: `The contact writes ${[quoted.join(', '), last].filter(Boolean).join(' or ')}.`,
    };
  });
}

/** The significant words of a text, by their stems. */
function formsOf(text: string): Map<string, string[]> {
  const { language, words } = wordsOf(text);
  const forms = words.filter(
    ({ term, written }) =>
      informationOf(term, language) >= leastInformation &&
      /^\p{L}[\p{L}\p{M}]+$/u.test(written) &&
      written.length >= shortestWord &&
      written.length <= longestWord,
  );
  const groups = Map.groupBy(forms, ({ term }) => term);
  return new Map(Array.from(groups, ([term, found]) => [term, found.map(({ written }) => written)]));
}
