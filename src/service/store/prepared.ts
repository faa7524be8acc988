import type { Compilable, CompiledQuery } from 'kysely';
import type { Db } from './database.ts';
import type { Engine } from './store.ts';

/** Runs statements with a fixed text. They bypass the query builder, which would take longer than the statements themselves. */
export interface FixedStatements {
  readonly engine: Engine;
  /** Runs a statement. @returns its rows; on SQLite synchronously */
  readonly rows: (text: string, values: readonly unknown[]) => unknown[] | Promise<unknown[]>;
  /** Runs a statement. @returns its rows as arrays of values */
  readonly lists: (text: string, values: readonly unknown[]) => unknown[][] | Promise<unknown[][]>;
  /**
   * Runs a statement whose result is not needed. On PostgreSQL, it is sent without waiting for the response. If it fails, the
   * transaction fails, at the latest at the commit.
   */
  readonly change: (text: string, values: readonly unknown[]) => void;
  /**
   * Lets other requests run when the transaction has taken long, because statements on SQLite block the event loop. `prepared`,
   * `preparedChange` and `insertMany` await it after each statement. Returns undefined while the transaction is short.
   */
  readonly pause?: () => Promise<void> | undefined;
}

const connections = new WeakMap<Db, FixedStatements>();

/** Registers the fixed statements of a `Db`. Every `Db` of a store must be registered. */
export function registerFixed(db: Db, statements: FixedStatements): void {
  connections.set(db, statements);
}

/** The fixed statements of a `Db`. */
export function fixed(db: Db): FixedStatements {
  const statements = connections.get(db);
  if (!statements) throw new Error('This database is not of a store');
  return statements;
}

/** The engine of a `Db`. */
export function engineOf(db: Db): Engine {
  return fixed(db).engine;
}

/** Whether transactions lock single rows. SQLite has only one writer at a time, so there is nothing to lock. */
export function locksRows(db: Db): boolean {
  return engineOf(db) === 'postgres';
}

/** The placeholder of a named parameter in a compiled statement. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const placeholders: unknown = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) });

/**
 * Compiles a statement once for many executions. On a hot path, building it would take longer than running it.
 * @param build builds the statement; `$` has a placeholder for each named parameter, and constants are inlined
 * @returns a function that runs the statement with the values of the parameters
 */
export function prepared<Parameters extends object, Row>(
  build: (db: Db, $: Parameters) => Compilable<Row>,
): (db: Db, values: Parameters) => Promise<Row[]> {
  const compiled = compiler(build);
  return async (db, values) => {
    const { sql, parameters } = compiled(db, values);
    const { rows, pause } = fixed(db);
    const found = (await rows(sql, parameters)) as Row[];
    const pausing = pause?.();
    if (pausing) await pausing;
    return found;
  };
}

/**
 * Compiles a statement like `prepared`, but returns rows as arrays of values, in the order of the columns. For large numbers of
 * rows that are only summed up, because creating objects would take longer than reading them.
 */
export function preparedLists<Parameters extends object, Row extends readonly unknown[]>(
  build: (db: Db, $: Parameters) => Compilable<unknown>,
): (db: Db, values: Parameters) => Promise<Row[]> {
  const compiled = compiler(build);
  return async (db, values) => {
    const { sql, parameters } = compiled(db, values);
    return (await fixed(db).lists(sql, parameters)) as unknown[] as Row[];
  };
}

/** Compiles a statement whose result is not needed, like `prepared`. */
export function preparedChange<Parameters extends object>(
  build: (db: Db, $: Parameters) => Compilable,
): (db: Db, values: Parameters) => Promise<void> {
  const compiled = compiler(build);
  return async (db, values) => {
    const { sql, parameters } = compiled(db, values);
    const { change, pause } = fixed(db);
    change(sql, parameters);
    const pausing = pause?.();
    if (pausing) await pausing;
  };
}

function compiler<Parameters extends object>(build: (db: Db, $: Parameters) => Compilable<unknown>) {
  // By engine, because a process can use both, and their SQL differs.
  const compiled = new Map<Engine, CompiledQuery>();
  return (db: Db, values: Parameters) => {
    const engine = engineOf(db);
    let query = compiled.get(engine);
    if (!query) compiled.set(engine, (query = build(db, placeholders as Parameters).compile()));
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Placeholder ? (values as Record<string, unknown>)[parameter.name] : parameter,
    );
    return { sql: query.sql, parameters };
  };
}
