import type { Line, Turn } from './lines.ts';

/** The height of the margins that running heads and feet are in, as a share of the height of a page. */
const marginShare = 0.08;

/** The white space that sets a line apart, as a share of the font size, and in multiples of the usual distance of lines. */
const apartRatio = 0.7;
const apartDistance = 1.2;

/** The distance within which a line follows another, in multiples of the font size. */
const nextRatio = 1.7;

/** Words before the number of a page, and those around it. */
const pageWord =
  /(?:^|[^\p{L}])(?:pages?|pg|p\.|seite|p[áa]gina|p[áa]g|str|strona|sida|side|sivu|oldal|sayfa|страница|стр)\.?\s*\d|第\s*\d+\s*(?:页|頁|ページ)/iu;

/** A page with its lines, in reading order. */
export interface Page {
  readonly lines: readonly Line[];
  /** How far most of its text is turned. */
  readonly turn: Turn;
  /** Its height as one reads most of its text, in points. */
  readonly height: number;
}

/** A margin of a page. */
type Margin = 'top' | 'bottom';

const margins: readonly Margin[] = ['top', 'bottom'];

/**
 * Removes running heads, running feet and page numbers: lines in the margins of pages, apart from the text, that repeat at the same
 * height of other pages, but for a number that runs with the pages. Nothing is removed from a document that has nothing else.
 * @param isHeading tells lines in a larger font than the text
 */
export function withoutFurniture(pages: readonly Page[], isHeading: (line: Line) => boolean): (readonly Line[])[] {
  const counts = countedKeys(pages);
  const usual = usualDistance(pages);
  const read = pages.map((page, index) => {
    const { lines } = page;
    const isFurniture = (line: Line, margin: Margin) =>
      marginOf(line, page) === margin && repeats(line, index + 1, pages.length, counts, isHeading(line));
    const furniture = new Set(margins.flatMap((margin) => furnitureAt(lines, margin, usual, (line) => isFurniture(line, margin))));
    return lines.filter((line) => !furniture.has(line));
  });
  return read.some((lines) => lines.length > 0) ? read : pages.map(({ lines }) => lines);
}

/** A page with its lines. @param size its width and height, when it is not turned */
export function pageOf(lines: readonly Line[], { width, height }: { readonly width: number; readonly height: number }): Page {
  const letters = [0, 0, 0, 0];
  for (const { turn, text } of lines) letters[turn] = (letters[turn] ?? 0) + text.length;
  const turn = letters.indexOf(Math.max(...letters)) as Turn;
  return { lines, turn, height: turn % 2 === 0 ? height : width };
}

/** Whether a line follows another without a gap, as within a paragraph. */
export function isNextLine(line: Line, next: Line): boolean {
  const gap = line.y - next.y;
  return line.turn === next.turn && gap > 0 && gap < Math.max(line.size, next.size) * nextRatio;
}

/** The lines between the margins of the pages, or all of them if there are none. */
export function linesBetweenMargins(pages: readonly Page[]): readonly Line[] {
  const all = pages.flatMap(({ lines }) => lines);
  const between = pages.flatMap((page) => page.lines.filter((line) => marginOf(line, page) === undefined));
  return between.length > 0 ? between : all;
}

function marginOf({ y, isVertical, turn }: Line, page: Page): Margin | undefined {
  const { height } = page;
  if (isVertical || turn !== page.turn) return undefined;
  if (y > height * (1 - marginShare)) return 'top';
  return y < height * marginShare ? 'bottom' : undefined;
}

