import { commentWords, keywordForm, nearMiss } from '../../../contract/areas/routing/matching.ts';
import { allowedEdits } from '../../../contract/similarity.ts';

// Rules are found by keys, so that a message costs the same however many rules there are. A key only finds candidates:
// `decide` judges them.

/** A key of a keyword: some of its characters, and where they begin. */
interface KeywordKey {
  readonly start: number;
  readonly piece: string;
}

/** The place of the first key of a keyword, which is all of it. */
const whole = -1;

/** The keys of a keyword, in its form. With near misses, one of them is in every near miss, unchanged and near its place. */
export function keysOfKeyword(form: string, isFuzzy: boolean): KeywordKey[] {
  const characters = [...form];
  const pieces = isFuzzy ? piecesOf(characters.length) : [];
  return [{ start: whole, piece: form }, ...pieces.map(({ start, end }) => ({ start, piece: characters.slice(start, end).join('') }))];
}

/**
 * The keys by which the keywords are found that a message is or nearly is.
 * @param texts those of the message (see `keywordTexts`)
 * @param lengths of the keywords that there are
 */
export function keysOfMessage(texts: readonly string[], lengths: readonly number[]): KeywordKey[] {
  return [...texts.map((piece) => ({ start: whole, piece })), ...keysOfNearMisses(texts, lengths)];
}

function keysOfNearMisses(texts: readonly string[], lengths: readonly number[]): KeywordKey[] {
  const keys = new Map<string, KeywordKey>();
  for (const characters of texts.map((text) => [...text]))
    for (const length of lengths) {
      const edits = allowedEdits(Math.max(length, characters.length), nearMiss);
      const longer = characters.length - length;
      if (Math.abs(longer) > edits) continue;
      for (const { start, end } of piecesOf(length)) {
        // The edits before a piece move it, and those behind it must make up for the rest of the difference in length.
        const from = Math.max(0, start + Math.ceil((longer - edits) / 2));
        const to = Math.min(characters.length - (end - start), start + Math.floor((longer + edits) / 2));
        for (let at = from; at <= to; at++) {
          const piece = characters.slice(at, at + end - start).join('');
          keys.set(`${start} ${piece}`, { start, piece });
        }
      }
    }
  return [...keys.values()];
}

/** Pieces of a keyword that do not overlap: one more than a near miss can have edits. */
function piecesOf(length: number): { start: number; end: number }[] {
  // A near miss can be longer than the keyword, and then has more edits.
  const count = allowedEdits(Math.floor(length / nearMiss + 1e-9), nearMiss) + 1;
  const size = Math.floor(length / count);
  return Array.from({ length: count }, (_, index) => ({ start: index * size, end: (index + 1) * size }));
}

/** A key of a comment rule; an empty text stands for every post and for every comment. */
export interface CommentKey {
  readonly postId: string;
  readonly word: string;
}

/** The keys of a comment rule. */
export function keysOfCommentRule(posts: readonly string[], keywords: readonly string[]): CommentKey[] {
  const words = keywords.length === 0 ? [''] : keywords.flatMap((keyword) => [firstWord(keyword), spacelessKey(keyword)]);
  const all = (posts.length === 0 ? [''] : posts).flatMap((postId) => words.map((word) => ({ postId, word })));
  return [...new Map(all.map((key) => [`${key.postId}\n${key.word}`, key])).values()];
}

/** The words by which the rules for a comment are found. */
export function wordsOfComment(text: string): string[] {
  return [...new Set(['', ...commentWords(text), spacelessKey(text)])];
}

function firstWord(keyword: string): string {
  return commentWords(keyword)[0] ?? '';
}

/** Also finds the comments that are a keyword but for white space. */
function spacelessKey(text: string): string {
  return `= ${keywordForm(text)}`;
}
