import pg from 'pg';
import type { PostgresServer } from './postgres-address.ts';

/** The time limit for asking one server whether it accepts writes, in milliseconds. */
const probeTimeout = 3_000;

/** PostgreSQL's code for a write on a server that does not accept any: read_only_sql_transaction. */
export const readOnlyCode = '25006';

/**
 * The options with which a pool connects to the first of several servers that is not in recovery. They are tried in turn
 * at each new connection, so that new connections find the promoted server after a failover. `pg` knows only one server.
 */
export function connectionTo(servers: readonly PostgresServer[]): pg.PoolConfig {
  const connectionString = servers[0]?.url;
  return servers.length === 1 ? { connectionString } : { connectionString, Client: primaryClient(servers) };
}

/**
 * Discards each connection whose server refused a write because it accepts none: such a server is not the primary, or not
 * anymore. The pool keeps a connection that only had a statement refused.
 */
export function discardReadOnly(pool: pg.Pool): void {
  const refused = new WeakSet<pg.ClientBase>();
  pool.on('connect', (client) =>
    (client as unknown as pg.Client).connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === readOnlyCode) refused.add(client);
    }),
  );
  // The pool removes a client that is ending when it is released.
  pool.on('release', (_error, client) => {
    if (refused.has(client)) void client.end();
  });
}

/** The client class of a pool, whose connections go to the primary. */
function primaryClient(servers: readonly PostgresServer[]): new (config?: pg.ClientConfig) => pg.Client {
  let finding: Promise<PostgresServer> | null = null;
  // Connections that are opened at the same time share one search.
  const find = () => (finding ??= findPrimary(servers).finally(() => (finding = null)));
  return class PrimaryClient extends pg.Client {
    override connect(): Promise<pg.Client>;
    override connect(done: (error: Error) => void): void;
    override connect(done?: (error: Error) => void): Promise<pg.Client> | void {
      const connecting = find().then(({ host, port }) => {
        this.host = host;
        this.port = port;
        return super.connect();
      });
      if (!done) return connecting;
      connecting.then(() => (done as () => void)(), done);
    }
  };
}

/**
 * Finds the first server that is not in recovery.
 * @throws Error that says of each server why it is not used; it looks like that of a failed connection
 */
async function findPrimary(servers: readonly PostgresServer[]): Promise<PostgresServer> {
  const reasons: string[] = [];
  for (const server of servers) {
    const reason = await whyNotPrimary(server);
    if (reason === null) return server;
    reasons.push(`${server.host}:${server.port}: ${reason}`);
  }
  throw Object.assign(new Error(reasons.join('; ')), { code: readOnlyCode });
}

/** Why a server cannot be used for writes; null when it can. */
async function whyNotPrimary({ url }: PostgresServer): Promise<string | null> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: probeTimeout, query_timeout: probeTimeout });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
    return rows[0]?.standby ? 'in recovery' : null;
  } catch (error) {
    const { message, code } = error as { message?: string; code?: string };
    return message || code || 'no answer';
  } finally {
    // A server that does not answer would not close the connection either.
    void client.end().catch(() => {});
  }
}
