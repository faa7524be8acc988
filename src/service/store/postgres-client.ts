import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  type QueryResult,
} from 'kysely';
import type { Database, Db } from './database.ts';
import { setOfValues } from './is-among.ts';
import { PostgresCompiler } from './limits.ts';
import { registerFixed } from './prepared.ts';

/** A statement in the format of the database client. A named statement is parsed and planned once for each connection. */
interface Statement {
  readonly text: string;
  readonly values: unknown[];
  readonly name?: string;
  /** Returns rows as arrays of values instead of objects. */
  readonly rowMode?: 'array';
}

interface StatementAnswer {
  readonly rows: unknown[];
  readonly command: string;
  readonly rowCount: number | null;
}

/** A connection to the database. It runs statements in the order of the calls, without waiting for results in between. */
export interface PostgresClient {
  readonly query: (statement: Statement) => Promise<StatementAnswer>;
  /** Returns the connection to its pool, or closes it. */
  readonly release: (close: boolean) => void;
}

/** A pool of connections to one database. */
export interface PostgresPool {
  readonly connect: () => Promise<PostgresClient>;
  readonly end: () => Promise<void>;
}

/** The names of statements that run repeatedly, by their text. */
const names = new Map<string, string>();

/** Names a statement, so that each connection prepares it only once. Call it only for a fixed number of different texts. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `msgctl_${names.size}`));
  return name;
}

/**
 * Whether a statement reads rows for a set of values. The best plan of such a statement depends on the size of the table. A named
 * statement would keep its first plan, which was made for a small table.
 */
function hasSet(text: string): boolean {
  return text.includes(setOfValues) && !text.startsWith('insert');
}

/** Creates a statement with parameters. Values are never objects, because JSON columns are text. */
function statement(text: string, values: readonly unknown[], isNamed: boolean): Statement {
  return { text, values: [...values], ...(isNamed && !hasSet(text) && { name: nameOf(text) }) };
}

/** A transaction on one connection. */
export class PostgresTransaction implements DatabaseConnection {
  readonly #client: PostgresClient;
  readonly #isNaming: boolean;
  /** The statements whose results are not awaited individually. */
  readonly #sent: Promise<unknown>[] = [];
  #failure: unknown;
  #isOver = false;

  /** @param isNaming whether the connection keeps named statements */
  constructor(client: PostgresClient, isNaming: boolean) {
    this.#client = client;
    this.#isNaming = isNaming;
  }

  /**
   * The first error of a statement. PostgreSQL then refuses all later statements of the transaction, so their errors are
   * meaningless.
   */
  get failure(): unknown {
    return this.#failure;
  }

