import { plainText } from '../../output/cell.ts';
import type { Row } from '../../output/result.ts';

/** Rows in long form, and what their columns hold. */
export interface LongForm {
  readonly rows: readonly Row[];
  /** What a row is about, besides its date: `channel`. */
  readonly keys: readonly string[];
  /** The columns with figures. */
  readonly figures: readonly string[];
}

/**
 * Turns rows in long form into a row for each date, with a column for each series: `chatapp`, or `sent chatapp` when there is
 * more than one figure. A series without a key value is `(none)`.
 */
export function pivot({ rows, keys, figures }: LongForm): { rows: Row[]; columns: string[] } {
  const dates = new Map<unknown, Record<string, unknown>>();
  const columns = new Set<string>();
  for (const row of rows) {
    const name = keys.map((key) => plainText(row[key]) || '(none)').join(' / ');
    const pivoted = dates.get(row.date) ?? { date: row.date };
    for (const figure of figures) {
      const column = [...(figures.length > 1 || name === '' ? [figure] : []), ...(name === '' ? [] : [name])].join(' ');
      columns.add(column);
      pivoted[column] = row[figure];
    }
    dates.set(row.date, pivoted);
  }
  return { rows: [...dates.values()], columns: ['date', ...columns] };
}
