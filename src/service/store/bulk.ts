import { CompiledQuery, type Insertable, type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Database } from './schema.ts';
import { type Db, directReaders } from './store.ts';

type Table = Exclude<keyof Database, 'migrations'>;

/** The text of an insertion by its table, columns and clause: it is put together once. */
const texts = new Map<string, string>();

/**
 * Inserts any number of rows, each with the fields of the first.
 * @param clause what stands behind, such as `on conflict do nothing returning id`
 * @returns what the clause returns, in the order of the rows
 */
export async function insertMany<T extends Table, Returned = never>(
  db: Db,
  table: T,
  rows: readonly Insertable<Database[T]>[],
  clause = '',
): Promise<Returned[]> {
  const [first] = rows;
  if (!first) return [];
  const columns = Object.keys(first);
  const direct = directReaders.get(db);
  const key = `${direct ? 'direct' : 'rows'} ${table} ${columns.join()} ${clause}`;
  let text = texts.get(key);
  if (text === undefined) texts.set(key, (text = direct ? oneRow(table, columns, clause) : allRows(table, columns, clause)));
  if (direct) {
    // A prepared statement for each row costs less than one statement that must be built for all.
    const returned: Returned[] = [];
    for (const row of rows) {
      const values = columns.map((column) => (row as Record<string, unknown>)[column]);
      for (const each of direct(text, values)) returned.push(each as Returned);
    }
    return returned;
  }
  const { rows: returned } = await db.executeQuery<Returned>(CompiledQuery.raw(text, [JSON.stringify(rows)]));
  return returned;
}

function oneRow(table: string, columns: string[], clause: string): string {
  return `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')}) ${clause}`;
}

/** One statement, and so one round trip, for all rows; their types are those of the table. */
function allRows(table: string, columns: string[], clause: string): string {
  const names = columns.map((column) => `"${column}"`).join(', ');
  return `insert into ${table} (${names}) select ${names} from json_populate_recordset(null::${table}, $1) ${clause}`;
}

/**
 * Whether a column holds one of many texts, as a condition of a prepared query with a placeholder for their JSON list:
 * `where(isAmong(db, 'id'))`. On PostgreSQL as an array: of a set it would expect so many that it read the whole table.
 */
export function isAmong(db: Db, column: string): RawBuilder<SqlBool> {
  const name = sql.ref(column);
  return directReaders.has(db)
    ? sql`${name} in (select value from json_each(${''}))`
    : sql`${name} = any(array(select json_array_elements_text(${''}::json)))`;
}
