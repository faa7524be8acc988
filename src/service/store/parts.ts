import { type RawBuilder, sql } from 'kysely';
import type { Db } from './database.ts';
import { hasValue } from './index-order.ts';
import { limitTo, offsetBy } from './limits.ts';
import type { AnyTable, Row, StoredRow } from './table.ts';

// Reads lists with filters that no index serves. A request reads a bounded number of rows: it may end before its page is full.

/** Some rows of a list, by descending `seq`, and the `seq` below which the next ones are; null at the end of the list. */
export interface Part<Each> {
  readonly rows: Each[];
  readonly next: number | null;
}

/** The number of rows whose filters are compared at once, and how often a request does so. */
const rowsCompared = 4_000;
const roundsMax = 24;

/**
 * Reads parts until a page is full, or has taken long.
 * @param read reads a part below a `seq`, with the number of rows that the page still needs
 * @param keep returns what is kept of the rows, in their order
 */
export async function fillPart<Each>(
  before: number | undefined,
  limit: number,
  read: (before: number, limit: number) => Promise<Part<Each>>,
  keep: (rows: readonly Each[]) => Promise<readonly Each[]>,
): Promise<Part<Each>> {
  const rows: Each[] = [];
  let next: number | null = before ?? Number.MAX_SAFE_INTEGER;
  for (let round = 0; next !== null && round < roundsMax && rows.length < limit; round++) {
    const part: Part<Each> = await read(next, limit - rows.length);
    rows.push(...(await keep(part.rows)));
    ({ next } = part);
  }
  return { rows, next };
}

/** The rows of a list that begins with the value of a column in an index, and goes on by `seq`: those between two, which are left out. */
export interface Range {
  readonly column: string;
  readonly value: string;
  readonly above?: number;
  readonly below: number;
}

/** Reads the newest rows of a range that meet conditions: up to `limit` of the next thousands. */
export async function readPart<T extends AnyTable>(
  db: Db,
  table: T,
  { column, value, above = 0, below }: Range,
  conditions: readonly RawBuilder<unknown>[],
  limit: number,
): Promise<Part<Row<T> & { seq: number }>> {
  const name = sql.table(table.name);
  const isInRange = sql`${hasValue(db, column, value)} and seq < ${below} and seq > ${above}`;
  const order = sql`order by ${sql.ref(column)} desc, seq desc`;
  const lastCompared = sql<{ seq: number }>`select seq from ${name} where ${isInRange}
    ${order} ${limitTo(1)} ${offsetBy(rowsCompared - 1)}`;
  // Without conditions, the limit is a bound itself.
  const [last] = conditions.length === 0 ? [] : (await lastCompared.execute(db)).rows;
  const end = last && Number(last.seq);
  const wanted = [isInRange, ...(end === undefined ? [] : [sql`seq >= ${end}`]), ...conditions];
  const { rows } = await sql<StoredRow<T>>`select * from ${name} where ${sql.join(wanted, sql` and `)} ${order} ${limitTo(limit)}`.execute(
    db,
  );
  const found = rows.map((row) => table.decode(row as never) as Row<T> & { seq: number });
  return { rows: found, next: found.length === limit ? (found.at(-1)?.seq ?? null) : (end ?? null) };
}

/** The conditions that columns have these values. Undefined values are ignored. */
export function haveValues(values: Readonly<Record<string, unknown>>): RawBuilder<unknown>[] {
  return Object.entries(values).flatMap(([column, value]) => (value === undefined ? [] : [sql`${sql.ref(column)} = ${value}`]));
}

/** The condition that a column is within a period, in epoch milliseconds. */
export function isWithin(column: string, { first, last }: { readonly first?: number | undefined; readonly last?: number | undefined }) {
  const name = sql.ref(column);
  return [...(first === undefined ? [] : [sql`${name} >= ${first}`]), ...(last === undefined ? [] : [sql`${name} <= ${last}`])];
}
