import { allowedEdits, isSimilar } from '../../../contract/text/similarity.ts';
import { bareText, type BareText, leastSimilarity, saySame } from './same-words.ts';

/** The texts of a FAQ, for comparison. */
export interface ComparedFaq {
  readonly question: string;
  readonly answer: string;
}

/** The length of a gram, in characters. */
const gramLength = 3;

/** The number of candidates by question from which candidates are also filtered by answer. */
const manyCandidates = 40;

/** How many FAQs are compared in one step. */
const comparedAtOnce = 2;

/** After how much work a step ends among the comparisons of a FAQ, in cells of the tables of their edit distances. */
const cellsAtOnce = 5_000_000;

/** How many FAQs are folded in one step. */
const foldedAtOnce = 100;

/** What duplicates have in common: their question and answer are equal, or differ at most in the spelling of words. */
export type Sameness = 'equal' | 'spelling';

/** A FAQ without what makes no difference between duplicates. */
interface BareFaq {
  readonly question: BareText;
  readonly answer: BareText;
}

/**
 * Finds duplicates. Each one is assigned to the first earlier FAQ that it matches and that is not a duplicate itself.
 * Few pairs are compared, but none is missed: an edit changes at most `gramLength` grams of a text, so two similar texts share
 * the other grams (see `GramIndex`). Only texts that share enough grams are compared. A property test compares the result with a
 * comparison of every pair.
 * @param faqs oldest first
 * @yields regularly, so that other requests are served in between
 * @returns for each FAQ, the index of the FAQ that it is merged into; undefined for FAQs that stay
 */
export function* findDuplicates(faqs: readonly ComparedFaq[], sameness: Sameness): Generator<undefined, (number | undefined)[]> {
  const texts: BareFaq[] = [];
  for (const { question, answer } of faqs) {
    if (texts.length % foldedAtOnce === 0) yield;
    texts.push({ question: bareText(question), answer: bareText(answer) });
  }
  return sameness === 'equal' ? findEqual(texts) : yield* findSimilar(texts);
}

function findEqual(texts: readonly BareFaq[]): (number | undefined)[] {
  const first = new Map<string, number>();
  return texts.map(({ question, answer }, index) => {
    const key = `${question.folded}\n${answer.folded}`;
    const same = first.get(key);
    if (same === undefined) first.set(key, index);
    return same;
  });
}

function* findSimilar(texts: readonly BareFaq[]): Generator<undefined, (number | undefined)[]> {
  const questions = yield* GramIndex.of(texts.map(({ question }) => question.folded));
  // Made when it is first needed, because answers are long and questions usually differ.
  let answers: GramIndex | undefined;
  const joined: (number | undefined)[] = [];
  let cells = 0;
  for (const [index, one] of texts.entries()) {
    if (index % comparedAtOnce === 0) yield;
    let candidates = questions.candidates(index);
    if (candidates.length > manyCandidates) {
      answers ??= yield* indexOfAnswers(texts, joined);
      candidates = common(candidates, answers.candidates(index));
    }
    let same: number | undefined;
    for (const other of candidates) {
      const earlier = texts[other] as BareFaq;
      if ((cells += cellsOf(one, earlier)) >= cellsAtOnce) yield void (cells = 0);
      if (!areDuplicates(one, earlier)) continue;
      same = other;
      break;
    }
    joined.push(same);
    if (same !== undefined) continue;
    questions.add(index);
    answers?.add(index);
  }
  return joined;
}

/** An index of answers, with those of the FAQs that were looked up before and are not duplicates. */
function* indexOfAnswers(texts: readonly BareFaq[], joined: readonly (number | undefined)[]): Generator<undefined, GramIndex> {
  const index = yield* GramIndex.of(texts.map(({ answer }) => answer.folded));
  for (const [each, kept] of joined.entries()) {
    if (each % foldedAtOnce === 0) yield;
    if (kept === undefined) index.add(each);
  }
  return index;
}

/**
 * Finds texts that are the same or similar (0.9).
 * @param texts folded
 * @param keyOf what similar texts also have in common
 * @yields regularly, so that other requests are served in between
 * @returns for each text, the places of the first ones before it that are similar, as many as are wanted
 */
export function* similarBefore(
  texts: readonly string[],
  keyOf: (text: string) => string,
  wanted: number,
): Generator<undefined, number[][]> {
  const distinct = [...new Set(texts)];
  const keys = distinct.map(keyOf);
  const placeOf = new Map(distinct.map((text, place) => [text, place]));
  const index = yield* GramIndex.of(distinct);
  const similar = new Map<number, number[]>();
  const members = distinct.map((): number[] => []);
  const found: number[][] = [];
  let cells = 0;
  for (const [at, text] of texts.entries()) {
    const own = placeOf.get(text) ?? 0;
    if (!similar.has(own)) {
      yield;
      const others: number[] = [];
      for (const place of index.candidates(own)) {
        const other = distinct[place] ?? '';
        // To compare long texts takes long.
        if (keys[place] !== keys[own]) continue;
        if ((cells += text.length * other.length) >= cellsAtOnce) yield void (cells = 0);
        if (isSimilar(text, other, leastSimilarity)) others.push(place);
      }
      similar.set(own, [...others, own]);
      index.add(own);
    }
    found.push((similar.get(own) ?? []).flatMap((place) => members[place] ?? []).slice(0, wanted));
    members[own]?.push(at);
  }
  return found;
}

