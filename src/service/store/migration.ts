import type { Engine } from './store.ts';

/** The parts of statements that differ between the engines, or that most tables have. */
interface Fragments {
  readonly engine: Engine;
  /** The column that numbers the rows in the order of their creation. */
  readonly seq: string;
  /** The type of bytes. */
  readonly bytes: string;
  /** The column of the account that a record belongs to, and is deleted with. */
  readonly account: string;
  readonly times: string;
}

/** One step from a schema to the next. It is never changed once it is released: stores exist that went through it. */
export interface Migration {
  readonly name: string;
  readonly statements: (engine: Engine) => readonly string[];
}

/** Defines a migration by its statements, in their order. */
export function migration(name: string, statements: (fragments: Fragments) => readonly string[]): Migration {
  return { name, statements: (engine) => statements(fragmentsOf(engine)) };
}

function fragmentsOf(engine: Engine): Fragments {
  return {
    engine,
    // SQLite numbers rows with a rowid of its own; AUTOINCREMENT keeps it from using a deleted row's number again.
    seq: engine === 'sqlite' ? 'seq integer primary key autoincrement' : 'seq bigserial primary key',
    bytes: engine === 'sqlite' ? 'blob' : 'bytea',
    account: 'account_id text not null references accounts (id) on delete cascade',
    times: 'created_at bigint not null, updated_at bigint not null',
  };
}
