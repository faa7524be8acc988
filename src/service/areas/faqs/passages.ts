// Divides answers into the passages that are searched and shown (rules answers.41 to answers.43).

/** The length of a passage, in words. A longer sentence is divided. */
const passageWords = 60;

/** The number of characters that count as a word, for texts without spaces. */
const longWord = 12;

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
  for (const { index, 0: word } of text.slice(span.start, span.end).matchAll(/\S{1,12}\s*/gu)) {
    const end = span.start + index + word.length;
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
  return (text.slice(start, end).match(new RegExp(`\\S{1,${longWord}}`, 'gu')) ?? []).length;
}

/** The passages of an answer, each a range of its sentences: about 60 words, the first sentence of each being the last of the one before. */
function rangesOf(text: string, sentences: readonly Span[]): { first: number; last: number }[] {
  const sizes = sentences.map((span) => sizeOf(text, span));
  const ranges: { first: number; last: number }[] = [];
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
  const texts = rangesOf(answer, sentences).map(({ first, last }) => textOf(answer, sentences, first, last));
  return texts.length > 0 ? texts : [''];
}

function textOf(answer: string, sentences: readonly Span[], first: number, last: number): string {
  return answer.slice(sentences[first]?.start, sentences[last]?.end).trim();
}

/**
 * What an answer replies to a message: the whole of a short answer, and of a long one the passage that matches with the sentences
 * around it.
 * @param passage the number of the passage, from 0
 */
export function replyOf(answer: string, passage: number): string {
  if (answer.length <= wholeAnswer) return answer;
  const sentences = sentencesOf(answer);
  const ranges = rangesOf(answer, sentences);
  let { first, last } = ranges[passage] ?? ranges[0] ?? { first: 0, last: 0 };
  const fits = (from: number, to: number) =>
    from >= 0 && to < sentences.length && (sentences[to]?.end ?? 0) - (sentences[from]?.start ?? 0) <= replyLength;
  // What follows explains more often than what precedes.
  for (let isWider = true; isWider;) {
    isWider = false;
    if (fits(first, last + 1)) [last, isWider] = [last + 1, true];
    if (fits(first - 1, last)) [first, isWider] = [first - 1, true];
  }
  return textOf(answer, sentences, first, last);
}
