import type { Db } from './database.ts';
import { fixed, type FixedStatements } from './prepared.ts';
import { stepByStep } from './step-scheduler.ts';
import type { Engine } from './store.ts';
import type { AnyTable, NewRow, Row } from './table.ts';

/**
 * The maximum number of rows in a statement. SQLite needs the least time for each row from 64 on. On PostgreSQL, packing usual rows
 * takes a few milliseconds.
 */
const rowsOfStatement = { sqlite: 64, postgres: 1_000 } as const;

/** The cached text of each insertion, by engine, table, clause and number of rows. */
const texts = new Map<string, string>();

/** What is inserted where. */
interface Insertion {
  readonly table: string;
  readonly columns: readonly string[];
  /** The SQL after the values. */
  readonly clause: string;
}

/** Rows encoded for the database. */
export interface EncodedRows extends Insertion {
  /** The values of each row, in the order of the columns. */
  readonly values: readonly (readonly unknown[])[];
}

/** Rows packed for an engine. As strings, they take less time to copy to another thread, and only some of them are unpacked at once. */
export interface PackedRows extends Insertion {
  readonly packs: readonly string[];
}

/** Encodes rows, to be inserted later. Omitted columns get the defaults of the table. */
export function encodeRows<T extends AnyTable>(table: T, rows: readonly NewRow<T>[], clause = ''): EncodedRows {
  const values = rows.map((row) => table.insertedValues(row as never));
  return { table: table.name, columns: table.insertedColumns, clause, values };
}

/** Packs rows for an engine, to be inserted by another thread. Their values must be texts, numbers or nulls, because they become JSON. */
export function packRows({ values, ...insertion }: EncodedRows, engine: Engine): PackedRows {
  const rows = valuesOf(values);
  const packs =
    engine === 'sqlite' ? partsOf(rows, rowsOfStatement.sqlite).map((part) => JSON.stringify(part)) : recordsOf(insertion, rows);
  return { ...insertion, packs: [...packs] };
}

/** Inserts rows that are encoded, or packed for the engine. Their clause must not return anything. */
export async function insertEncoded(db: Db, rows: EncodedRows | PackedRows): Promise<void> {
  const statements = fixed(db);
  const { engine, change } = statements;
  if ('values' in rows) await insertAll(statements, rows, valuesOf(rows.values), change);
  else if (engine === 'postgres') await insertRecords(rows, rows.packs, change);
  else await insertParts(statements, rows, rows.packs.values().map(parsePart), change);
}

function parsePart(pack: string): unknown[] {
  return JSON.parse(pack) as unknown[];
}

function valuesOf(rows: EncodedRows['values']): Values {
  return { count: rows.length, valuesAt: (index) => rows[index] as readonly unknown[] };
}

/**
 * Inserts any number of rows. Omitted columns get the defaults of the table. If it fails, the transaction must fail: some of the
 * rows can have been inserted.
 * @param clause the SQL after the values, such as `on conflict do nothing returning id`
 * @returns the decoded rows that the clause returns, in order
 */
export async function insertMany<T extends AnyTable>(db: Db, table: T, rows: readonly NewRow<T>[], clause = ''): Promise<Row<T>[]> {
  if (rows.length === 0) return [];
  const statements = fixed(db);
  const returned: Row<T>[] = [];
  const insertReturning: Insert = async (text, values) => {
    for (const row of await statements.rows(text, values)) returned.push(table.decode(row as never) as Row<T>);
  };
  const insertion = { table: table.name, columns: table.insertedColumns, clause };
  const valuesAt = (index: number) => table.insertedValues(rows[index] as never);
  await insertAll(statements, insertion, { count: rows.length, valuesAt }, returns(insertion) ? insertReturning : statements.change);
  return returned;
}

/** The values of the rows to insert, which are read once, in order. */
interface Values {
  readonly count: number;
  readonly valuesAt: (index: number) => readonly unknown[];
}

/** Runs a statement with these values. */
type Insert = (text: string, values: readonly unknown[]) => Promise<void> | void;

