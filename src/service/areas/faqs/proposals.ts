import type { proposalReasons } from '../../../contract/areas/faqs/endpoints.ts';
import { type ComparedFaq, findDuplicates, similarBefore } from './duplicates.ts';
import { wordsOfFaq } from './index-entries.ts';
import { hasDigit } from './language/letters.ts';
import { namesIn } from './language/names.ts';
import { messageWordsIn } from './message-words.ts';
import { type Query, queryOf } from './query.ts';
import { type FoundWords, rank } from './ranking.ts';
import { bareText } from './same-words.ts';

// Proposes which FAQs could be merged (rules faqs.47 and faqs.48).

/** How well two questions must find each other. */
const clearly = 0.5;

/** The number of FAQs with a similar answer that the question of a FAQ is compared with. */
const partnersMax = 50;

/** FAQs that could be merged, by their places in the list of FAQs. */
export interface Proposal {
  /** Oldest first. */
  readonly faqs: readonly number[];
  readonly reason: (typeof proposalReasons)[number];
  /** How alike they are, from 0 to 1: of several pairs the least alike. */
  readonly score: number;
}

/** Two FAQs, the older one first. */
interface Pair {
  readonly one: number;
  readonly other: number;
  readonly score: number;
}

/**
 * Proposes which FAQs could be merged: duplicates, which a check merges; those with the same question and other answers; and those
 * with the same answer whose questions find each other. A FAQ that is a duplicate is not proposed again.
 * @param faqs oldest first
 * @yields regularly, so that other requests are served in between
 */
export function* proposeMerges(faqs: readonly ComparedFaq[]): Generator<undefined, Proposal[]> {
  const joined = yield* findDuplicates(faqs, 'spelling');
  const duplicates = joined.flatMap((kept, index) => (kept === undefined ? [] : [{ one: kept, other: index, score: 1 }]));
  const left = faqs.flatMap((_, index) => (joined[index] === undefined ? [index] : []));
  const questions = sameQuestions(faqs, left);
  const answers = yield* sameAnswers(faqs, left);
  return [
    ...groupsOf(duplicates).map((group) => ({ ...group, reason: 'duplicate' as const })),
    ...groupsOf(questions).map((group) => ({ ...group, reason: 'same_question' as const })),
    ...groupsOf(answers).map((group) => ({ ...group, reason: 'same_answer' as const })),
  ];
}

/** The pairs of FAQs with the same question. */
function sameQuestions(faqs: readonly ComparedFaq[], places: readonly number[]): Pair[] {
  const groups = Map.groupBy(places, (place) => bareText(faqs[place]?.question ?? '').folded);
  return [...groups.values()].flatMap(([one = 0, ...others]) => others.map((other) => ({ one, other, score: 1 })));
}

/** The pairs of FAQs with similar answers whose questions find each other clearly, and nothing else more. */
function* sameAnswers(faqs: readonly ComparedFaq[], places: readonly number[]): Generator<undefined, Pair[]> {
  const answers = places.map((place) => bareText(faqs[place]?.answer ?? '').folded);
  const partners = yield* similarBefore(answers, numbersOf, partnersMax);
  const asked = new Questions(places.map((place) => faqs[place]?.question ?? ''));
  const pairs: Pair[] = [];
  for (const [other, earlier] of partners.entries()) {
    yield;
    for (const one of earlier) {
      const score = Math.min(asked.scoreOf(one, other), asked.scoreOf(other, one));
      if (score >= clearly) pairs.push({ one: places[one] ?? 0, other: places[other] ?? 0, score: Math.round(score * 100) / 100 });
    }
  }
  return pairs;
}

/** The numbers and codes of a text, in their order. */
function numbersOf(text: string): string {
  return text.split(' ').filter(hasDigit).join(' ');
}

/** Questions that are compared as messages and FAQs are. */
class Questions {
  readonly #texts: readonly string[];
  readonly #words: readonly FoundWords[];
  readonly #counts = new Map<string, number>();
  readonly #queries = new Map<number, Query>();

  constructor(texts: readonly string[]) {
    this.#texts = texts;
    this.#words = texts.map((text, seq) => {
      const { language, question } = wordsOfFaq(text, '');
      return { seq, language, question, hasNames: namesIn(text, language).size > 0, answerKey: '', passages: new Map([[0, []]]) };
    });
    for (const { question } of this.#words) for (const term of question) this.#counts.set(term, (this.#counts.get(term) ?? 0) + 1);
  }

  /** How well a question finds another one, from 0 to 1. */
  scoreOf(asked: number, found: number): number {
    const words = this.#words[found];
    return words === undefined ? 0 : (rank([words], () => this.#queryOf(asked))[0]?.score ?? 0);
  }

  #queryOf(asked: number): Query {
    const known = this.#queries.get(asked);
    if (known) return known;
    const words = messageWordsIn(this.#texts[asked] ?? '', this.#words[asked]?.language ?? 'en');
    const terms = [...new Set(words.words.flatMap(({ term, variants }) => [term, ...variants]))];
    const counted = terms.flatMap((term) => {
      const passages = this.#counts.get(term);
      return passages === undefined ? [] : [{ scope: '', term, passages }];
    });
    const query = queryOf(words, counted, this.#texts.length);
    this.#queries.set(asked, query);
    return query;
  }
}

/** Joins pairs that share a FAQ. */
function groupsOf(pairs: readonly Pair[]): { faqs: number[]; score: number }[] {
  const groups = new Map<number, { faqs: Set<number>; score: number }>();
  for (const { one, other, score } of pairs) {
    const [first, second] = [groups.get(one), groups.get(other)];
    const joined = {
      faqs: new Set([...(first?.faqs ?? [one]), ...(second?.faqs ?? [other])]),
      score: Math.min(score, first?.score ?? 1, second?.score ?? 1),
    };
    for (const each of joined.faqs) groups.set(each, joined);
  }
  return [...new Set(groups.values())].map(({ faqs, score }) => ({ faqs: [...faqs].sort((a, b) => a - b), score }));
}
