import type { Compilable, CompiledQuery } from 'kysely';
import type { Db } from './database.ts';

/** Runs a statement on the connection of a `Db`, synchronously. */
type DirectReader = (sql: string, parameters: readonly unknown[]) => unknown[];

/** The connections that answer synchronously (SQLite). Calling them through Kysely takes longer than the statement itself. */
export const directReaders = new WeakMap<Db, DirectReader>();

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
  // By the adapter of the dialect, because two engines in one process have different SQL.
  const compiled = new Map<unknown, CompiledQuery<Row>>();
  return async (db, values) => {
    const dialect = db.getExecutor().adapter.constructor;
    let query = compiled.get(dialect);
    if (!query) compiled.set(dialect, (query = build(db, placeholders as Parameters).compile()));
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Placeholder ? (values as Record<string, unknown>)[parameter.name] : parameter,
    );
    const direct = directReaders.get(db);
    if (direct) return direct(query.sql, parameters) as Row[];
    const { rows } = await db.executeQuery<Row>({ ...query, parameters });
    return rows;
  };
}
