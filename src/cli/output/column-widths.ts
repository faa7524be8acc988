/** Minimum width of a column whose text is wrapped. */
const leastText = 14;

/** Longer words are broken. */
export const longestWord = 30;

/** Width of a border between columns. */
const borderWidth = 3;

/** The width requirements of a column. */
export interface Need {
  /** The width at which nothing is wrapped. */
  readonly natural: number;
  /** The minimum width. If the column cannot be wrapped, this is its full width. */
  readonly least: number;
  /** Whether the column has no values. */
  readonly isEmpty: boolean;
}

/**
 * The width requirements of a column.
 * @param widths the widths of its cells
 * @param heading the width of its heading, and the minimum width to which it can be wrapped
 * @param words the widths of its words; null if its cells cannot be wrapped
 */
export function needOf(widths: readonly number[], heading: { natural: number; least: number }, words: readonly number[] | null): Need {
  const natural = Math.max(heading.natural, 1, ...widths);
  const ofCells = words ? Math.max(leastText, Math.min(longestWord, Math.max(0, ...words))) : Math.max(1, ...widths);
  const least = Math.min(natural, Math.max(heading.least, ofCells));
  return { natural, least, isEmpty: widths.every((width) => width === 0) };
}

/**
 * Chooses the widths of the columns. If they do not all fit, empty columns are hidden first, then the least
 * important ones. After that, columns that can be wrapped are narrowed, the widest first.
 * @param ranks the rank of each column by importance, from 0
 * @param available the width of the terminal
 * @returns a width for each column; 0 for a hidden one
 */
export function layOut(needs: readonly Need[], ranks: readonly number[], available: number): number[] {
  const rank = (index: number) => ranks[index] ?? 0;
  const shown = needs
    .map((_need, index) => index)
    .sort((a, b) => Number(needs[a]?.isEmpty) - Number(needs[b]?.isEmpty) || rank(a) - rank(b));
  while (shown.length > 1 && widthOfTable(shown.map((index) => needs[index]?.least ?? 0)) > available) shown.pop();
  const widths = needs.map(({ natural }, index) => (shown.includes(index) ? natural : 0));
  for (let excess = widthOfTable(widths.filter((width) => width > 0)) - available; excess > 0; excess--) {
    const foldable = widths.map((width, index) => (width > (needs[index]?.least ?? 0) ? index : -1)).filter((index) => index >= 0);
    if (foldable.length === 0) break;
    const widest = foldable.reduce((best, index) => ((widths[index] ?? 0) > (widths[best] ?? 0) ? index : best));
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** The width of a table with columns of these widths, with its borders. */
export function widthOfTable(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + borderWidth * widths.length + 1;
}
