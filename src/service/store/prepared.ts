import type { Compilable, CompiledQuery } from 'kysely';
import type { Db } from './database.ts';

/** Runs a statement on the connection behind a `Db`, at once. */
type DirectReader = (sql: string, parameters: readonly unknown[]) => unknown[];

/** The connections that answer without waiting (SQLite): Kysely's way to them costs more than the statement itself. */
export const directReaders = new WeakMap<Db, DirectReader>();

/** Stands in a compiled statement for the parameter of that name. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const placeholders: unknown = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) });

/**
 * Compiles a statement once for many executions: building it costs more than running it on a hot path.
 * @param build makes the statement; `$` has a placeholder for each named parameter, and constants are written where they stand
 * @returns runs the statement with the parameters' values
 */
export function prepared<Parameters extends object, Row>(
  build: (db: Db, $: Parameters) => Compilable<Row>,
): (db: Db, values: Parameters) => Promise<Row[]> {
  // By the dialect's adapter: two engines in one process write their SQL differently.
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
