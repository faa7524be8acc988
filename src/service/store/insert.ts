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

/**
 * Inserts any number of rows. Omitted columns get the defaults of the table.
 * @param clause the SQL after the values, such as `on conflict do nothing returning id`
 * @returns the decoded rows that the clause returns, in order
 */
export async function insertMany<T extends AnyTable>(db: Db, table: T, rows: readonly NewRow<T>[], clause = ''): Promise<Row<T>[]> {
  if (rows.length === 0) return [];
  const statements = fixed(db);
  const text = insertion(statements.engine, table, clause);
  const returned: Row<T>[] = [];
  const insertReturning = async (values: readonly unknown[]) => {
    for (const row of await statements.rows(text, values)) returned.push(table.decode(row as never) as Row<T>);
  };
  const insert = clause.includes('returning') ? insertReturning : (values: readonly unknown[]) => statements.change(text, values);
  if (statements.engine === 'sqlite') await insertEach(table, rows, insert, statements.pause);
  else await insertTogether(table, rows, insert);
  return returned;
}

/** Runs the statement with these values. */
type Insert = (values: readonly unknown[]) => Promise<void> | void;

/** Runs a statement for each row. On SQLite, this is faster than building one for all rows. */
async function insertEach<T extends AnyTable>(
  table: T,
  rows: readonly NewRow<T>[],
  insert: Insert,
  pause: FixedStatements['pause'],
): Promise<void> {
  for (const [index, row] of rows.entries()) {
    const inserting = insert(table.insertedValues(row as never));
    if (inserting) await inserting;
    const pausing = index % rowsBetweenPauses === 0 ? pause?.() : undefined;
    if (pausing) await pausing;
  }
}

/** Runs a statement for many rows. On PostgreSQL, each one could be a round trip. */
async function insertTogether<T extends AnyTable>(table: T, rows: readonly NewRow<T>[], insert: Insert): Promise<void> {
  const serveOthers = stepByStep();
  for (let from = 0; from < rows.length; from += rowsOfStatement) {
    if (from > 0) await serveOthers();
    await insert([packed(table, rows.slice(from, from + rowsOfStatement))]);
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

/** The rows as one JSON parameter. */
function packed<T extends AnyTable>(table: T, rows: readonly NewRow<T>[]): string {
  const columns = table.insertedColumns;
  return JSON.stringify(
    rows.map((row) => {
      const values = table.insertedValues(row as never);
      return Object.fromEntries(columns.map((column, index) => [column, values[index]]));
    }),
  );
}

function insertion(engine: Engine, { name, insertedColumns }: AnyTable, clause: string): string {
  const key = `${engine} ${name} ${clause}`;
  let text = texts.get(key);
  if (text === undefined) texts.set(key, (text = (engine === 'sqlite' ? oneRow : allRows)(name, insertedColumns, clause)));
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
