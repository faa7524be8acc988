import { allowedEdits } from '../../../contract/similarity.ts';
import { commentWords, keywordForm, keywordTexts, nearMiss } from '../../../contract/areas/routing/matching.ts';

// Rules are found by keys, so that a message costs the same however many rules there are. A key only finds candidates:
// `decide` judges them.

/** A key of a keyword: the number of its characters, and a piece of it. */
export interface KeywordKey {
  readonly length: number;
  readonly piece: string;
}

/**
 * The keys of a keyword. With near misses, they are the pieces of the keyword: one more than a near miss can have edits,
 * so that one of them is in every near miss, unchanged and near its place.
 */
export function keysOfKeyword(keyword: string, isFuzzy: boolean): KeywordKey[] {
  const characters = [...keywordForm(keyword)];
  const { length } = characters;
  if (!isFuzzy) return [{ length, piece: wholeKey(characters) }];
  return piecesOf(length).map(({ start, end }, index) => ({ length, piece: pieceKey(index, characters.slice(start, end)) }));
}

/** The shortest and the longest keyword of which a message can be a near miss. */
export function keywordLengths(text: string): { shortest: number; longest: number } {
  const lengths = keywordTexts(text).map((each) => [...each].length);
  const ofShortest = Math.min(...lengths);
  const ofLongest = Math.max(...lengths);
  return { shortest: ofShortest - allowedEdits(ofShortest, nearMiss), longest: Math.floor(ofLongest / nearMiss + 1e-9) };
}

/** The keys by which the keywords of a message are found. @param lengths of the keywords that there are */
export function keysOfMessage(text: string, lengths: readonly number[]): KeywordKey[] {
  const keys = new Map<string, KeywordKey>();
  const add = (key: KeywordKey) => keys.set(`${key.length} ${key.piece}`, key);
  for (const characters of keywordTexts(text).map((each) => [...each]))
    for (const length of lengths) {
      if (length === characters.length) add({ length, piece: wholeKey(characters) });
      const edits = allowedEdits(Math.max(length, characters.length), nearMiss);
      const longer = characters.length - length;
      if (Math.abs(longer) > edits) continue;
      for (const [index, { start, end }] of piecesOf(length).entries()) {
        // The edits before a piece move it, and those behind it must make up for the rest of the difference in length.
        const from = Math.max(0, start + Math.ceil((longer - edits) / 2));
        const to = Math.min(characters.length - (end - start), start + Math.floor((longer + edits) / 2));
        for (let at = from; at <= to; at++) add({ length, piece: pieceKey(index, characters.slice(at, at + end - start)) });
      }
    }
  return [...keys.values()];
}

/** The pieces of a keyword, as long as each other if possible. */
function piecesOf(length: number): { start: number; end: number }[] {
  // A near miss can be longer than the keyword, and then has more edits.
  const count = allowedEdits(Math.floor(length / nearMiss + 1e-9), nearMiss) + 1;
  return Array.from({ length: count }, (_, index) => ({
    start: Math.floor((index * length) / count),
    end: Math.floor(((index + 1) * length) / count),
  }));
}

function wholeKey(characters: readonly string[]): string {
  return `= ${characters.join('')}`;
}

function pieceKey(index: number, characters: readonly string[]): string {
  return `${index} ${characters.join('')}`;
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
