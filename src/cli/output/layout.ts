/** The width below which no text is folded. */
const leastText = 14;

/** What each border between columns takes. */
const borderWidth = 3;

/** The widths that a column needs. */
interface Need {
  /** The width at which nothing is folded. */
  readonly natural: number;
  /** The least width: what cannot be folded needs all of it. */
  readonly least: number;
}

/** The need of a column. @param heading the width of its heading */
export function needOf(natural: number, heading: number, canFold: boolean): Need {
  return { natural, least: canFold ? Math.min(natural, Math.max(heading, leastText)) : natural };
}

/**
 * Chooses the widths of the columns. When not all fit, the last ones are hidden: columns stand in the order of their
 * importance. Then those that can be folded get narrower, the widest first.
 * @param available the width of the terminal
 * @returns a width for each column; 0 for a hidden one
 */
export function layOut(needs: readonly Need[], available: number): number[] {
  let shown = needs.length;
  while (shown > 1 && total(needs.slice(0, shown).map(({ least }) => least)) > available) shown--;
  const widths = needs.slice(0, shown).map(({ natural }) => natural);
  for (let excess = total(widths) - available; excess > 0; excess--) {
    const foldable = widths.map((width, index) => (width > (needs[index]?.least ?? 0) ? index : -1)).filter((index) => index >= 0);
    if (foldable.length === 0) break;
    const widest = foldable.reduce((best, index) => ((widths[index] ?? 0) > (widths[best] ?? 0) ? index : best));
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return needs.map((_need, index) => widths[index] ?? 0);
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + borderWidth * widths.length + 1;
}
