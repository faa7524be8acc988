import type { Db } from './database.ts';
import { fixed, type FixedStatements } from './prepared.ts';
import { stepByStep } from './step-scheduler.ts';
import type { Engine } from './store.ts';
import type { AnyTable, NewRow, Row } from './table.ts';

/** The number of rows after which an insertion on SQLite asks whether to pause. Usual rows take less than a millisecond. */
const rowsBetweenPauses = 32;

/** The maximum number of rows in a statement on PostgreSQL. Packing usual rows takes a few milliseconds. */
const rowsOfStatement = 1_000;

/** The cached text of each insertion, by table, columns and clause. */
const texts = new Map<string, string>();

/** Rows encoded for the database. They can be copied to another thread. */
export interface EncodedRows {
  readonly table: string;
  readonly columns: readonly string[];
  /** The SQL after the values. */
  readonly clause: string;
  /** The values of each row, in the order of the columns. */
  readonly values: readonly (readonly unknown[])[];
}

/** Rows encoded for PostgreSQL, as the parameters of the statements that insert them. */
export interface PackedRows extends Omit<EncodedRows, 'values'> {
  readonly packs: readonly (readonly [string])[];
}

/** Encodes rows, to be inserted later. Omitted columns get the defaults of the table. */
export function encodeRows<T extends AnyTable>(table: T, rows: readonly NewRow<T>[], clause = ''): EncodedRows {
  const values = rows.map((row) => table.insertedValues(row as never));
  return { table: table.name, columns: table.insertedColumns, clause, values };
}

/** Packs rows for PostgreSQL, so that whoever inserts them has less to do. */
export function packRows({ values, ...rows }: EncodedRows): PackedRows {
  return { ...rows, packs: [...packed(valuesOf({ values, ...rows }))] };
}

/** Inserts rows that are encoded already. Their clause must not return anything. */
export async function insertEncoded(db: Db, rows: EncodedRows | PackedRows): Promise<void> {
  const isPacked = 'packs' in rows;
  if ((isPacked ? rows.packs : rows.values).length === 0) return;
  const statements = fixed(db);
  const text = insertion(statements.engine, rows.table, rows.columns, rows.clause);
  const insert = (values: readonly unknown[]) => statements.change(text, values);
  if (isPacked) await insertTogether(rows.packs, insert);
  else await insertAll(statements, valuesOf(rows), insert);
}

function valuesOf({ columns, values }: EncodedRows): Values {
  return { columns, count: values.length, valuesAt: (index) => values[index] as readonly unknown[] };
}

/**
 * Inserts any number of rows. Omitted columns get the defaults of the table.
 * @param clause the SQL after the values, such as `on conflict do nothing returning id`
 * @returns the decoded rows that the clause returns, in order
 */
export async function insertMany<T extends AnyTable>(db: Db, table: T, rows: readonly NewRow<T>[], clause = ''): Promise<Row<T>[]> {
  if (rows.length === 0) return [];
  const statements = fixed(db);
  const { name, insertedColumns: columns } = table;
  const text = insertion(statements.engine, name, columns, clause);
  const returned: Row<T>[] = [];
  const insertReturning = async (values: readonly unknown[]) => {
    for (const row of await statements.rows(text, values)) returned.push(table.decode(row as never) as Row<T>);
  };
  const insert = clause.includes('returning') ? insertReturning : (values: readonly unknown[]) => statements.change(text, values);
  const valuesAt = (index: number) => table.insertedValues(rows[index] as never);
  await insertAll(statements, { columns, count: rows.length, valuesAt }, insert);
  return returned;
}

/** Rows to insert, whose values are read once, in order. */
interface Values {
  readonly columns: readonly string[];
  readonly count: number;
  readonly valuesAt: (index: number) => readonly unknown[];
}

/** Runs the statement with these values. */
type Insert = (values: readonly unknown[]) => Promise<void> | void;

async function insertAll({ engine, pause }: FixedStatements, values: Values, insert: Insert): Promise<void> {
  await (engine === 'sqlite' ? insertEach(values, insert, pause) : insertTogether(packed(values), insert));
}

/** Runs a statement for each row. On SQLite, this is faster than building one for all rows. */
async function insertEach({ count, valuesAt }: Values, insert: Insert, pause: FixedStatements['pause']): Promise<void> {
  for (let index = 0; index < count; index++) {
    const inserting = insert(valuesAt(index));
    if (inserting) await inserting;
    const pausing = index % rowsBetweenPauses === 0 ? pause?.() : undefined;
    if (pausing) await pausing;
  }
}

/** Runs a statement for many rows. On PostgreSQL, each one could be a round trip. */
async function insertTogether(parameters: Iterable<readonly unknown[]>, insert: Insert): Promise<void> {
  let serveOthers: (() => Promise<void>) | undefined;
  for (const pack of parameters) {
    await serveOthers?.();
    serveOthers ??= stepByStep();
    await insert(pack);
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

/** The parameters of the statements that insert rows: each has some of them as JSON. */
function* packed({ columns, count, valuesAt }: Values): Generator<[string]> {
  for (let from = 0; from < count; from += rowsOfStatement) {
    const rows = Array.from({ length: Math.min(rowsOfStatement, count - from) }, (_, index) => {
      const values = valuesAt(from + index);
      return Object.fromEntries(columns.map((column, place) => [column, values[place]]));
    });
    yield [JSON.stringify(rows)];
  }
}

function insertion(engine: Engine, table: string, columns: readonly string[], clause: string): string {
  const key = `${engine} ${table} ${clause}`;
  let text = texts.get(key);
  if (text === undefined) texts.set(key, (text = (engine === 'sqlite' ? oneRow : allRows)(table, columns, clause)));
  return text;
}

/** Inserts one row. @returns the inserted row, without `seq` */
export async function insertOne<T extends AnyTable>(db: Db, table: T, row: NewRow<T>): Promise<Row<T>> {
  const complete = table.complete(row as never) as Row<T>;
  await insertMany(db, table, [complete as never]);
  return complete;
}

function oneRow(table: string, columns: readonly string[], clause: string): string {
  return `insert into ${table} (${columns.map(quoted).join(', ')}) values (${columns.map(() => '?').join(', ')}) ${clause}`;
}

/** A single statement, and thus one round trip, for all rows. The column types come from the table. */
function allRows(table: string, columns: readonly string[], clause: string): string {
  const names = columns.map(quoted).join(', ');
  return `insert into ${table} (${names}) select ${names} from json_populate_recordset(null::${table}, $1) ${clause}`;
}

/** Quotes a column name, because some are SQL keywords, such as `key`. */
function quoted(column: string): string {
  return `"${column}"`;
}