  /** Runs a fixed statement. @returns its rows */
  async rows(text: string, values: readonly unknown[]): Promise<unknown[]> {
    return (await this.#run(statement(text, values, this.#isNaming))).rows;
  }

  /** Runs a fixed statement. @returns its rows as arrays */
  async lists(text: string, values: readonly unknown[]): Promise<unknown[][]> {
    return (await this.#run({ ...statement(text, values, this.#isNaming), rowMode: 'array' })).rows as unknown[][];
  }

  /** Sends a fixed statement without waiting for its result. The commit waits for it, and fails if the statement failed. */
  send(text: string, values: readonly unknown[] = []): void {
    this.#sent.push(this.#run(statement(text, values, this.#isNaming)).catch(() => {}));
  }

  /** Waits for the results of everything that was sent. @throws the first error of a statement */
  async answered(): Promise<void> {
    await Promise.all(this.#sent);
    if (this.#failure !== undefined) throw this.#failure as Error;
  }

  /** Runs a statement. @throws the error of the database */
  async executeQuery<Result>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Result>> {
    return queryResult(await this.#run(statement(sql, parameters, false)));
  }

  /** Commits the transaction. @throws the first error of a statement; nothing is changed then */
  async commit(): Promise<void> {
    const { command } = await this.#end('commit');
    if (this.#failure !== undefined) throw this.#failure as Error;
    // PostgreSQL's response to the commit of a failed transaction.
    if (command === 'ROLLBACK') throw new Error('The transaction was rolled back');
  }

  /** Makes every later statement fail, for example when the store is closed. */
  end(): void {
    this.#isOver = true;
  }

  /** Rolls back all changes. */
  async rollback(): Promise<void> {
    await this.#end('rollback');
  }

  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Streams of rows are not supported');
  }

  async #end(text: 'commit' | 'rollback'): Promise<StatementAnswer> {
    const ended = this.#run(statement(text, [], false));
    // Statements that are sent from now on would run outside of the transaction.
    this.#isOver = true;
    const answer = await ended;
    await Promise.all(this.#sent);
    return answer;
  }

  async #run(next: Statement): Promise<StatementAnswer> {
    if (this.#isOver) throw new Error('The transaction has ended');
    try {
      return await this.#client.query(next);
    } catch (error) {
      this.#failure ??= error;
      throw error;
    }
  }
}

/** Creates a `Db` that runs every query in a transaction. */
export function dbIn(transaction: PostgresTransaction): Db {
  const db = new Kysely<Database>({ dialect: dialectOf(async () => transaction) });
  registerFixed(db, {
    engine: 'postgres',
    rows: (text, values) => transaction.rows(text, values),
    lists: (text, values) => transaction.lists(text, values),
    change: (text, values) => transaction.send(text, values),
  });
  return db;
}

/** Creates a `Db` for reads, which runs each query on any connection of a pool. */
export function dbOnPool(pool: PostgresPool, isNaming: boolean): Db {
  const db = new Kysely<Database>({ dialect: dialectOf(async () => new PooledConnection(await pool.connect())) });
  const run = async (next: Statement) => {
    const connection = new PooledConnection(await pool.connect());
    try {
      return (await connection.run(next)).rows;
    } finally {
      connection.release();
    }
  };
  registerFixed(db, {
    engine: 'postgres',
    rows: (text, values) => run(statement(text, values, isNaming)),
    lists: (text, values) => run({ ...statement(text, values, isNaming), rowMode: 'array' }) as Promise<unknown[][]>,
    change: () => {
      throw new Error('A change needs a transaction');
    },
  });
  return db;
}

/** A connection for queries outside of a transaction. */
class PooledConnection implements DatabaseConnection {
  readonly #client: PostgresClient;
  #isBroken = false;

  constructor(client: PostgresClient) {
    this.#client = client;
  }

  async executeQuery<Result>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Result>> {
    return queryResult(await this.run(statement(sql, parameters, false)));
  }

  async run(next: Statement): Promise<StatementAnswer> {
    try {
      return await this.#client.query(next);
    } catch (error) {
      this.#isBroken = (error as { code?: unknown }).code === undefined;
      throw error;
    }
  }

  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Streams of rows are not supported');
  }

  release(): void {
    this.#client.release(this.#isBroken);
  }
}

function queryResult<Result>({ rows, rowCount, command }: StatementAnswer): QueryResult<Result> {
  const isChange = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE';
  return { rows: rows as Result[], ...(isChange && { numAffectedRows: BigInt(rowCount ?? 0) }) };
}

/** The store begins and ends transactions itself, without Kysely. */
function dialectOf(acquireConnection: () => Promise<DatabaseConnection>): Dialect {
  const noTransaction = async () => {
    throw new Error('Transactions are begun by the store');
  };
  const driver: Driver = {
    init: async () => {},
    acquireConnection,
    beginTransaction: noTransaction,
    commitTransaction: noTransaction,
    rollbackTransaction: noTransaction,
    releaseConnection: async (connection) => {
      if (connection instanceof PooledConnection) connection.release();
    },
    destroy: async () => {},
  };
  return {
    createDriver: () => driver,
    createAdapter: () => adapter,
    createQueryCompiler: () => compiler,
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}

const adapter = new PostgresAdapter();
const compiler = new PostgresCompiler();
