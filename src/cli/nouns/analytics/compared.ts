import type { Row } from '../../output/result.ts';

/** Figures of a period by their names, with what they are about: nothing for all, `{ channel: 'sms' }` for one of several. */
export interface Totals {
  readonly about: Row;
  readonly figures: Readonly<Record<string, number>>;
}

/** The columns of compared figures. `about` are those of what they are about. */
export function comparedColumns(about: readonly string[]): string[] {
  return [...about, 'figure', 'current', 'previous', 'change', 'change_percent'];
}

/** A row for each figure of two periods. What only one of them has counts as 0 in the other. No percentage is of nothing. */
export function comparedRows(current: readonly Totals[], previous: readonly Totals[]): Row[] {
  const keyOf = ({ about }: Totals) => JSON.stringify(about);
  const now = new Map(current.map((totals) => [keyOf(totals), totals]));
  const before = new Map(previous.map((totals) => [keyOf(totals), totals]));
  return [...new Map([...now, ...before]).values()].flatMap((totals) =>
    Object.keys(totals.figures).map((figure) => {
      const after = now.get(keyOf(totals))?.figures[figure] ?? 0;
      const earlier = before.get(keyOf(totals))?.figures[figure] ?? 0;
      const change = Math.round((after - earlier) * 1e6) / 1e6;
      const percent = earlier === 0 ? null : Math.round((change / earlier) * 1_000) / 10;
      return { ...totals.about, figure, current: after, previous: earlier, change, change_percent: percent };
    }),
  );
}
