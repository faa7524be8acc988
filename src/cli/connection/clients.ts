import { Client } from '../../client/client.ts';
import type { Trace, Wait } from '../../client/sender.ts';
import type { KeySource } from '../../client/errors.ts';
import { nextWindow, type RateWindow, readWindow, waitOf } from '../../client/rate-window.ts';
import type { Transport } from '../../client/transport.ts';
import { mask } from '../../contract/secret.ts';
import { version } from '../../version.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Notes } from '../output/notes.ts';
import { withSpinner } from '../output/spinner.ts';
import { canAsk, type World } from '../world.ts';
import { proxyFor } from './proxy.ts';

/** Options for calls. */
export interface CallOptions {
  /** Whether to send no requests and not open the embedded store. */
  readonly dryRun?: boolean;
  /** Aborts calls. With a signal, calls are not retried. */
  readonly signal?: AbortSignal | undefined;
}

/** Creates the clients of a command. They trace requests and report waits according to the global options. */
export class Clients {
  readonly #world: World;
  readonly #globals: GlobalOptions;
  readonly #notes: Notes;
  readonly #options: CallOptions;
  readonly #leaving = new AbortController();
  #requests = 0;
  /** Values to omit from traces. */
  readonly #hidden = new Set<unknown>();
  /** The rate limit window from the latest responses. While pacing, it is counted down with each request. */
  #window: RateWindow | null = null;
  #isPaced = false;
  /** The pending wait for the next window, if there is one. */
  #opening: Promise<void> | null = null;
  /** When the last reported wait for each cause ends, in epoch milliseconds. */
  readonly #waits = new Map<string, number>();

  constructor(world: World, globals: GlobalOptions, notes: Notes, options: CallOptions) {
    this.#world = world;
    this.#globals = globals;
    this.#notes = notes;
    this.#options = options;
  }

  /**
   * A transport to a server.
   * @param origin such as `http://127.0.0.1:4600`
   * @param isOwn whether the server runs on this machine, so that no proxy is used
   * @throws CliError 2 if the environment has an invalid proxy
   */
  async remoteTo(origin: string, isOwn = false): Promise<Transport> {
    const { remoteTransport } = await import('../../client/remote-transport.ts');
    const { env, deadline } = this.#world;
    const signal = anyOf([this.#options.signal, this.#world.cancelled, this.#leaving.signal]);
    return await remoteTransport(origin, { signal, deadline, proxy: isOwn ? null : proxyFor(origin, env) });
  }

  /** Aborts outstanding requests. Servers may still carry them out. */
  leave(): void {
    this.#leaving.abort();
  }

  make(transport: Transport, key: string, keySource: KeySource, subAccountId?: string): Client {
    const { sleep, random, now } = this.#world;
    const { dryRun = false, signal } = this.#options;
    return new Client({
      transport: this.#counted(withSpinner(transport, this.#world, this.#globals)),
      dryRun,
      retries: signal === undefined,
      key,
      keySource,
      subAccountId,
      userAgent: `msgctl/${version}`,
      sleep,
      random,
      now,
      onRetry: (wait) => this.#noteWait(`${wait.reason}; trying again`, wait),
      onTrace: this.#globals.debug ? (trace) => this.#notes.always(describeTrace(trace, this.#hidden)) : undefined,
    });
  }

  /** Omits a value from traces wherever it is the complete value of a field. */
  hide(value: string): void {
    this.#hidden.add(value);
  }

  /** Number of requests that were sent. */
  get requests(): number {
    return this.#requests;
  }

  /** Makes subsequent requests wait for the next rate limit window instead of being rejected. */
  pace(): void {
    this.#isPaced = true;
  }

  /** Minimum time that further requests wait for the rate limit, in milliseconds. */
  waitOf(requests: number): number {
    return waitOf(requests, this.#window, this.#world.now());
  }

  #counted(transport: Transport): Transport {
    return {
      ...transport,
      send: async (request) => {
        if (this.#isPaced) await this.#awaitWindow();
        this.#requests++;
        this.#world.cancelled?.throwIfAborted();
        const response = await transport.send(request);
        this.#world.onProgress?.(undefined);
        this.#learn(readWindow(response.headers, this.#world.now()));
        return response;
      },
    };
  }

  /** Counts a request in the rate limit window. If the window is used up, all requests wait together for the next one. */
  async #awaitWindow(): Promise<void> {
    while (this.#window && this.#window.remaining <= 0)
      await (this.#opening ??= this.#openNext(this.#window).finally(() => (this.#opening = null)));
    if (this.#window) this.#window = { ...this.#window, remaining: this.#window.remaining - 1 };
  }

  async #openNext(used: RateWindow): Promise<void> {
    const milliseconds = used.resetsAt - this.#world.now();
    if (milliseconds > 0) {
      this.#noteWait('The rate limit is used up; continuing', { milliseconds, isRateLimit: true });
      await this.#world.sleep(milliseconds);
    }
    this.#window = nextWindow(used, this.#world.now());
  }

  /**
   * Updates the window from a response. Responses to concurrent requests can describe the same window in any order, with its
   * end in whole seconds.
   */
  #learn(told: RateWindow | null): void {
    if (!told) return;
    const later = this.#window ? told.resetsAt - this.#window.resetsAt : Infinity;
    if (later < -1_000) return;
    const remaining = Math.min(told.remaining, later <= 1_000 && this.#window ? this.#window.remaining : Infinity);
    this.#window = { ...told, remaining };
  }

  /**
   * Reports a wait. Waits for the rate limit can be long, so they are also reported to scripts, in their output format, and with
   * `--quiet` to a person, who would not know why nothing happens, and could answer a question that is not asked yet.
   */
  #noteWait(what: string, { milliseconds, isRateLimit }: Pick<Wait, 'milliseconds' | 'isRateLimit'>): void {
    // Concurrent calls wait together, so the wait is reported once.
    const cause = isRateLimit ? 'rate limit' : what;
    const end = this.#world.now() + milliseconds;
    if (end < (this.#waits.get(cause) ?? -Infinity) + 1_000) return;
    this.#waits.set(cause, end);
    const seconds = Number((milliseconds / 1000).toFixed(1));
    const text = `${what} in ${seconds.toFixed(1)} s`;
    const isMuted = this.#globals.quiet && (this.#globals.yes || !canAsk(this.#world));
    if (!isRateLimit || isMuted) this.#notes.say(text);
    else if (this.#globals.output === 'json') this.#notes.event({ event: 'waiting', message: text, seconds });
    else this.#notes.always(text);
  }
}

function anyOf(signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length === 1 ? (given[0] as AbortSignal) : AbortSignal.any(given);
}

function describeTrace({ method, path, body, status, requestId, answer, milliseconds }: Trace, hidden: ReadonlySet<unknown>): string[] {
  const text = (value: unknown) => JSON.stringify(value, (_name, inner: unknown) => (hidden.has(inner) ? mask : inner));
  const sent = body === undefined ? [] : `  sent ${text(body)}`;
  const received = answer === undefined || answer === null ? [] : `  received ${text(answer)}`;
  const request = requestId === undefined ? '' : `, request ${requestId}`;
  return [`${method} ${path} -> ${status ?? 'no answer'} in ${Math.round(milliseconds)} ms${request}`, sent, received].flat();
}
