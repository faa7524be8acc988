// Divides answers into the passages that are searched and shown (rules answers.41 to answers.43).

/** The length of a passage, in words. A longer sentence is divided. */
const passageWords = 60;

/** A word; of texts without spaces, as many characters as a long word has. */
const word = /\S{1,12}\s*/gu;

/** An answer of up to this length is the reply as it stands. */
const wholeAnswer = 600;

/** The maximum length of a reply from a longer answer. */
const replyLength = 1_000;

/** A part of a text, from the first character to the one before `end`. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** The sentences of a text, each with the white space behind it. A line end also ends one. */
function sentencesOf(text: string): Span[] {
  const spans: Span[] = [];
  for (const { index, 0: sentence } of text.matchAll(/[^.!?。！？\n]*(?:[.!?]+(?=\s|$)["'”»)]*|[。！？]+|\n|$|[.!?]+)\s*/gu))
    if (sentence !== '') spans.push(...piecesOf(text, { start: index, end: index + sentence.length }));
  return spans;
}

/** A sentence, or pieces of one that is longer than a passage. */
function piecesOf(text: string, span: Span): Span[] {
  const pieces: Span[] = [];
  let { start } = span;
  let size = 0;
  for (const { index, 0: found } of text.slice(span.start, span.end).matchAll(word)) {
    const end = span.start + index + found.length;
    if (++size < passageWords && end < span.end) continue;
    pieces.push({ start, end });
    start = end;
    size = 0;
  }
  if (start < span.end) pieces.push({ start, end: span.end });
  return pieces;
}

/** The number of words of a part of a text. */
function sizeOf(text: string, { start, end }: Span): number {
  return (text.slice(start, end).match(word) ?? []).length;
}

/** Some sentences in a row, by their places. */
interface Range {
  readonly first: number;
  readonly last: number;
}

/** The passages of an answer, each a range of its sentences: about 60 words, the first sentence of each being the last of the one before. */
function rangesOf(text: string, sentences: readonly Span[]): Range[] {
  const sizes = sentences.map((span) => sizeOf(text, span));
  const ranges: Range[] = [];
  for (let first = 0; first < sentences.length;) {
    let last = first;
    let words = sizes[first] ?? 0;
    while (last + 1 < sentences.length && words + (sizes[last + 1] ?? 0) <= passageWords) words += sizes[++last] ?? 0;
    ranges.push({ first, last });
    if (last + 1 >= sentences.length) break;
    first = Math.max(last, first + 1);
  }
  return ranges;
}

/** The passages of an answer, in order. There is at least one. */
export function passagesOf(answer: string): string[] {
  const sentences = sentencesOf(answer);
  const texts = rangesOf(answer, sentences).map((range) => textOf(answer, sentences, range));
  return texts.length > 0 ? texts : [''];
}

/** What of an answer is shown for a message. */
interface Excerpt {
  /** The passage that matches. */
  readonly passage: string;
  /** The whole of a short answer; of a long one, the passage with the sentences around it. */
  readonly reply: string;
}

/** Shows an answer by one of its passages. @param place the number of the passage, from 0 */
export function excerptOf(answer: string, place: number): Excerpt {
  const sentences = sentencesOf(answer);
  const range = rangesOf(answer, sentences)[place] ?? { first: 0, last: sentences.length - 1 };
  const reply = answer.length <= wholeAnswer ? answer : textOf(answer, sentences, widened(range, sentences));
  return { passage: textOf(answer, sentences, range), reply };
}

/** Adds the sentences around a range, as many as a reply can have. */
function widened({ first, last }: Range, sentences: readonly Span[]): Range {
  const fits = (from: number, to: number) =>
    from >= 0 && to < sentences.length && (sentences[to]?.end ?? 0) - (sentences[from]?.start ?? 0) <= replyLength;
  // What follows explains more often than what precedes.
  for (let isWider = true; isWider;) {
    isWider = false;
    if (fits(first, last + 1)) [last, isWider] = [last + 1, true];
    if (fits(first - 1, last)) [first, isWider] = [first - 1, true];
  }
  return { first, last };
}

function textOf(answer: string, sentences: readonly Span[], { first, last }: Range): string {
  return answer.slice(sentences[first]?.start, sentences[last]?.end).trim();
}
