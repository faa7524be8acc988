import type { Row } from '../../output/result.ts';

/** Figures of a period by name, and what they are about: empty for the total, or for example `{ channel: 'sms' }`. */
export interface Totals {
  readonly about: Row;
  readonly figures: Readonly<Record<string, number>>;
}

/** The columns of compared figures. `about` are the columns that say what they are about. */
export function comparedColumns(about: readonly string[]): string[] {
  return [...about, 'figure', 'current', 'previous', 'change', 'change_percent'];
}

/** The figures of a period. */
export interface Period {
  readonly totals: readonly Totals[];
  /** Whether nothing was left out. */
  readonly isComplete: boolean;
}

/**
 * One row for each figure of two periods. If a figure is missing in a period, it counts as 0 if the period is complete, and is
 * unknown otherwise. There is no percentage if the previous value is not above 0.
 */
export function comparedRows(current: Period, previous: Period): Row[] {
  const keyOf = ({ about }: Totals) => JSON.stringify(about);
  const figureIn = (period: Period) => {
    const all = new Map(period.totals.map((totals) => [keyOf(totals), totals]));
    return (totals: Totals, figure: string) => all.get(keyOf(totals))?.figures[figure] ?? (period.isComplete ? 0 : null);
  };
  const [now, before] = [figureIn(current), figureIn(previous)];
  const every = new Map([...current.totals, ...previous.totals].map((totals) => [keyOf(totals), totals]));
  return [...every.values()].flatMap((totals) =>
    Object.keys(totals.figures).map((figure) => ({ ...totals.about, figure, ...changeOf(now(totals, figure), before(totals, figure)) })),
  );
}

function changeOf(current: number | null, previous: number | null) {
  if (current === null || previous === null) return { current, previous, change: null, change_percent: null };
  const change = Math.round((current - previous) * 1e6) / 1e6;
  return { current, previous, change, change_percent: previous <= 0 ? null : Math.round((change / previous) * 1_000) / 10 };
}
