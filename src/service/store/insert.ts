import type { Db } from './database.ts';
import { fixed, type FixedStatements } from './prepared.ts';
import { stepByStep } from '../flow/steps.ts';
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

/**
 * Inserts any number of rows. Omitted columns get the defaults of the table. If it fails, the transaction must fail: some of the
 * rows can have been inserted.
 * @param clause the SQL after the values, such as `on conflict do nothing returning id`
 * @returns the decoded rows that the clause returns, in any order
 */
export async function insertMany<T extends AnyTable>(db: Db, table: T, rows: readonly NewRow<T>[], clause = ''): Promise<Row<T>[]> {
  if (rows.length === 0) return [];
  const statements = fixed(db);
  const returned: Row<T>[] = [];
  const insertReturning: Insert = async (text, values) => {
    for (const row of await statements.rows(text, values)) returned.push(table.decode(row as never) as Row<T>);
  };
  const insertion = { table: table.name, columns: table.insertedColumns, clause };
  const insert = clause.includes('returning') ? insertReturning : statements.change;
  if (statements.engine === 'sqlite') await insertParts(statements, table, insertion, rows, insert);
  else await insertRecords(table, insertion, rows, insert);
  return returned;
}

/** Runs a statement with these values. */
type Insert = (text: string, values: readonly unknown[]) => Promise<void> | void;

/** Inserts rows on SQLite. A part that is not full has a statement for each row, because each number of rows needs another one. */
async function insertParts<T extends AnyTable>(
  { pause }: FixedStatements,
  table: T,
  insertion: Insertion,
  rows: readonly NewRow<T>[],
  insert: Insert,
): Promise<void> {
  for (let from = 0; from < rows.length;) {
    const size = rows.length - from < rowsOfStatement.sqlite ? 1 : rowsOfStatement.sqlite;
    const values = rows.slice(from, from + size).flatMap((row) => table.insertedValues(row as never));
    const inserting = insert(textOf('sqlite', insertion, size), values);
    if (inserting) await inserting;
    const pausing = pause?.();
    if (pausing) await pausing;
    from += size;
  }
}

/** Inserts rows on PostgreSQL, many with each statement, because each one could be a round trip. */
async function insertRecords<T extends AnyTable>(
  table: T,
  insertion: Insertion,
  rows: readonly NewRow<T>[],
  insert: Insert,
): Promise<void> {
  const { columns } = insertion;
  const text = textOf('postgres', insertion);
  const serveOthers = stepByStep();
  for (let from = 0; from < rows.length; from += rowsOfStatement.postgres) {
    if (from > 0) await serveOthers();
    // The parameter of the statement is JSON.
    const records = rows.slice(from, from + rowsOfStatement.postgres).map((row) => {
      const values = table.insertedValues(row as never);
      return Object.fromEntries(columns.map((column, place) => [column, inJson(values[place])]));
    });
    await insert(text, [JSON.stringify(records)]);
  }
}

/** Bytes in JSON are hexadecimal digits, as PostgreSQL reads them. */
function inJson(value: unknown): unknown {
  return value instanceof Uint8Array ? `\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}` : value;
}

/**
 * The clause of an insertion that updates the rows that exist already.
 * @param key the columns of a unique index, by which the rows are found
 * @param columns the columns that take the inserted values; the others stay as they are
 */
export function overwriting(key: readonly string[], columns: readonly string[]): string {
  return `on conflict (${key.join(', ')}) do update set ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`;
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
