import { commentWords, keywordForm, nearMiss } from '../../../contract/areas/routing/matching.ts';
import { allowedEdits } from '../../../contract/similarity.ts';

// Rules are found by keys, so that the cost of a message does not depend on the number of rules. A key only finds candidates;
// `decide` checks whether they match.

/** A key of a keyword: a piece of its text, and the position of the piece. */
interface KeywordKey {
  readonly start: number;
  readonly piece: string;
}

/** The `start` of the key that is the whole keyword. */
const whole = -1;

/**
 * The keys of a normalized keyword. If near matches are enabled, every near match contains at least one of the pieces unchanged
 * and near its position.
 */
export function keysOfKeyword(form: string, isFuzzy: boolean): KeywordKey[] {
  const characters = [...form];
  const pieces = isFuzzy ? piecesOf(characters.length) : [];
  return [{ start: whole, piece: form }, ...pieces.map(({ start, end }) => ({ start, piece: characters.slice(start, end).join('') }))];
}

/**
 * The keys that find the keywords which equal a message or are similar to it.
 * @param texts of the message (see `keywordTexts`)
 * @param lengths the lengths of existing keywords
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
        // Edits before a piece shift its position, and edits after it must account for the remaining difference in length.
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

/** Splits a keyword into pieces that do not overlap: one more than the maximum number of edits in a near match. */
function piecesOf(length: number): { start: number; end: number }[] {
  // A near match can be longer than the keyword, which allows more edits.
  const count = allowedEdits(Math.floor(length / nearMiss + 1e-9), nearMiss) + 1;
  const size = Math.floor(length / count);
  return Array.from({ length: count }, (_, index) => ({ start: index * size, end: (index + 1) * size }));
}

/** A key of a comment rule. An empty text means every post, or every comment. */
interface CommentKey {
  readonly postId: string;
  readonly word: string;
}

/** The keys of a comment rule. */
export function keysOfCommentRule(posts: readonly string[], keywords: readonly string[]): CommentKey[] {
  const words = keywords.length === 0 ? [''] : keywords.flatMap((keyword) => [firstWord(keyword), spacelessKey(keyword)]);
  const all = (posts.length === 0 ? [''] : posts).flatMap((postId) => words.map((word) => ({ postId, word })));
  return [...new Map(all.map((key) => [`${key.postId}\n${key.word}`, key])).values()];
}

/** The words that find the rules for a comment. */
export function wordsOfComment(text: string): string[] {
  return [...new Set(['', ...commentWords(text), spacelessKey(text)])];
}

function firstWord(keyword: string): string {
  return commentWords(keyword)[0] ?? '';
}

/** The key of the whole text without white space. It finds comments that differ from a keyword only in white space. */
function spacelessKey(text: string): string {
  return `= ${keywordForm(text)}`;
}
