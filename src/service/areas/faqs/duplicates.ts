import { comparedQuestion } from '../../../contract/areas/faqs/question.ts';
import { foldSpaces } from '../../../contract/fold.ts';
import { allowedEdits, isSimilar } from '../../../contract/similarity.ts';

/** A FAQ as it is compared. */
export interface ComparedFaq {
  readonly question: string;
  readonly answer: string;
}

/** How similar two questions, and their answers, are at least when the FAQs are duplicates. */
const least = 0.9;

/** The number of characters of a gram. */
const gramLength = 3;

/** The number of candidates by their questions from which they are also looked for by their answers. */
const manyCandidates = 40;

/** How many FAQs are compared between two turns. */
const comparedAtOnce = 2;

/** How many FAQs are folded between two turns. */
const foldedAtOnce = 100;

/**
 * Finds duplicates: FAQs whose questions are the same but for case, punctuation and white space, or whose questions and
 * answers are both similar. Each joins the first of those before it that it matches and that is no duplicate itself.
 *
 * Few pairs are compared, and yet none is missed: an edit changes at most `gramLength` of the grams of a text, so two
 * similar texts have the others in common (see `GramIndex`). Only texts that share enough grams are compared. A property
 * test compares the result with that of comparing each with each.
 *
 * @param faqs the oldest first
 * @yields now and then, so that others get a turn
 * @returns the index of the FAQ that each one joins; undefined for those that stay
 */
export function* findDuplicates(faqs: readonly ComparedFaq[]): Generator<undefined, (number | undefined)[]> {
  const texts: (ComparedFaq & { readonly key: string })[] = [];
  for (const { question, answer } of faqs) {
    if (texts.length % foldedAtOnce === 0) yield;
    texts.push({ key: bareQuestion(question), question: foldSpaces(question), answer: foldSpaces(answer) });
  }
  const questions = yield* GramIndex.of(texts.map(({ question }) => question));
  const answers = yield* GramIndex.of(texts.map(({ answer }) => answer));
  const byKey = new Map<string, number>();
  const joined: (number | undefined)[] = [];
  for (const [index, one] of texts.entries()) {
    if (index % comparedAtOnce === 0) yield;
    const same = byKey.get(one.key);
    let candidates = questions.candidates(index);
    if (candidates.length > manyCandidates) candidates = common(candidates, answers.candidates(index));
    const similar = candidates.find((other) => other < (same ?? index) && areSimilar(one, texts[other] as ComparedFaq));
    joined.push(similar ?? same);
    if (similar !== undefined || same !== undefined) continue;
    byKey.set(one.key, index);
    questions.add(index);
    answers.add(index);
  }
  return joined;
}

function common(some: readonly number[], others: readonly number[]): number[] {
  const wanted = new Set(others);
  return some.filter((each) => wanted.has(each));
}

function areSimilar(one: ComparedFaq, other: ComparedFaq): boolean {
  return isSimilar(one.question, other.question, least) && isSimilar(one.answer, other.answer, least);
}

/** A question without case, punctuation and white space. One of punctuation alone keeps it. */
function bareQuestion(question: string): string {
  const compared = comparedQuestion(question);
  return compared.replace(/[\p{P}\s]+/gu, '') || compared.replace(/\s+/gu, '');
}

/** How many characters are read between two turns. */
const readAtOnce = 20_000;

/**
 * Texts by their grams. Of n grams of a text, a text that is similar to it has all in common but those that the edits
 * changed: at least `shared`. The longest lists of the index, those of the most frequent grams, need not be read: when s
 * lists are left out, at least `shared` - s of the others must have the text.
 */
class GramIndex {
  /** The grams of each text, the rarest first. */
  readonly #grams: readonly Uint32Array[];
  /** The least number of grams in common with a similar text. */
  readonly #shared: readonly number[];
  /** The added texts with each gram. */
  readonly #lists: number[][];
  /** How many grams the added texts have in common with the one that is looked up. */
  readonly #counts: Uint32Array;

  private constructor(grams: readonly Uint32Array[], shared: readonly number[], size: number) {
    this.#grams = grams;
    this.#shared = shared;
    this.#lists = Array.from({ length: size }, () => []);
    this.#counts = new Uint32Array(grams.length);
  }

  /** Reads the grams of texts. None is added yet. */
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
    return new GramIndex(grams, shared, ids.size);
  }

  /** The added texts that can be similar to a text, in the order of the texts. */
  candidates(index: number): number[] {
    const grams = this.#grams[index] ?? new Uint32Array();
    const shared = this.#shared[index] ?? 1;
    const leftOut = Math.floor(shared / 3);
    const found: number[] = [];
    for (const gram of grams.subarray(0, grams.length - leftOut))
      for (const other of this.#lists[gram] ?? []) {
        const count = (this.#counts[other] ?? 0) + 1;
        this.#counts[other] = count;
        if (count === 1) found.push(other);
      }
    const candidates = found.filter((other) => (this.#counts[other] ?? 0) >= shared - leftOut);
    for (const other of found) this.#counts[other] = 0;
    return candidates.sort((a, b) => a - b);
  }

  add(index: number): void {
    for (const gram of this.#grams[index] ?? []) this.#lists[gram]?.push(index);
  }
}

/** The least number of grams that a text has in common with one that is similar to it, whichever is longer. */
function leastShared(text: string): number {
  const { length } = [...text];
  const longest = Math.floor(length / least + 1e-9);
  let shared = Infinity;
  for (let longer = length; longer <= longest; longer++) {
    const unchanged = Math.max(longer - gramLength + 1, 1) - gramLength * allowedEdits(longer, least);
    shared = Math.min(shared, unchanged);
  }
  return Math.max(shared, 1);
}

/**
 * The grams of a text. The second time that a gram occurs, it is another one. A text that is shorter than a gram is one
 * gram.
 */
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