async function insertAll(statements: FixedStatements, insertion: Insertion, rows: Values, insert: Insert): Promise<void> {
  // SQLite returns the rows of one statement in any order.
  await (statements.engine === 'sqlite'
    ? insertParts(statements, insertion, partsOf(rows, returns(insertion) ? 1 : rowsOfStatement.sqlite), insert)
    : insertRecords(insertion, recordsOf(insertion, rows), insert));
}

function returns({ clause }: Insertion): boolean {
  return clause.includes('returning');
}

/** The values of up to `size` rows at a time, one row after the other. */
function* partsOf({ count, valuesAt }: Values, size: number): Generator<readonly unknown[]> {
  for (let from = 0; from < count; from += size)
    yield Array.from({ length: Math.min(size, count - from) }, (_, index) => valuesAt(from + index)).flat();
}

/** Inserts rows on SQLite. A part that is not full has a statement for each row, because each number of rows needs another one. */
async function insertParts(
  { pause }: FixedStatements,
  insertion: Insertion,
  parts: Iterable<readonly unknown[]>,
  insert: Insert,
): Promise<void> {
  const width = insertion.columns.length;
  for (const part of parts) {
    const isFull = part.length === width * rowsOfStatement.sqlite;
    const size = isFull ? rowsOfStatement.sqlite : 1;
    const text = textOf('sqlite', insertion, size);
    for (let from = 0; from < part.length; from += size * width) {
      const inserting = insert(text, isFull ? part : part.slice(from, from + width));
      if (inserting) await inserting;
      const pausing = pause?.();
      if (pausing) await pausing;
    }
  }
}

/** Inserts rows on PostgreSQL, many with each statement, because each one could be a round trip. */
async function insertRecords(insertion: Insertion, packs: Iterable<string>, insert: Insert): Promise<void> {
  let serveOthers: (() => Promise<void>) | undefined;
  for (const pack of packs) {
    await serveOthers?.();
    serveOthers ??= stepByStep();
    await insert(textOf('postgres', insertion), [pack]);
  }
}

/**
 * The clause of an insertion that updates the rows that exist already.
 * @param key the columns of a unique index, by which the rows are found
 * @param columns the columns that take the inserted values; the others stay as they are
 */
export function overwriting(key: readonly string[], columns: readonly string[]): string {
  return `on conflict (${key.join(', ')}) do update set ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`;
}

/** The rows as JSON, which is the parameter of a statement on PostgreSQL. */
function* recordsOf({ columns }: Insertion, { count, valuesAt }: Values): Generator<string> {
  for (let from = 0; from < count; from += rowsOfStatement.postgres) {
    const rows = Array.from({ length: Math.min(rowsOfStatement.postgres, count - from) }, (_, index) => {
      const values = valuesAt(from + index);
      return Object.fromEntries(columns.map((column, place) => [column, values[place]]));
    });
    yield JSON.stringify(rows);
  }
}

/** Inserts one row. @returns the inserted row, without `seq` */
export async function insertOne<T extends AnyTable>(db: Db, table: T, row: NewRow<T>): Promise<Row<T>> {
  const complete = table.complete(row as never) as Row<T>;
  await insertMany(db, table, [complete as never]);
  return complete;
}

/** The statement of an insertion. @param size its number of rows on SQLite; on PostgreSQL, it takes any number */
function textOf(engine: Engine, insertion: Insertion, size = 0): string {
  const key = `${engine} ${insertion.table} ${insertion.clause} ${size}`;
  let text = texts.get(key);
  if (text === undefined) texts.set(key, (text = engine === 'sqlite' ? withParameters(insertion, size) : withRecords(insertion)));
  return text;
}

function withParameters({ table, columns, clause }: Insertion, size: number): string {
  const row = `(${columns.map(() => '?').join(', ')})`;
  return `insert into ${table} (${columns.map(quoted).join(', ')}) values ${Array<string>(size).fill(row).join(', ')} ${clause}`;
}

/** A single statement, and thus one round trip, for all rows. The column types come from the table. */
function withRecords({ table, columns, clause }: Insertion): string {
  const names = columns.map(quoted).join(', ');
  return `insert into ${table} (${names}) select ${names} from json_populate_recordset(null::${table}, $1) ${clause}`;
}

/** Quotes a column name, because some are SQL keywords, such as `key`. */
function quoted(column: string): string {
  return `"${column}"`;
}
