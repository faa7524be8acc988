import { plainText } from '../../output/cell.ts';
import { headingOf } from '../../output/columns.ts';
import type { ResultRow } from '../../output/result.ts';
import { other } from './rows.ts';

/** Rows in long form, and the roles of their columns. */
export interface LongForm {
  readonly rows: readonly ResultRow[];
  /** The dates of the rows, and those without a row; none when the rows have no dates. */
  readonly dates: readonly string[];
  /** The columns that, besides the date, say what a row is about: `channel`. */
  readonly keys: readonly string[];
  /** The columns with figures. */
  readonly figures: readonly string[];
}

/** Keys whose values are names given by users, not identifiers of the API. */
const namedByPeople: ReadonlySet<string> = new Set(['campaign', 'agent', 'tag']);

/**
 * Pivots rows in long form: one row for each date (or a single one without dates), one column for each series, named `chatapp`,
 * or `sent chatapp` if there are several figures. A series without a key value is `(none)`. `headings` are for tables; they keep
 * names given by users unchanged.
 */
export function pivot({ rows, dates: allDates, keys, figures }: LongForm): {
  rows: ResultRow[];
  columns: string[];
  headings: Map<string, string>;
} {
  const dates = new Map<unknown, Map<string, unknown>>(allDates.map((date) => [date, new Map([['date', date]])]));
  const columns = new Map<string, string>();
  const headings = new Map<string, string>();
  for (const row of rows) {
    const pivoted = dates.get(row.date) ?? new Map<string, unknown>();
    for (const figure of figures) {
      const id = JSON.stringify([figure, ...keys.map((key) => row[key])]);
      const isNamed = figures.length > 1 || keys.length === 0;
      let column = columns.get(id);
      if (column === undefined) {
        const series = keys.map((key) => textOf(row[key])).join(' / ');
        column = freeName([isNamed ? figure : '', series].filter(Boolean).join(' '), headings);
        const heading = keys.map((key) => keyHeading(key, row[key])).join(' / ');
        columns.set(id, column);
        headings.set(column, [isNamed ? headingOf(figure) : '', heading].filter(Boolean).join(' '));
      }
      pivoted.set(column, row[figure]);
    }
    dates.set(row.date, pivoted);
  }
  return {
    rows: [...dates.values()].map((values) => Object.fromEntries(values)),
    columns: [...(allDates.length > 0 ? ['date'] : []), ...columns.values()],
    headings,
  };
}

const textOf = (value: unknown) => plainText(value) || '(none)';

function keyHeading(key: string, value: unknown): string {
  const isName = namedByPeople.has(key) && value !== null && value !== other;
  return isName ? textOf(value) : textOf(value).toUpperCase().replaceAll('_', ' ');
}

/** Makes a column name unique: a tag may be called `date`. */
function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  let free = name;
  for (let count = 2; free === 'date' || taken.has(free); count++) free = `${name} (${count})`;
  return free;
}
