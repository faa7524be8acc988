import type { Outbound } from '../../network/outbound.ts';
import { type CallOutcome, failedCall } from '../functions/outcome.ts';
import type { Connection, Failure } from './connection.ts';
import type { Tool, ToolServer } from './table.ts';

declare module '../../parts.ts' {
  interface Parts {
    readonly toolServers: ToolServers;
  }
}

/** How long a refresh, and a call, may take with everything that belongs to them, in milliseconds of real time. */
const refreshTime = 10_000;
const callTime = 15_000;

/** How long a connection is kept after its last use, in milliseconds of real time. */
const idleTime = 60_000;

/** The most connections that are kept. */
const keptMax = 100;

/** A connection that is kept for a while. */
interface Kept {
  /** The address and headers that it was opened with. */
  readonly key: string;
  readonly opened: Promise<Connection | Failure>;
  readonly timer: NodeJS.Timeout;
}

/** What tool servers are asked for. */
export interface ToolServers {
  /** Reads the tools of a server (rule tool-servers.4). */
  readTools(server: ToolServer): Promise<{ readonly tools: readonly Tool[] } | Failure>;
  /** Calls a tool of a server. @param within aborts the call when the answer is out of time */
  call(server: ToolServer, tool: string, given: Readonly<Record<string, unknown>>, within?: AbortSignal): Promise<CallOutcome>;
  /** Ends all sessions, and what is being called. */
  close(): Promise<void>;
}

/** The connections to tool servers: one for each server. */
export class Connections implements ToolServers {
  readonly #outbound: Outbound;
  readonly #version: string;
  /** By the id of the server, the one that was used last at the end. */
  readonly #kept = new Map<string, Kept>();
  readonly #closing = new AbortController();

  constructor(outbound: Outbound, version: string) {
    this.#outbound = outbound;
    this.#version = version;
  }

  async readTools(server: ToolServer): Promise<{ readonly tools: readonly Tool[] } | Failure> {
    return await this.#use(server, AbortSignal.timeout(refreshTime), (connection, signal) => connection.readTools(signal));
  }

  async call(server: ToolServer, tool: string, given: Readonly<Record<string, unknown>>, within?: AbortSignal): Promise<CallOutcome> {
    const limits = [AbortSignal.timeout(callTime), ...(within ? [within] : [])];
    return await this.#use(server, AbortSignal.any(limits), (connection, signal) => connection.call(tool, given, signal));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#kept.keys()].map((id) => this.#drop(id)));
  }

  async #use<Result>(
    server: ToolServer,
    limit: AbortSignal,
    use: (connection: Connection, signal: AbortSignal) => Promise<Result | Failure>,
  ): Promise<Result | Failure> {
    const signal = AbortSignal.any([limit, this.#closing.signal]);
    const connection = await this.#connect(server, signal);
    if ('ok' in connection) return connection;
    const result = await use(connection, signal);
    const { session = 'kept' } = result as Partial<Failure>;
    if (session !== 'kept' && (await this.#kept.get(server.id)?.opened) === connection) void this.#drop(server.id);
    if (session !== 'unknown') return result;
    const again = await this.#connect(server, signal);
    return 'ok' in again ? again : await use(again, signal);
  }

  /** The connection to a server, which is opened unless it is kept. Opening goes on for others when one caller is out of time. */
  async #connect(server: ToolServer, signal: AbortSignal): Promise<Connection | Failure> {
    const { id, url, headers } = server;
    const key = JSON.stringify([url, headers]);
    const kept = this.#kept.get(id);
    const opened = kept?.key === key ? kept.opened : this.#open(server);
    if (kept && kept.opened !== opened) void this.#drop(id);
    this.#keep(id, key, opened);
    const connection = await Promise.race([opened, outOfTime(signal)]);
    if ('ok' in connection && !signal.aborted && this.#kept.get(id)?.opened === opened) void this.#drop(id);
    return connection;
  }

  /** Keeps a connection for a while from now on. */
  #keep(id: string, key: string, opened: Kept['opened']): void {
    clearTimeout(this.#kept.get(id)?.timer);
    this.#kept.delete(id);
    const timer = setTimeout(() => void this.#drop(id), idleTime).unref();
    this.#kept.set(id, { key, opened, timer });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > keptMax && oldest !== undefined) void this.#drop(oldest);
  }

  async #open(server: ToolServer): Promise<Connection | Failure> {
    const signal = AbortSignal.any([AbortSignal.timeout(callTime), this.#closing.signal]);
    try {
      // The client of the protocol is loaded with the first call, because most commands make none.
      const [{ Connection: Opened }, http] = await Promise.all([import('./connection.ts'), this.#outbound.client()]);
      const connection = new Opened(server, http, this.#version);
      return (await connection.open(signal)) ?? connection;
    } catch {
      return failedCall('connection_failed') as Failure;
    }
  }

  /** Ends the connection to a server. From now on, another one is opened. */
  async #drop(id: string): Promise<void> {
    const kept = this.#kept.get(id);
    if (!kept) return;
    clearTimeout(kept.timer);
    this.#kept.delete(id);
    const connection = await kept.opened;
    if (!('ok' in connection)) await connection.close();
  }
}

/** The failure of a call that is out of time, once it is. */
async function outOfTime(signal: AbortSignal): Promise<Failure> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  return failedCall('timeout') as Failure;
}
