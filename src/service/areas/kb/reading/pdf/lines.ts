import { tidy } from '../sections.ts';

/** A line of a page. */
export interface Line {
  readonly text: string;
  /** The font size, in points. */
  readonly size: number;
  /** Its distance from the bottom of the page as one reads the line, in points; of a vertical line, from the left. */
  readonly y: number;
  readonly isVertical: boolean;
  readonly turn: Turn;
}

/** How far text is turned counterclockwise, in quarters of a circle. */
export type Turn = 0 | 1 | 2 | 3;

/** A piece of text on a page, as the library returns it. */
export interface Item {
  readonly str: string;
  readonly height: number;
  readonly width: number;
  readonly hasEOL: boolean;
  readonly fontName: string;
  /** The last two numbers are its position, from the left and from the bottom. */
  readonly transform: readonly number[];
}

/** Where a piece of text is on its line. */
interface Place {
  readonly start: number;
  readonly end: number;
  readonly y: number;
  readonly size: number;
  readonly isVertical: boolean;
  readonly turn: Turn;
}

/** The text of a piece, or a space between two, and where it begins. */
interface Piece {
  readonly text: string;
  readonly start: number;
}

/** The edges of a page: left, bottom, right and top, in points. */
export type Edges = readonly [left: number, bottom: number, right: number, top: number];

/** A gap between two pieces that is a space, as a share of the font size. */
const spaceRatio = 0.2;

/** How far a letter begins before the end of an accent that stands above it, as a share of the font size. */
const accentOverlap = 0.15;

/** The accents that old fonts print as characters of their own, before their letters, and their combining forms. */
const accents: ReadonlyMap<string | undefined, string> = new Map([
  ['´', '\u0301'],
  ['`', '\u0300'],
  ['¨', '\u0308'],
  ['ˆ', '\u0302'],
  ['˜', '\u0303'],
  ['˝', '\u030B'],
  ['ˇ', '\u030C'],
  ['˘', '\u0306'],
  ['¯', '\u0304'],
  ['˚', '\u030A'],
  ['˙', '\u0307'],
  ['¸', '\u0327'],
  ['˛', '\u0328'],
]);

/**
 * The lines of a page: pieces at the same height as one reads them, in the order of the document.
 * @param verticalFonts the names of the fonts whose text runs from top to bottom, in columns from right to left
 */
export function linesOf(items: readonly Item[], verticalFonts: ReadonlySet<string>, edges: Edges): Line[] {
  const lines: Line[] = [];
  let pieces: Piece[] = [];
  let size = 0;
  let last: Place | undefined;
  const flush = () => {
    const text = tidy(inReadingOrder(pieces).join(''));
    if (last && text !== '')
      lines.push({ text, size: Math.round(size * 10) / 10, y: last.y, isVertical: last.isVertical, turn: last.turn });
    [pieces, size, last] = [[], 0, undefined];
  };
  const printed = new Set<string>();
  for (const item of items) {
    const place = placeOf(item, verticalFonts.has(item.fontName), edges);
    if (item.str !== '' && !isPrintedAgain(item.str, place, printed)) {
      if (last && (place.turn !== last.turn || Math.abs(place.y - last.y) > Math.max(size, place.size) / 2)) flush();
      // Text from right to left continues to the left of the last piece.
      const isApart = last && Math.max(place.start - last.end, last.start - place.end) > Math.max(size, place.size) * spaceRatio;
      const before = isApart ? '' : (pieces.at(-1)?.text ?? '');
      const accent = last && last.end - place.start > place.size * accentOverlap ? accents.get(before.at(-1)) : undefined;
      if (accent !== undefined) {
        pieces.splice(-1, 1, { text: accented(before.slice(0, -1), accent, item.str), start: place.start });
      } else {
        if (isApart) pieces.push({ text: ' ', start: place.start });
        pieces.push({ text: withTails(item.str), start: place.start });
      }
      size = Math.max(size, place.size);
      last = { ...place, y: last?.y ?? place.y };
    }
    if (item.hasEOL) flush();
  }
  flush();
  return lines;
}

