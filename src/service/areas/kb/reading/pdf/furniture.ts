import type { Line } from './lines.ts';

/** The maximum number of lines of a running head or foot. */
const furnitureLines = 4;

/** The white space above a line that sets it apart from the text, as a share of the font size. */
const apartRatio = 0.7;

/** The distance within which a line follows another, in multiples of the font size. */
const nextRatio = 1.7;

/** An edge of a page. */
type Edge = 'top' | 'bottom';

const edges: readonly Edge[] = ['top', 'bottom'];

/**
 * Removes running heads, running feet and page numbers: lines at the edge of a page, apart from its text, that repeat on other pages
 * but for their digits, or that are the number of the page.
 * @param pages the lines of each page, in reading order
 * @param isHeading tells the headings, which stay
 */
export function withoutFurniture(pages: readonly (readonly Line[])[], isHeading: (line: Line) => boolean): Line[][] {
  const repeated = repeatedLines(pages, isHeading);
  return pages.map((lines, index) => {
    const furniture = edges.flatMap((edge) => {
      const isFurniture = (line: Line) =>
        !isHeading(line) && (repeated.has(keyOf(edge, line)) || isNumberOf(line.text, index + 1, pages.length));
      return furnitureOf(outermost(lines, edge), isFurniture);
    });
    return lines.filter((line) => !furniture.includes(line));
  });
}

/** Whether a line follows another without a gap, as within a paragraph. */
export function isNextLine(line: Line, next: Line): boolean {
  const gap = line.y - next.y;
  return gap > 0 && gap < Math.max(line.size, next.size) * nextRatio;
}

/** The keys of the lines that are at the same edge of several pages, apart from the text of at least one. */
function repeatedLines(pages: readonly (readonly Line[])[], isHeading: (line: Line) => boolean): Set<string> {
  const repeated = new Set<string>();
  for (const edge of edges) {
    const all = pages.map((lines) => outermost(lines, edge));
    const counts = new Map<string, number>();
    for (const lines of all) for (const key of new Set(lines.map((line) => keyOf(edge, line)))) counts.set(key, (counts.get(key) ?? 0) + 1);
    const isRepeated = (line: Line) => !isHeading(line) && (counts.get(keyOf(edge, line)) ?? 0) > 1;
    // What repeats on pages that have nothing else is their text.
    const pagesWithText = all.filter((_, index) => pages[index]?.some((line) => !isHeading(line) && !isRepeated(line)));
    for (const line of pagesWithText.flatMap((lines) => furnitureOf(lines, isRepeated))) repeated.add(keyOf(edge, line));
  }
  return repeated;
}

/**
 * The furniture at an edge: as many lines as are furniture and are apart from the next one.
 * @param lines the outermost lines
 */
function furnitureOf(lines: readonly Line[], isFurniture: (line: Line) => boolean): readonly Line[] {
  const other = lines.findIndex((line) => !isFurniture(line));
  for (let count = Math.min(other < 0 ? lines.length : other, furnitureLines); count > 0; count--) {
    const [last, next] = [lines[count - 1], lines[count]];
    if (last && (!next || isApart(last, next))) return lines.slice(0, count);
  }
  return [];
}

/** The lines at an edge from the outside, as many as may be furniture and the one after them. */
function outermost(lines: readonly Line[], edge: Edge): Line[] {
  return lines.toSorted((a, b) => (edge === 'top' ? b.y - a.y : a.y - b.y)).slice(0, furnitureLines + 1);
}

function isApart(line: Line, next: Line): boolean {
  const lower = line.y < next.y ? line : next;
  return Math.abs(line.y - next.y) - lower.size >= Math.min(line.size, next.size) * apartRatio;
}

/** What a line has in common with those at the same edge of other pages. Sentences repeat only with the same digits. */
function keyOf(edge: Edge, { text }: Line): string {
  const isSentence = /[.!?。！？]$/u.test(text);
  return `${edge} ${isSentence ? text : text.replace(/\p{Nd}+|^[ivxlc]+$/giu, '#')}`;
}

/** Whether a text is the number of its page, such as `Page 2 of 3`, `- 2 -` or `2/3`. */
function isNumberOf(text: string, page: number, pages: number): boolean {
  const [, number, of] = /^[^\p{L}\p{N}]*(?:\p{L}+\.?\s)?(\d+)(?:\s*(?:\p{L}+|\/)\s*(\d+))?[^\p{L}\p{N}]*$/u.exec(text) ?? [];
  return Number(number) === page && (of === undefined || Number(of) === pages);
}
