import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { ApiError } from '../errors.ts';

/** The bytes of the header that tell whether a database has a write-ahead log, which its copy does not have. */
const formatBytes = [18, 19];

/** What every file of SQLite begins with. */
const magic = 'SQLite format 3\0';

/** Whether bytes are a database. */
export function isDatabase(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, magic.length)).toString('latin1') === magic;
}

/** A copy of a database as the content of a file. @throws ApiError 409 on Node 22, which cannot make one */
export function copyOf(database: DatabaseSync): Uint8Array {
  if (!('serialize' in database)) throw new ApiError(409, 'Node 22 cannot save a store: run msgctl on Node 24');
  const bytes = database.serialize();
  for (const index of formatBytes) bytes[index] = 1;
  return bytes;
}

/**
 * Puts the rows of a database file in the place of those of a database with the same schema, within its transaction. The index of words
 * is emptied: maintenance fills it again.
 * @param file a file that nobody writes
 */
export function replaceRows(target: DatabaseSync, file: string): void {
  const source = new DatabaseSync(file, { readOnly: true });
  try {
    target.exec('pragma defer_foreign_keys = on');
    const tables = tablesOf(target);
    for (const table of tables) target.exec(`delete from ${table}`);
    for (const table of tables) copyRows(source, target, table);
    target.exec(`insert into message_words (message_words) values ('delete-all'); delete from message_indexing`);
  } finally {
    source.close();
  }
}

/** The tables with rows of their own: not those of SQLite, and not the index of words with the tables that it consists of. */
function tablesOf(database: DatabaseSync): string[] {
  const rows = database
    .prepare(`select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'message_words%'`)
    .all() as { name: string }[];
  return rows.map(({ name }) => name);
}

function copyRows(source: DatabaseSync, target: DatabaseSync, table: string): void {
  const columns = source
    .prepare(`select * from ${table}`)
    .columns()
    .map(({ name }) => `"${name}"`);
  const insert = target.prepare(`insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`);
  const read = source.prepare(`select ${columns.join(', ')} from ${table}`);
  read.setReturnArrays(true);
  for (const row of read.iterate()) insert.run(...(row as unknown as SQLInputValue[]));
}
