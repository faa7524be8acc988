import type { Db } from './database.ts';
import { fixed } from './prepared.ts';
import type { Engine } from './store.ts';
import type { AnyTable, NewRow, Row } from './table.ts';

/** The cached text of each insertion, by table, columns and clause. */
const texts = new Map<string, string>();

/**
 * Inserts any number of rows. Omitted columns get the defaults of the table.
 * @param clause the SQL after the values, such as `on conflict do nothing returning id`
 * @returns the decoded rows that the clause returns, in order
 */
export async function insertMany<T extends AnyTable>(db: Db, table: T, rows: readonly NewRow<T>[], clause = ''): Promise<Row<T>[]> {
  if (rows.length === 0) return [];
  const { engine, rows: run, change, pause } = fixed(db);
  const text = insertion(engine, table, clause);
  // On SQLite, running a statement for each row is faster than building one for all rows.
  const executions = engine === 'sqlite' ? rows.map((row) => table.insertedValues(row as never)) : [[packed(table, rows)]];
  const returned: Row<T>[] = [];
  const returns = clause.includes('returning');
  for (const values of executions) {
    if (!returns) change(text, values);
    else for (const row of await run(text, values)) returned.push(table.decode(row as never) as Row<T>);
    const pausing = pause?.();
    if (pausing) await pausing;
  }
  return returned;
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
