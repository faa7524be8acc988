import type { ResultRow } from '../../output/result.ts';
import { sumOf, type Totals } from './rows.ts';

/** The columns of compared figures. `about` are the columns that say what they are about. */
export function comparedColumns(about: readonly string[]): string[] {
  return [...about, 'figure', 'current', 'previous', 'change', 'change_percent'];
}

/** The figures of a period. */
export interface Period {
  readonly totals: readonly Totals[];
  /** The sum of what `totals` leaves out, 0 if nothing; null if that is unknown. */
  readonly rest: Totals | null;
  /** Whether nothing was left out. */
  readonly isComplete: boolean;
}

/**
 * One row for each figure of two periods. If a figure is missing in a period, it counts as 0 if the period is complete, and is
 * unknown otherwise. There is no percentage if the previous value is not above 0.
 * @param most how many to list: the largest ones of both periods together. The others are added to the rest of each period
 */
export function comparedRows(current: Period, previous: Period, most = Infinity): ResultRow[] {
  const [now, before] = [new IndexedPeriod(current), new IndexedPeriod(previous)];
  const every = [...new Map([...current.totals, ...previous.totals].map((totals) => [keyOf(totals), totals])).values()];
  const sizeOf = (totals: Totals) => now.sizeOf(totals) + before.sizeOf(totals);
  const listed = every.length <= most ? every : every.toSorted((one, other) => sizeOf(other) - sizeOf(one)).slice(0, most);
  const left = every.filter((totals) => !listed.includes(totals));
  const rows = listed.flatMap(({ about, figures }) =>
    Object.keys(figures).map((figure) => {
      return { ...about, figure, ...changeOf(now.figureOf({ about, figures }, figure), before.figureOf({ about, figures }, figure)) };
    }),
  );
  const { rest } = current;
  if (!rest || (left.length === 0 && current.isComplete && previous.isComplete)) return rows;
  const restRows = Object.keys(rest.figures).map((figure) => {
    return { ...rest.about, figure, ...changeOf(now.restBeside(listed, left, figure), before.restBeside(listed, left, figure)) };
  });
  return [...rows, ...restRows];
}

/** A period whose totals are found by what they are about. */
class IndexedPeriod {
  readonly #period: Period;
  readonly #totals: ReadonlyMap<string, Totals>;

  constructor(period: Period) {
    this.#period = period;
    this.#totals = new Map(period.totals.map((totals) => [keyOf(totals), totals]));
  }

  /** The sum of the figures of one thing, to find the largest ones. */
  sizeOf(totals: Totals): number {
    return sumOf(Object.values(this.#totals.get(keyOf(totals))?.figures ?? {}));
  }

  /** A figure of one thing; null if it is unknown. */
  figureOf(totals: Totals, figure: string): number | null {
    return this.#totals.get(keyOf(totals))?.figures[figure] ?? (this.#period.isComplete ? 0 : null);
  }

  /** A figure of all that is not listed; null if it is unknown, because the rest of the period contains something listed. */
  restBeside(listed: readonly Totals[], left: readonly Totals[], figure: string): number | null {
    const { rest, isComplete } = this.#period;
    if (!isComplete && listed.some((totals) => !this.#totals.has(keyOf(totals)))) return null;
    return sumOf([rest?.figures[figure] ?? 0, ...left.map((totals) => this.#totals.get(keyOf(totals))?.figures[figure] ?? 0)]);
  }
}

const keyOf = ({ about }: Totals) => JSON.stringify(about);

function changeOf(current: number | null, previous: number | null) {
  if (current === null || previous === null) return { current, previous, change: null, change_percent: null };
  const change = Math.round((current - previous) * 1e6) / 1e6;
  return { current, previous, change, change_percent: previous <= 0 ? null : Math.round((change / previous) * 1_000) / 10 };
}
