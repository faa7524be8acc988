import type { Engine } from './store.ts';

/** SQL fragments that differ between the engines, or that most tables use. */
interface Fragments {
  readonly engine: Engine;
  /** The column that numbers the rows in the order of creation. */
  readonly seq: string;
  /** The column type for bytes. */
  readonly bytes: string;
  /** The account that a record belongs to. The record is deleted along with the account. */
  readonly account: string;
  readonly times: string;
}

/** One step from a schema to the next. A released migration is never changed, because existing stores have applied it. */
export interface Migration {
  readonly name: string;
  readonly statements: (engine: Engine) => readonly string[];
}

/** Defines a migration by its statements, in order. */
export function migration(name: string, statements: (fragments: Fragments) => readonly string[]): Migration {
  return { name, statements: (engine) => statements(fragmentsOf(engine)) };
}

function fragmentsOf(engine: Engine): Fragments {
  return {
    engine,
    // SQLite numbers rows with its rowid. AUTOINCREMENT prevents it from reusing the number of a deleted row.
    seq: engine === 'sqlite' ? 'seq integer primary key autoincrement' : 'seq bigserial primary key',
    bytes: engine === 'sqlite' ? 'blob' : 'bytea',
    account: 'account_id text not null references accounts (id) on delete cascade',
    times: 'created_at bigint not null, updated_at bigint not null',
  };
}