/** On how many pages the lines in the margins occur, by key. */
function countedKeys(pages: readonly Page[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [index, page] of pages.entries()) {
    const inMargins = page.lines.filter((line) => marginOf(line, page) !== undefined);
    const keys = new Set(inMargins.flatMap((line) => [keyOf(line, line.text), ...runningKeys(line, index + 1)]));
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** Whether a line in a margin repeats on enough pages, or is the number of its page. */
function repeats(line: Line, page: number, pages: number, counts: ReadonlyMap<string, number>, isHeading: boolean): boolean {
  const same = counts.get(keyOf(line, line.text)) ?? 0;
  // The title of a slide can be that of the next one too.
  if (isHeading) return same > 2 && same > pages / 2;
  const running = Math.max(0, ...runningKeys(line, page).map((key) => counts.get(key) ?? 0));
  if (isPageNumber(line.text)) return same > 1 || running > 1 || isNumberOf(line.text, page, pages);
  // `Step 2` and `2. Delivery` are numbered themselves.
  const isNumbered = /^\p{L}+\s\d+$|^\d+[.)]\s/u.test(line.text);
  return same > 1 || (running > 2 && !isNumbered);
}

/** What lines at the same height of several pages have in common. */
function keyOf({ y }: Line, text: string): string {
  return `${Math.round(y)} ${text}`;
}

/** The length of the longest running head. */
const runningLength = 500;

/** The keys of a line if one of its numbers runs with the pages: with the difference in its place. */
function runningKeys(line: Line, page: number): string[] {
  if (line.text.length > runningLength) return [];
  if (isRoman(line.text)) return [keyOf(line, '#')];
  return [...line.text.matchAll(/\d+/g)].map(({ 0: digits, index }) => {
    const rest = line.text.slice(index + digits.length);
    return keyOf(line, `${line.text.slice(0, index)}#${Number(digits) - page}${rest}`);
  });
}

/** Whether a text is the number of a page, or names it. */
function isPageNumber(text: string): boolean {
  return isRoman(text) || (/\d/.test(text) && !/\p{L}/u.test(text)) || pageWord.test(text);
}

function isRoman(text: string): boolean {
  return /^[ivxlc]+$/i.test(text);
}

/** Whether a text is nothing but the number of its page, such as `Page 2 of 3`, `- 2 -` or `2/3`. */
function isNumberOf(text: string, page: number, pages: number): boolean {
  const [, number, of] = /^[^\p{L}\d]*(?:\p{L}+\.?\s)?(\d+)(?:\s*(?:\p{L}+|\/)\s*(\d+))?[^\p{L}\d]*$/u.exec(text) ?? [];
  return Number(number) === page && (of === undefined || Number(of) === pages);
}

/** The furniture in a margin: as many lines from the edge of the page as are furniture and are apart from the next one. */
function furnitureAt(lines: readonly Line[], margin: Margin, usual: number, isFurniture: (line: Line) => boolean): readonly Line[] {
  const sorted = lines.toSorted((a, b) => (margin === 'top' ? b.y - a.y : a.y - b.y));
  const other = sorted.findIndex((line) => !isFurniture(line));
  for (let count = other < 0 ? sorted.length : other; count > 0; count--) {
    const [last, next] = [sorted[count - 1], sorted[count]];
    if (last && (!next || isApart(last, next, usual))) return sorted.slice(0, count);
  }
  return [];
}

function isApart(line: Line, next: Line, usual: number): boolean {
  const distance = Math.abs(line.y - next.y);
  const lower = line.y < next.y ? line : next;
  return distance - lower.size >= Math.min(line.size, next.size) * apartRatio && distance > usual * apartDistance;
}

/** The usual distance of the lines between the margins, such as of the rows of a table; 0 when there are none. */
function usualDistance(pages: readonly Page[]): number {
  const distances = pages.flatMap((page) => {
    const inside = page.lines.filter((line) => marginOf(line, page) === undefined).map(({ y }) => y);
    const sorted = inside.sort((a, b) => b - a);
    return sorted.slice(1).map((y, index) => (sorted[index] ?? y) - y);
  });
  // The lower quarter, because paragraphs are further apart than lines.
  return distances.sort((a, b) => a - b)[Math.floor(distances.length / 4)] ?? 0;
}
