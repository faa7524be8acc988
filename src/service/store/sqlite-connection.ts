import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import type { Database, Db } from './database.ts';
import { SqliteLimitDialect } from './limits.ts';
import { registerFixed } from './prepared.ts';

/** The cache size of a connection. It is large because the indexes by contact and by name use pages all over the file. */
const cacheKibibytes = 32 * 1024;

/**
 * The page size of a new database, in bytes. With pages of 4 KiB, imports, histories and deliveries were a tenth slower, because
 * they change pages all over the file; a single send or command was not.
 */
const pageSize = 8_192;

/** A connection to a database file. */
export interface Connection {
  readonly database: DatabaseSync;
  readonly db: Db;
}

/**
 * Opens a connection that only reads. If it is the last one to be closed, the write-ahead log remains.
 * @throws Error when the file cannot be opened or is not a database
 */
export function connectToRead(file: string): Connection {
  return open(new DatabaseSync(file, { timeout: 100, readOnly: true }));
}

/**
 * Opens a connection.
 * @param pause lets other requests run during a long transaction
 * @throws Error when the file cannot be opened or is not a database
 */
export function connect(file: string, pause?: () => Promise<void> | undefined): Connection {
  return open(new DatabaseSync(file, { timeout: 100 }), pause);
}

function open(database: DatabaseSync, pause?: () => Promise<void> | undefined): Connection {
  for (let attempt = 1; ; attempt++) {
    try {
      // Changing the journal mode locks the file briefly, and another process may be opening it at the same time.
      database.exec(`pragma page_size = ${pageSize}; pragma journal_mode = wal`);
      break;
    } catch (error) {
      if (!isBusy(error) || attempt === 50) throw error;
    }
  }
  database.exec(`pragma synchronous = full; pragma foreign_keys = on; pragma temp_store = memory; pragma cache_size = -${cacheKibibytes}`);
  // Overwrites deleted content, so that no deleted secret remains in the file. `fast` would leave it on freed pages.
  database.exec('pragma secure_delete = on');
  const statements = new Map<string, PreparedStatement>();
  const listing = new Map<string, StatementSync>();
  const prepare = (sql: string) => {
    let statement = statements.get(sql);
    if (!statement) statements.set(sql, (statement = new PreparedStatement(database.prepare(sql))));
    return statement;
  };
  const prepareLists = (sql: string) => {
    let statement = listing.get(sql);
    if (!statement) {
      listing.set(sql, (statement = database.prepare(sql)));
      statement.setReturnArrays(true);
    }
    return statement;
  };
  const db = new Kysely<Database>({ dialect: new SqliteLimitDialect({ database: { prepare, close: () => database.close() } }) });
  registerFixed(db, {
    engine: 'sqlite',
    rows: (text, values) => prepare(text).all(values),
    lists: (text, values) => prepareLists(text).all(...(values as SQLInputValue[])) as unknown as unknown[][],
    change: (text, values) => void prepare(text).run(values),
    ...(pause && { pause }),
  });
  return { database, db };
}

/** Adapts a statement of node:sqlite to the interface that Kysely calls. */
class PreparedStatement {
  readonly reader: boolean;
  readonly #statement: StatementSync;
  readonly #columns: readonly string[];

  constructor(statement: StatementSync) {
    this.#statement = statement;
    this.#columns = statement.columns().map(({ name }) => name);
    this.reader = this.#columns.length > 0;
    statement.setReturnArrays(true);
  }

  all(parameters: readonly unknown[]): unknown[] {
    const rows = this.#statement.all(...(parameters as SQLInputValue[])) as unknown as unknown[][];
    return rows.map((values) => this.#toRow(values));
  }

  /** The objects of node:sqlite have no prototype, which V8 reads so slowly that a read took a fifth longer. */
  #toRow(values: readonly unknown[]): Record<string, unknown> {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < this.#columns.length; index++) row[this.#columns[index] as string] = values[index];
    return row;
  }

  run(parameters: readonly unknown[]) {
    return this.#statement.run(...(parameters as SQLInputValue[]));
  }

  iterate(): never {
    throw new Error('Rows are read a page at a time, not streamed');
  }
}

/** Whether a statement failed because another connection holds a lock. */
export function isBusy(error: unknown): boolean {
  // 5 is SQLITE_BUSY. The higher bytes contain the extended code.
  return ((error as { errcode?: number }).errcode ?? 0) % 256 === 5;
}