function common(some: readonly number[], others: readonly number[]): number[] {
  const wanted = new Set(others);
  return some.filter((each) => wanted.has(each));
}

/** The cells of the tables that compare two FAQs, at most. */
function cellsOf(one: BareFaq, other: BareFaq): number {
  return one.question.folded.length * other.question.folded.length + one.answer.folded.length * other.answer.folded.length;
}

function areDuplicates(one: BareFaq, other: BareFaq): boolean {
  return saySame(one.question, other.question) && saySame(one.answer, other.answer);
}

/** How many characters are read in one step. */
const readAtOnce = 20_000;

/**
 * An index of texts by their grams. A similar text shares all of a text's grams, except those that edits changed: at least
 * `shared`. The longest lists of the index (of the most frequent grams) need not be read: if s lists are left out, a similar text
 * is in at least `shared` - s of the others.
 */
class GramIndex {
  /** The grams of each text, rarest first. */
  readonly #grams: readonly Uint32Array[];
  /** The minimum number of grams that each text shares with a similar text. */
  readonly #shared: readonly number[];
  /** The lists of the added texts, one after the other by gram: where each begins, and where its next text goes. */
  readonly #lists: Uint32Array;
  readonly #begins: Uint32Array;
  readonly #ends: Uint32Array;
  /** For each added text, the number of grams that it shares with the text that is looked up. */
  readonly #counts: Uint32Array;

  /** @param frequencies the number of texts with each gram */
  private constructor(grams: readonly Uint32Array[], shared: readonly number[], frequencies: readonly number[]) {
    this.#grams = grams;
    this.#shared = shared;
    this.#begins = new Uint32Array(frequencies.length);
    let end = 0;
    for (const [gram, frequency] of frequencies.entries()) {
      this.#begins[gram] = end;
      end += frequency;
    }
    this.#ends = this.#begins.slice();
    this.#lists = new Uint32Array(end);
    this.#counts = new Uint32Array(grams.length);
  }

  /** Reads the grams of texts. No text is added to the lists yet. */
  static *of(texts: readonly string[]): Generator<undefined, GramIndex> {
    const ids = new Map<string, number>();
    const frequencies: number[] = [];
    const grams: Uint32Array[] = [];
    const shared: number[] = [];
    let read = 0;
    for (const text of texts) {
      if ((read += text.length) >= readAtOnce) yield void (read = 0);
      const own = Uint32Array.from(gramsOf(text), (gram) => {
        let id = ids.get(gram);
        if (id === undefined) ids.set(gram, (id = ids.size));
        frequencies[id] = (frequencies[id] ?? 0) + 1;
        return id;
      });
      grams.push(own);
      shared.push(leastShared(text));
    }
    for (const own of grams) {
      if ((read += own.length) >= readAtOnce) yield void (read = 0);
      own.sort((a, b) => (frequencies[a] ?? 0) - (frequencies[b] ?? 0));
    }
    return new GramIndex(grams, shared, frequencies);
  }

  /** The added texts that may be similar to a text, in the order of the texts. */
  candidates(index: number): number[] {
    const grams = this.#grams[index] ?? new Uint32Array();
    const shared = this.#shared[index] ?? 1;
    const leftOut = Math.floor(shared / 3);
    const found: number[] = [];
    for (const gram of grams.subarray(0, grams.length - leftOut))
      // With an iterator, the whole check took 1.3 times as long.
      for (let at = this.#begins[gram] ?? 0; at < (this.#ends[gram] ?? 0); at++) {
        const other = this.#lists[at] ?? 0;
        const count = (this.#counts[other] ?? 0) + 1;
        this.#counts[other] = count;
        if (count === 1) found.push(other);
      }
    const candidates = found.filter((other) => (this.#counts[other] ?? 0) >= shared - leftOut);
    for (const other of found) this.#counts[other] = 0;
    return candidates.sort((a, b) => a - b);
  }

  add(index: number): void {
    for (const gram of this.#grams[index] ?? []) {
      const end = this.#ends[gram] ?? 0;
      this.#lists[end] = index;
      this.#ends[gram] = end + 1;
    }
  }
}

/** The minimum number of grams that a text shares with a similar text, whichever of them is longer. */
function leastShared(text: string): number {
  const { length } = [...text];
  const longest = Math.floor(length / leastSimilarity + 1e-9);
  let shared = Infinity;
  for (let longer = length; longer <= longest; longer++) {
    const unchanged = Math.max(longer - gramLength + 1, 1) - gramLength * allowedEdits(longer, leastSimilarity);
    shared = Math.min(shared, unchanged);
  }
  return Math.max(shared, 1);
}

/** The grams of a text. Repeated occurrences of a gram count as different grams. A text shorter than a gram is a single gram. */
function gramsOf(text: string): string[] {
  const characters = [...text];
  if (characters.length < gramLength) return [text];
  const times = new Map<string, number>();
  return characters.slice(0, characters.length - gramLength + 1).map((_, at) => {
    const gram = characters.slice(at, at + gramLength).join('');
    const time = (times.get(gram) ?? 0) + 1;
    times.set(gram, time);
    return time === 1 ? gram : `${gram} ${time}`;
  });
}
