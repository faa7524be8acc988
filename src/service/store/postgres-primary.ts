import pg from 'pg';
import type { PostgresServer } from './postgres-address.ts';
import { describeStoreError } from './store-errors.ts';

/** The timeout of the check whether a server accepts writes, in milliseconds. */
const probeTimeout = 3_000;

/** PostgreSQL's error code for a write on a read-only server: read_only_sql_transaction. */
export const readOnlyCode = '25006';

/**
 * The pool options to connect to the first of several servers that is not in recovery. The servers are tried in order for each
 * new connection, so that new connections find the promoted server after a failover. `pg` itself supports only one server.
 */
export function connectionTo(servers: readonly PostgresServer[]): pg.PoolConfig {
  const connectionString = servers[0]?.url;
  return servers.length === 1 ? { connectionString } : { connectionString, Client: primaryClient(servers) };
}

/**
 * Discards connections whose server refused a write because it is read-only: such a server is not, or no longer, the primary.
 * Otherwise the pool would keep the connection, because only a statement was refused.
 */
export function discardReadOnly(pool: pg.Pool): void {
  const refused = new WeakSet<pg.ClientBase>();
  pool.on('connect', (client) =>
    (client as unknown as pg.Client).connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === readOnlyCode) refused.add(client);
    }),
  );
  // The pool removes a client that is ending when the client is released.
  pool.on('release', (_error, client) => {
    if (refused.has(client)) void client.end();
  });
}

/** The client class of a pool that connects to the primary. */
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
 * @throws Error with the reason for each server why it is not used
 */
async function findPrimary(servers: readonly PostgresServer[]): Promise<PostgresServer> {
  const reasons: string[] = [];
  for (const server of servers) {
    const reason = await whyNotPrimary(server);
    if (reason === null) return server;
    reasons.push(`${server.host}:${server.port}: ${reason}`);
  }
  throw new NoPrimary(reasons.join('; '));
}

/** No server takes changes. It has the form of a connection error. */
export class NoPrimary extends Error {
  readonly code = readOnlyCode;
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
    return describeStoreError(error);
  } finally {
    // Not awaited, because a server that does not respond would not close the connection either.
    void client.end().catch(() => {});
  }
}
