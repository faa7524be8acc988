import { unspacedScripts } from '../../../contract/text/scripts.ts';
import { sentencesOf, type Span } from './language/sentences.ts';

// Divides answers into the passages that are searched and shown (rules answers.41 to answers.43).

/** The length of a passage, in words. A longer sentence is divided. */
const passageWords = 60;

/** A word. Long words and wide gaps count as several, so that no passage is longer than a reply. In scripts without spaces, four characters are one. */
const word = new RegExp(`[${unspacedScripts}]{1,4}\\s{0,4}|[\\S--[${unspacedScripts}]]{1,12}\\s{0,4}|\\s{1,16}`, 'gv');

/** An answer of up to this length is the reply as it stands. */
const wholeAnswer = 600;

/** The maximum length of a reply from a longer answer. */
const replyLength = 1_000;

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

/** Ranges of sentences: about 60 words each, the first sentence of each being the last of the one before. */
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

/** Where the passages of an answer are. */
function passageSpans(answer: string): Span[] {
  const pieces = sentencesOf(answer).flatMap((sentence) => piecesOf(answer, sentence));
  return rangesOf(answer, pieces).map((range) => spanOf(pieces, range));
}

/** The passages of an answer, in order. There is at least one. */
export function passagesOf(answer: string): string[] {
  const texts = passageSpans(answer).map((span) => textOf(answer, span));
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
  const span = passageSpans(answer)[place] ?? { start: 0, end: answer.length };
  return { passage: textOf(answer, span), reply: answer.length <= wholeAnswer ? answer : textOf(answer, widened(answer, span)) };
}

/** A passage with the rest of its sentences and those around it, as many as a reply can have. */
function widened(answer: string, passage: Span): Span {
  const sentences = sentencesOf(answer);
  const fits = (from: number, to: number) => {
    const [start, end] = [sentences[from]?.start, sentences[to]?.end];
    return start !== undefined && end !== undefined && end - start <= replyLength;
  };
  const whole = wholeSentences(sentences, passage, fits);
  if (!whole) return passage;
  let { first, last } = whole;
  const least = last;
  // What follows explains more often than what precedes.
  for (let isWider = true; isWider;) {
    isWider = false;
    if (fits(first, last + 1)) [last, isWider] = [last + 1, true];
    if (fits(first - 1, last)) [first, isWider] = [first - 1, true];
  }
  while (last > least && last + 1 < sentences.length && introduces(answer, sentences, last)) last--;
  return spanOf(sentences, { first, last });
}

/** The sentences of a passage; of more than a reply can have, those with most of it. @returns undefined when one alone is too long */
function wholeSentences(sentences: readonly Span[], passage: Span, fits: (from: number, to: number) => boolean): Range | undefined {
  const first = sentences.findLastIndex(({ start }) => start <= passage.start);
  const last = sentences.findIndex(({ end }) => end >= passage.end);
  const ranges: Range[] = [];
  for (let place = first; place <= last; place++) if (!fits(place, place)) return undefined;
  for (let from = first; from <= last; from++) {
    const to = sentences.findLastIndex((_, place) => place <= last && fits(from, place));
    if (to >= from) ranges.push({ first: from, last: to });
  }
  const shared = (range: Range) => {
    const { start, end } = spanOf(sentences, range);
    return Math.min(end, passage.end) - Math.max(start, passage.start);
  };
  return ranges.sort((one, other) => shared(other) - shared(one))[0];
}

/** Whether a sentence only introduces what follows: it ends with a colon, or it is a heading, a line of its own after an empty one. */
function introduces(answer: string, sentences: readonly Span[], place: number): boolean {
  const [before, line] = [sentences[place - 1], sentences[place]].map((span) => (span ? answer.slice(span.start, span.end) : ''));
  if (/:\s*$/u.test(line ?? '')) return true;
  return /\n\s*\n\s*$/u.test(before ?? '') && /^[\p{L}\p{N}][^.!?。！？।\n]*\n/u.test(line ?? '');
}

function spanOf(spans: readonly Span[], { first, last }: Range): Span {
  return { start: spans[first]?.start ?? 0, end: spans[last]?.end ?? 0 };
}

function textOf(answer: string, { start, end }: Span): string {
  return answer.slice(start, end).trim();
}