/** Letters that are written from right to left, and letters and digits from left to right. */
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;
const leftToRight = /(?![\p{Script=Arabic}\p{Script=Hebrew}])[\p{L}\p{N}]/u;

/** The pieces of a line in the order in which one reads them. Some programs write text from right to left in the order of its places. */
function inReadingOrder(pieces: readonly Piece[]): readonly string[] {
  const texts = pieces.map(({ text }) => text);
  let [toRight, toLeft] = [0, 0];
  for (let place = 1; place < pieces.length; place++) {
    if (!rightToLeft.test(texts[place] ?? '') || !rightToLeft.test(texts[place - 1] ?? '')) continue;
    if ((pieces[place]?.start ?? 0) > (pieces[place - 1]?.start ?? 0)) toRight++;
    else toLeft++;
  }
  if (toRight <= toLeft) return texts;
  const order: string[] = [];
  for (let end = texts.length; end > 0;) {
    let start = end - 1;
    // Numbers and words from left to right keep their order.
    if (leftToRight.test(texts[start] ?? '')) {
      while (start > 0 && !rightToLeft.test(texts[start - 1] ?? '')) start--;
      while (!leftToRight.test(texts[start] ?? '')) start++;
    }
    order.push(...texts.slice(start, end));
    end = start;
  }
  return order;
}

/** A cedilla or an ogonek before its letter, within a piece. */
const tail = /(¸| ?˛)(\p{L})/gu;

function withTails(text: string): string {
  return text.replace(tail, (both, sign: string, letter: string) => {
    const joined = (letter + (accents.get(sign.trim()) ?? '')).normalize('NFC');
    return joined.length === 1 ? joined : both;
  });
}

/** Adds a piece to a text, with an accent above its first letter. */
function accented(text: string, accent: string, piece: string): string {
  const [letter = '', ...rest] = piece.trimStart();
  const bare = letter.replace('\u0131', 'i').replace('\u0237', 'j');
  // An ogonek stands so far to the right that it seems to begin a word, which ą and ę do not.
  return (accent === '\u0328' ? text.trimEnd() : text) + (bare + accent).normalize('NFC') + rest.join('');
}

/**
 * Whether a piece stands on another one with the same text: programs print text twice to make it bold, or for a shadow.
 * @param printed the pieces of the page so far, by their text and place, to which this one is added
 */
function isPrintedAgain(str: string, { start, y, size, turn }: Place, printed: Set<string>): boolean {
  if (str.trim().length < 2 || size === 0) return false;
  const [column, row] = [Math.round((start * 10) / size), Math.round((y * 10) / size)];
  const near = [-1, 0, 1].flatMap((right) => [-1, 0, 1].map((up) => `${turn} ${column + right} ${row + up} ${str}`));
  const isAgain = near.some((key) => printed.has(key));
  printed.add(`${turn} ${column} ${row} ${str}`);
  return isAgain;
}

/** Where a piece is, as one reads it. */
function placeOf({ transform, width, height }: Item, isVertical: boolean, edges: Edges): Place {
  const turn = turnOf(transform);
  const { x, y } = turned(transform, turn, edges);
  return isVertical
    ? { start: -y, end: height - y, y: x, size: width, isVertical, turn }
    : { start: x, end: x + width, y, size: height, isVertical, turn };
}

function turnOf([cosine = 1, sine = 0]: readonly number[]): Turn {
  return ((Math.round(Math.atan2(sine, cosine) / (Math.PI / 2)) + 4) % 4) as Turn;
}

/** A position from the left and the bottom of the page, when the page is turned so that the text is upright. */
function turned([, , , , x = 0, y = 0]: readonly number[], turn: Turn, [left, bottom, right, top]: Edges): { x: number; y: number } {
  switch (turn) {
    case 0:
      return { x: x - left, y: y - bottom };
    case 1:
      return { x: y - bottom, y: right - x };
    case 2:
      return { x: right - x, y: top - y };
    case 3:
      return { x: top - y, y: x - left };
  }
}
