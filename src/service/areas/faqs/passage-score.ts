import { sum } from '../../../contract/sum.ts';
import type { LanguageCode } from './language/languages.ts';
import { informationOf } from './language/words.ts';
import type { Query, QueryWord } from './query.ts';

// Scores a passage for the words of a message: BM25, and how much of what the message tells it has (rules answers.20 to answers.24). The
// constants were chosen on public sets of questions (`npm run bench -- finding`).

/** The weight of a word in an answer, relative to one in the question. */
export const answerWeight = 0.55;

/** How much of what a word tells an answer has, relative to the question, and how much another passage of the answer that is compared. */
const toldByAnswer = 0.75;
const toldElsewhere = 0.3;

/** How much a word counts the more often a passage has it, and the less the longer the passage is: the parameters of BM25. */
const k1 = 1.5;
const b = 0.4;
const averageLength = 30;

/** The least weight of a word of a question, beside what it tells. */
const leastQuestionWeight = 0.5;

/** How much of the share counts when only one word matches, and when that is a name or not rare. */
const oneWordShare = 0.6;
const weakWordShare = 0.5;

/** How much a word tells that is enough for a match alone, whatever else the question asks. */
const rareWord = 3;

/** A passage with the question of its FAQ. */
export interface ScoredPassage {
  /** How often it has each term that matches: below 1 where the term stands only once, and in the answer. */
  readonly frequencies: ReadonlyMap<string, number>;
  /** The terms that only other passages of the answer have. */
  readonly elsewhere: ReadonlySet<string>;
  /** The number of words of the question and the passage. */
  readonly length: number;
}

/** How much of a message a passage has. */
export interface PassageScore {
  /** The share of the words by their frequency and rarity; above 1 where the passage has them often. */
  readonly bm25: number;
  /** The same, each word counting once. */
  readonly coverage: number;
  /** The share of what the words tell. */
  readonly informationShare: number;
}

/** How much of a question a message has: by the weights of all its words, and by what they tell. */
export interface QuestionShare {
  readonly share: number;
  readonly information: number;
}

/** What a passage has of a word. */
interface ScoredWord extends QueryWord {
  /** How often, saturated as in BM25, times the likeness of the term. */
  readonly frequency: number;
  /** Whether at all, from 0 to 1, times the likeness of the term. */
  readonly presence: number;
}

/** The score of a passage. @param asked how much of its question the message has */
export function scorePassage(passage: ScoredPassage, query: Query, asked: QuestionShare): PassageScore {
  const words = scoreWords(passage, query);
  const total = sum(words.map(({ idf }) => idf));
  const coverage = sum(words.map(({ idf, frequency }) => Math.min(1, frequency) * idf)) / total;
  return {
    bm25: sum(words.map(({ idf, frequency }) => frequency * idf)) / total,
    coverage,
    informationShare: informationShare(words, coverage, asked),
  };
}

function scoreWords({ frequencies, elsewhere, length }: ScoredPassage, { words, matches }: Query): ScoredWord[] {
  const norm = k1 * (1 - b + (b * length) / averageLength);
  const scored = words.map((word) => ({ ...word, frequency: 0, presence: 0 }));
  const ofCompounds = words.map(() => 0);
  const add = (term: string, frequency: number, presence: number) => {
    for (const { word, likeness, share } of matches.get(term) ?? []) {
      const own = scored[word];
      if (!own) continue;
      if (share < 1) ofCompounds[word] = (ofCompounds[word] ?? 0) + (frequency > 0 ? likeness * share : 0);
      else [own.frequency, own.presence] = [Math.max(own.frequency, likeness * frequency), Math.max(own.presence, likeness * presence)];
    }
  };
  for (const [term, count] of frequencies) add(term, (count * (k1 + 1)) / (count + norm), count < 1 ? toldByAnswer : 1);
  for (const term of elsewhere) add(term, 0, toldElsewhere);
  return scored.map(({ frequency, presence, ...word }, index) => {
    const ofCompound = ofCompounds[index] ?? 0;
    return { ...word, frequency: Math.max(frequency, ofCompound), presence: Math.max(presence, ofCompound) };
  });
}

/** The share of what a message tells that a passage has. A single word is weak evidence: what else the question asks counts against it. */
function informationShare(words: readonly ScoredWord[], coverage: number, asked: QuestionShare): number {
  const total = sum(words.map(({ information }) => information));
  if (total === 0) return coverage * asked.share;
  const told = sum(words.map(({ presence, information }) => presence * information));
  const found = words.filter(({ presence, information }) => presence * information > 0);
  if (found.length > 1) return told / total;
  const isWeak = told < rareWord || found.every(({ isName }) => isName);
  return (told / total) * (isWeak ? weakWordShare * asked.information : oneWordShare);
}

/** How much of a question a message has. @param question its words */
export function shareOfQuestion(question: readonly string[], language: LanguageCode, { matches }: Query): QuestionShare {
  const words = question.map((term) => ({
    likeness: Math.max(0, ...(matches.get(term) ?? []).map((match) => match.likeness)),
    information: informationOf(term, language),
  }));
  const all = sum(words.map(({ information }) => leastQuestionWeight + information));
  const information = sum(words.map((word) => word.information));
  return {
    share: all === 0 ? 0 : sum(words.map((word) => word.likeness * (leastQuestionWeight + word.information))) / all,
    information: information === 0 ? 0 : sum(words.map((word) => word.likeness * word.information)) / information,
  };
}
