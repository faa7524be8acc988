import { isOfQuestion } from './index-entries.ts';
import { answerWeight } from './passage-score.ts';
import type { Query } from './query.ts';

/** An entry of the index that was read: a passage that has a term. */
export interface Posting {
  readonly faq_seq: number;
  readonly scope: string;
  readonly term: string;
  readonly place: number;
  readonly passage: number;
}

/** A passage that was found, and how likely it is to be the best. */
export interface Candidate {
  readonly seq: number;
  readonly passage: number;
  readonly likelihood: number;
}

/**
 * The passages of index entries, the likeliest first; of those that are equally likely, those with the shortest questions.
 * @param questions the words of the questions of the FAQs that can be found, by `seq`
 */
export function candidatesOf(
  entries: readonly Posting[],
  questions: ReadonlyMap<number, readonly string[]>,
  queryFor: (seq: number) => Query,
): Candidate[] {
  const found = new Map<string, FoundPassage>();
  for (const { faq_seq: seq, term, place, passage } of entries) {
    const question = questions.get(seq);
    if (!question) continue;
    const key = `${seq} ${passage}`;
    const own = found.get(key) ?? { seq, passage, question, answer: [] };
    found.set(key, own);
    if (!isOfQuestion(place)) own.answer.push(term);
  }
  const candidates = Array.from(found.values(), (own) => ({ ...own, likelihood: likelihoodOf(own, queryFor(own.seq)) }));
  return candidates.sort(
    (one, other) =>
      other.likelihood - one.likelihood ||
      one.question.length - other.question.length ||
      one.seq - other.seq ||
      one.passage - other.passage,
  );
}

/** A passage, with the words of its question and those that it was found by. */
interface FoundPassage {
  readonly seq: number;
  readonly passage: number;
  readonly question: readonly string[];
  readonly answer: string[];
}

function likelihoodOf({ question, answer }: FoundPassage, { words, matches }: Query): number {
  const best = words.map(() => 0);
  const count = (term: string, value: number) => {
    for (const { word, likeness, share } of matches.get(term) ?? []) best[word] = Math.max(best[word] ?? 0, likeness * share * value);
  };
  for (const term of question) count(term, 1);
  for (const term of answer) count(term, answerWeight);
  return words.reduce((sum, { idf }, word) => sum + idf * (best[word] ?? 0), 0);
}
