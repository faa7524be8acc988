import type { LanguageCode } from './language/languages.ts';
import { areNegated } from './language/negations.ts';
import { likenessOf, typoLikeness, variantLikeness } from './language/likeness.ts';
import { rankOf } from './language/word-lists.ts';
import { tellingOf } from './language/words.ts';
import { agreementOf, type Identifiers, numbersAmong } from './agreement.ts';
import { isOfQuestion } from './index-entries.ts';
import type { MessageWords } from './message-words.ts';

// Scores the FAQs that a message finds (rules answers.20 to answers.24). The constants were chosen on public sets of questions
// (`npm run bench -- finding`).

/** The weight of a word in an answer, relative to one in the question. */
const answerWeight = 0.55;

/** How much of what a word tells an answer has, relative to the question. */
const toldByAnswer = 0.75;

/** How much a word counts the more often a passage has it, and the less the longer the passage is, as in BM25. */
const saturation = 1.5;
const lengthShare = 0.4;
const usualLength = 30;

/** The part of a FAQ's strength that depends on how much of its question is in the message, and the least weight of a word of it. */
const questionShare = 0.2;
const leastQuestionWeight = 0.5;

/** The share of its strength that a FAQ lends to others with the same answer: half of it to the first of them, a quarter to the next. */
const support = 0.5;

/** The number of passages of general text that are added to those of an account, so that common words count little in few FAQs. */
const background = 100;

/** The share of passages of general text that have a word, times its rank. */
const commonness = 16;

/** How much a part of a compound counts. */
const partLikeness = 0.8;

/** The maximum number of terms that match one word of a message. */
const termsOfWord = 8;

/** How much of the share counts when only one word matches. */
const oneWordShare = 0.6;

/** How much a word tells that is enough for a match alone, whatever else the question asks. */
const rareWord = 3;

/** A term of the index in a scope, with the number of passages in that scope that have it. */
export interface CountedTerm {
  readonly scope: string;
  readonly term: string;
  readonly passages: number;
}

/** A word of a message, as it is looked for in FAQs. */
interface SoughtWord {
  /** How rare it is among the FAQs, as in BM25. */
  readonly weight: number;
  /** How much it tells about a subject, in general text. */
  readonly telling: number;
  readonly isName: boolean;
}

/** That a term matches a word of a message, or is a part of it. */
interface TermMatch {
  /** The place of the word. */
  readonly word: number;
  /** How well it does, from 0 to 1. */
  readonly likeness: number;
  /** The share of a compound that a part of it is; 1 for other terms. */
  readonly share: number;
}

/** What a message asks for. */
export interface Sought {
  readonly words: readonly SoughtWord[];
  /** The words that terms match. */
  readonly matches: ReadonlyMap<string, readonly TermMatch[]>;
  /** The terms of the words that find FAQs, the closest one to each word. */
  readonly closest: readonly string[];
  readonly identifiers: Identifiers;
}

/**
 * Finds the index terms that match the words of a message: the same words, misspelled words, and words with the same root.
 * @param found candidate terms of all scopes
 * @param total the number of passages in the scopes
 */
export function soughtWords({ language, words }: MessageWords, found: readonly CountedTerm[], total: number): Sought {
  const counts = new Map<string, number>();
  for (const { term, passages } of found) counts.set(term, (counts.get(term) ?? 0) + passages);
  const isWord = (word: string) => rankOf(word, language) !== undefined;
  const closest: string[] = [];
  const matches = new Map<string, TermMatch[]>();
  const addMatch = (term: string, match: TermMatch) => {
    const known = matches.get(term);
    if (known) known.push(match);
    else matches.set(term, [match]);
  };
  const names: Set<string>[] = [];
  const sought = words.map(({ term: stem, variants, corrected, parts, isSearched, isName }, word): SoughtWord => {
    const exact = [stem, ...variants].map((term) => ({ term, likeness: term === stem ? 1 : variantLikeness }));
    if (corrected !== undefined && !exact.some(({ term }) => counts.has(term))) exact.push({ term: corrected, likeness: typoLikeness });
    const alike = !isSearched
      ? []
      : [...counts.keys()]
          .filter((term) => !exact.some((each) => each.term === term))
          .map((term) => ({ term, likeness: likenessOf(stem, term, isWord) }))
          .filter(({ likeness }) => likeness > 0)
          .sort((one, other) => other.likeness - one.likeness || (counts.get(one.term) ?? 0) - (counts.get(other.term) ?? 0))
          .slice(0, termsOfWord);
    const best = [...exact, ...alike].find(({ term }) => counts.has(term))?.term;
    if (best !== undefined) closest.push(best);
    for (const { term, likeness } of [...exact, ...alike]) addMatch(term, { word, likeness, share: 1 });
    for (const part of parts) addMatch(part, { word, likeness: partLikeness, share: 1 / parts.length });
    // Another word with the same root is another name: Austria and Australia.
    if (isName) names.push(new Set([...exact, ...alike].filter(({ likeness }) => likeness >= typoLikeness).map(({ term }) => term)));
    return {
      weight: weightOf(isSearched ? (counts.get(best ?? stem) ?? 0) : null, total, rankOf(best ?? stem, language)),
      telling: tellingOf(stem, language),
      isName,
    };
  });
  const written = words.map(({ term }) => term);
  return {
    words: sought,
    matches,
    closest,
    identifiers: { numbers: numbersAmong(written), names, isNegated: areNegated(written, language) },
  };
}

/**
 * The weight of a word, as in BM25, with a background of general text.
 * @param passages how many have it; null for a common word, of which the index has no count
 */
