import type { AnyTable } from '../../../store/table.ts';

/** Counters, with the columns that identify them. */
export type CounterRow = Record<string, string | number>;

/** The counter that holds a maximum instead of a sum. */
export const greatest = 'last_message_at';

/** The counters of a table. */
export function countersOf(table: AnyTable, key: readonly string[]): string[] {
  return Object.keys(table.columns).filter((column) => column !== 'account_id' && !key.includes(column));
}

/**
 * How much the stored counters of a place differ from the records. The difference stays valid while others write, because every
 * change is an addition.
 */
export interface Difference {
  readonly place: CounterRow;
  /** The amount to add to each counter. */
  readonly added: CounterRow;
  /** The same, without what would bring a counter nearer to 0. Refunds are below 0. */
  readonly raised: CounterRow;
  /** A maximum that is too large, and its correct value. */
  readonly lowered: { readonly from: number; readonly to: number } | undefined;
  /** Whether the place has no records. */
  readonly isGone: boolean;
  /** The number of counters that differ. */
  readonly count: number;
}

/** Sums the counters of a table by their key. */
export class Sums {
  readonly #key: readonly string[];
  readonly #counters: readonly string[];
  readonly #rows = new Map<string, CounterRow>();

  constructor(table: AnyTable, key: readonly string[]) {
    this.#key = key;
    this.#counters = countersOf(table, key);
  }

  add(row: CounterRow): void {
    const sums = this.#rows.get(this.#nameOf(row)) ?? this.#newRow(row);
    for (const column of this.#counters) {
      const [sum, value] = [Number(sums[column]), Number(row[column] ?? 0)];
      sums[column] = column === greatest ? Math.max(sum, value) : sum + value;
    }
  }

  /** Compares the sums with some of the stored rows. Each row is compared only once. @returns the differences */
  compare(stored: readonly CounterRow[]): Difference[] {
    const differences = stored.map((row) => this.#difference(row, row));
    for (const row of stored) this.#rows.delete(this.#nameOf(row));
    return differences.filter(({ count }) => count > 0);
  }

  /** The sums for which no stored row was compared. */
  rest(): Difference[] {
    return [...this.#rows.values()].map((row) => this.#difference(row, {})).filter(({ count }) => count > 0);
  }

  #difference(place: CounterRow, stored: CounterRow): Difference {
    const wanted = this.#rows.get(this.#nameOf(place));
    const values = this.#counters.map((column) => ({ column, has: Number(stored[column] ?? 0), to: Number(wanted?.[column] ?? 0) }));
    const last = values.find(({ column, has, to }) => column === greatest && to < has);
    const toAdd = ({ column, has, to }: (typeof values)[number]) => (column !== greatest ? to - has : to > has ? to : 0);
    const isMore = ({ has, to }: (typeof values)[number]) => (has < 0 ? to < has : to > has);
    return {
      place: this.#placeOf(place),
      added: Object.fromEntries(values.map((value) => [value.column, toAdd(value)])),
      raised: Object.fromEntries(values.map((value) => [value.column, isMore(value) ? toAdd(value) : 0])),
      lowered: last && { from: last.has, to: last.to },
      isGone: wanted === undefined,
      count: values.filter(({ has, to }) => has !== to).length,
    };
  }

  #newRow(row: CounterRow): CounterRow {
    const sums = { ...this.#placeOf(row), ...Object.fromEntries(this.#counters.map((column) => [column, 0])) };
    this.#rows.set(this.#nameOf(row), sums);
    return sums;
  }

  #placeOf(row: CounterRow): CounterRow {
    return Object.fromEntries(this.#key.map((column) => [column, row[column] ?? '']));
  }

  #nameOf(row: CounterRow): string {
    return this.#key.map((column) => row[column]).join('\n');
  }
}

/**
 * Leaves only what a difference adds: on a day of which records were deleted, the counters rightly count more than the records.
 * @returns undefined when nothing is left
 */
export function raising({ raised, ...difference }: Difference): Difference | undefined {
  const count = Object.values(raised).filter((value) => value !== 0).length;
  return count === 0 ? undefined : { ...difference, raised, added: raised, lowered: undefined, isGone: false, count };
}
