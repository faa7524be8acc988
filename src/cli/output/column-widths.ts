/** The width below which no text is folded. */
const leastText = 14;

/** Longer words are folded too. */
export const longestWord = 30;

/** What each border between columns takes. */
const borderWidth = 3;

/** The widths that a column needs. */
interface Need {
  /** The width at which nothing is folded. */
  readonly natural: number;
  /** The least width: what cannot be folded needs all of it. */
  readonly least: number;
  /** Whether it has nothing to show. */
  readonly isEmpty: boolean;
}

/**
 * The need of a column.
 * @param widths those of its cells
 * @param heading the width of its heading, and the least one to which that can be folded
 * @param words the widths of its words; null when its cells cannot be folded
 */
export function needOf(widths: readonly number[], heading: { natural: number; least: number }, words: readonly number[] | null): Need {
  const natural = Math.max(heading.natural, 1, ...widths);
  const ofCells = words ? Math.max(leastText, Math.min(longestWord, Math.max(0, ...words))) : Math.max(1, ...widths);
  const least = Math.min(natural, Math.max(heading.least, ofCells));
  return { natural, least, isEmpty: widths.every((width) => width === 0) };
}

/**
 * Chooses the widths of the columns. When not all fit, empty ones are hidden first, then the last ones: columns stand in the
 * order of their importance. Then those that can be folded get narrower, the widest first.
 * @param available the width of the terminal
 * @returns a width for each column; 0 for a hidden one
 */
export function layOut(needs: readonly Need[], available: number): number[] {
  const shown = needs.map((_need, index) => index).sort((a, b) => Number(needs[a]?.isEmpty) - Number(needs[b]?.isEmpty) || a - b);
  while (shown.length > 1 && total(shown.map((index) => needs[index]?.least ?? 0)) > available) shown.pop();
  const widths = needs.map(({ natural }, index) => (shown.includes(index) ? natural : 0));
  for (let excess = total(widths.filter((width) => width > 0)) - available; excess > 0; excess--) {
    const foldable = widths.map((width, index) => (width > (needs[index]?.least ?? 0) ? index : -1)).filter((index) => index >= 0);
    if (foldable.length === 0) break;
    const widest = foldable.reduce((best, index) => ((widths[index] ?? 0) > (widths[best] ?? 0) ? index : best));
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + borderWidth * widths.length + 1;
}