function weightOf(passages: number | null, total: number, rank: number | undefined): number {
  const share = rank === undefined ? 0 : 1 - Math.exp(-commonness / rank);
  const having = (passages ?? total * share) + background * share;
  const all = Math.max(total + background, having);
  return Math.log(1 + (all - having + 0.5) / (having + 0.5));
}

/** An index entry that was read: a passage that has a term. */
export interface FoundEntry {
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
  entries: readonly FoundEntry[],
  questions: ReadonlyMap<number, readonly string[]>,
  soughtIn: (seq: number) => Sought,
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
  const candidates = Array.from(found.values(), (own) => ({ ...own, likelihood: likelihoodOf(own, soughtIn(own.seq)) }));
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

function likelihoodOf({ question, answer }: FoundPassage, { words, matches }: Sought): number {
  const best = words.map(() => 0);
  const count = (term: string, value: number) => {
    for (const { word, likeness, share } of matches.get(term) ?? []) best[word] = Math.max(best[word] ?? 0, likeness * share * value);
  };
  for (const term of question) count(term, 1);
  for (const term of answer) count(term, answerWeight);
  return words.reduce((sum, { weight }, word) => sum + weight * (best[word] ?? 0), 0);
}

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
export function rank(found: readonly FoundWords[], soughtIn: (language: LanguageCode) => Sought): Match[] {
  const own = found.flatMap((faq) => strengthOf(faq, soughtIn(faq.language)) ?? []);
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
  return others.reduce((sum, { strength }, index) => sum + strength / 2 ** (index + 1), 0);
}

/** The strength of a FAQ: that of its best passage. @returns undefined when it has nothing of the message */
function strengthOf({ seq, language, question, hasNames, answerKey, passages }: FoundWords, sought: Sought): Strength | undefined {
  const asked = shareOfQuestion(question, language, sought);
  const isNegated = areNegated(question, language);
  const asking = question.filter((term) => sought.matches.has(term)).map((term) => [term, 1] as const);
  let best: Strength | undefined;
  for (const [passage, words] of passages) {
    const counts = new Map<string, number>(asking);
    for (const term of words) if (sought.matches.has(term)) counts.set(term, (counts.get(term) ?? 0) + answerWeight);
    const { said, covered, share } = compare(counts, question.length + words.length, sought, asked);
    if (said === 0) continue;
    const agreement = agreementOf({ terms: question, hasNames, isNegated }, counts, sought.identifiers);
    const strength = agreement * ((1 - questionShare) * said + questionShare * asked.share * Math.min(1, 4 * covered));
    if (best === undefined || strength > best.strength) best = { seq, passage, answerKey, strength, share: agreement * share };
  }
  return best;
}

/** How much of a message a passage with its question has. */
interface Comparison {
  /** The share of the words by their weights; above 1 where the passage has them often. */
  readonly said: number;
  /** The same, each word counting once. */
  readonly covered: number;
  /** The share of what the words tell. */
  readonly share: number;
}

function compare(counts: ReadonlyMap<string, number>, length: number, { words, matches }: Sought, asked: ShareOfQuestion): Comparison {
  const norm = saturation * (1 - lengthShare + (lengthShare * length) / usualLength);
  // By the words of the message: how often the passage has each, and how fully; and how much of a compound it has.
  const [often, once, joined] = [words.map(() => 0), words.map(() => 0), words.map(() => 0)];
  for (const [term, count] of counts) {
    const saturated = (count * (saturation + 1)) / (count + norm);
    const told = count < 1 ? toldByAnswer : 1;
    for (const { word, likeness, share } of matches.get(term) ?? []) {
      if (share < 1) joined[word] = (joined[word] ?? 0) + likeness * share;
      else [often[word], once[word]] = [Math.max(often[word] ?? 0, likeness * saturated), Math.max(once[word] ?? 0, likeness * told)];
    }
  }
  let [said, covered, weights, told, telling, toldWords] = [0, 0, 0, 0, 0, 0];
  let isOnlyName = true;
  for (const [word, { weight, telling: ownTelling, isName }] of words.entries()) {
    const ofCompound = joined[word] ?? 0;
    const [oftenest, fullest] = [Math.max(often[word] ?? 0, ofCompound), Math.max(once[word] ?? 0, ofCompound)];
    weights += weight;
    said += oftenest * weight;
    covered += Math.min(1, oftenest) * weight;
    told += fullest * ownTelling;
    telling += ownTelling;
    if (fullest * ownTelling > 0) {
      toldWords++;
      isOnlyName &&= isName;
    }
  }
  const share = telling > 0 ? told / telling : (covered / weights) * asked.share;
  const isOneWord = telling > 0 && toldWords < 2;
  // What a question asks beside the only word that matches counts against it.
  const isWeak = isOneWord && (told < rareWord || isOnlyName);
  return {
    said: said / weights,
    covered: covered / weights,
    share: share * (isOneWord ? oneWordShare : 1) * (isWeak ? asked.telling : 1),
  };
}

/** How much of a question is in a message: by the weights of all its words, and by what they tell. */
interface ShareOfQuestion {
  readonly share: number;
  readonly telling: number;
}

function shareOfQuestion(question: readonly string[], language: LanguageCode, { matches }: Sought): ShareOfQuestion {
  let [all, had, telling, told] = [0, 0, 0, 0];
  for (const term of question) {
    const own = tellingOf(term, language);
    const likeness = Math.max(0, ...(matches.get(term) ?? []).map((match) => match.likeness));
    all += leastQuestionWeight + own;
    had += likeness * (leastQuestionWeight + own);
    telling += own;
    told += likeness * own;
  }
  return { share: all === 0 ? 0 : had / all, telling: telling === 0 ? 0 : told / telling };
}
