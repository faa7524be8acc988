import type { Db } from './database.ts';
import type { Engine } from './store.ts';

/** SQL fragments that differ between the engines, or that most tables use. */
export interface Fragments {
  readonly engine: Engine;
  /** The column that numbers the rows in the order of creation. */
  readonly seq: string;
  /** The column type for bytes. */
  readonly bytes: string;
  /** The column type of a primary key that is a number. */
  readonly integer: string;
  /** The account that a record belongs to. The record is deleted along with the account. */
  readonly account: string;
  /**
   * The reference of a column in one of the tables that messages, imports and broadcasts fill. PostgreSQL does not check it: a query of
   * its own for each row was a quarter of the work for a send. The lock on the account keeps the account and its records from being
   * deleted meanwhile, and deletions name the rows that depend on a record. SQLite's checks cost nothing that could be measured.
   */
  readonly references: (target: string) => string;
  readonly times: string;
  /** Follows the columns of a table that consists mostly of its key. SQLite then stores the key once. */
  readonly keyed: string;
}

/** One step from a schema to the next. A migration never changes once it is on main, released or not. */
export interface Migration {
  readonly name: string;
  readonly statements: (engine: Engine) => readonly string[];
  /** Changes rows as no statement can, after the statements. */
  readonly convert?: ((db: Db) => Promise<void>) | undefined;
}

/** Defines a migration by its statements, in order, and what it does after them. */
export function migration(
  name: string,
  statements: (fragments: Fragments) => readonly string[],
  convert?: Migration['convert'],
): Migration {
  return { name, statements: (engine) => statements(fragmentsOf(engine)), convert };
}

function fragmentsOf(engine: Engine): Fragments {
  return {
    engine,
    // SQLite numbers rows with its rowid. AUTOINCREMENT prevents it from reusing the number of a deleted row.
    seq: engine === 'sqlite' ? 'seq integer primary key autoincrement' : 'seq bigserial primary key',
    bytes: engine === 'sqlite' ? 'blob' : 'bytea',
    // SQLite makes it the row id only if it is called so.
    integer: engine === 'sqlite' ? 'integer' : 'bigint',
    account: 'account_id text not null references accounts (id) on delete cascade',
    references: (target) => (engine === 'sqlite' ? `references ${target} on delete cascade` : ''),
    keyed: engine === 'sqlite' ? ' without rowid' : '',
    times: 'created_at bigint not null, updated_at bigint not null',
  };
}
