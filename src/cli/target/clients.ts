import { Client, type Trace, type Wait } from '../../client/client.ts';
import type { KeySource } from '../../client/errors.ts';
import { nextWindow, type RateWindow, readWindow, waitOf } from '../../client/rate-window.ts';
import type { Transport } from '../../client/transport.ts';
import { mask } from '../../contract/secret.ts';
import { version } from '../../version.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Notes } from '../output/notes.ts';
import { withSpinner } from '../output/spinner.ts';
import type { World } from '../world.ts';
import { proxyFor } from './proxy.ts';

/** How calls are made. */
export interface CallOptions {
  /** Whether to send nothing, and not open the embedded store. */
  readonly dryRun?: boolean;
  /** Sends every call once, without retries, and aborts it on this signal. */
  readonly signal?: AbortSignal | undefined;
}

/** Makes the clients of a command, which trace their requests and note their waits as its options say. */
export class Clients {
  readonly #world: World;
  readonly #globals: GlobalOptions;
  readonly #notes: Notes;
  readonly #options: CallOptions;
  readonly #leaving = new AbortController();
  #requests = 0;
  /** The values that traces do not show. */
  readonly #hidden = new Set<unknown>();
  /** The window of the rate limit as answers tell it, counted down with each request that is paced. */
  #window: RateWindow | null = null;
  #isPaced = false;
  /** The wait for the next window, while there is one. */
  #opening: Promise<void> | null = null;
  /** The ends of the last waits that were noted, in epoch milliseconds, by their causes. */
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
   * @param isOwn whether it is a server of this machine, which is never reached through a proxy
   * @throws CliError 2 when the environment names no valid proxy
   */
  async remoteTo(origin: string, isOwn = false): Promise<Transport> {
    const { remoteTransport } = await import('../../client/remote-transport.ts');
    const { env, deadline } = this.#world;
    const leaving = this.#leaving.signal;
    const signal = this.#options.signal ? AbortSignal.any([this.#options.signal, leaving]) : leaving;
    return await remoteTransport(origin, { signal, deadline, proxy: isOwn ? null : proxyFor(origin, env) });
  }

  /** Aborts the requests under way. Servers may still do what they ask for. */
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
      onTrace: this.#globals.debug ? (trace) => this.#notes.insist(describeTrace(trace, this.#hidden)) : undefined,
    });
  }

  /** Keeps a value, where it is the whole value of a field, out of the traces of requests. */
  hide(value: string): void {
    this.#hidden.add(value);
  }

  /** How many requests were sent. */
  get requests(): number {
    return this.#requests;
  }

  /** Makes later requests wait for the next window of the rate limit, instead of being refused when one is used up. */
  pace(): void {
    this.#isPaced = true;
  }

  /** How long further requests wait for the rate limit, at least, in milliseconds. */
  waitOf(requests: number): number {
    return waitOf(requests, this.#window, this.#world.now());
  }

  #counted(transport: Transport): Transport {
    return {
      ...transport,
      send: async (request) => {
        if (this.#isPaced) await this.#awaitWindow();
        this.#requests++;
        const response = await transport.send(request);
        this.#learn(readWindow(response.headers, this.#world.now()));
        return response;
      },
    };
  }

  /** Takes a place in the window of the rate limit. Requests that find it used up wait together for the next one. */
  async #awaitWindow(): Promise<void> {
    while (this.#window && this.#window.remaining <= 0)
      await (this.#opening ??= this.#openNext(this.#window).finally(() => (this.#opening = null)));
    if (this.#window) this.#window = { ...this.#window, remaining: this.#window.remaining - 1 };
  }

  async #openNext(used: RateWindow): Promise<void> {
    const milliseconds = used.resetsAt - this.#world.now();
    if (milliseconds > 0) {
      this.#noteWait('The rate limit is used up; going on', { milliseconds, isRateLimit: true });
      await this.#world.sleep(milliseconds);
    }
    this.#window = nextWindow(used, this.#world.now());
  }

  /** Answers of requests that were under way at once tell of one window in any order, and of its end in whole seconds. */
  #learn(told: RateWindow | null): void {
    if (!told) return;
    const later = this.#window ? told.resetsAt - this.#window.resetsAt : Infinity;
    if (later < -1_000) return;
    const remaining = Math.min(told.remaining, later <= 1_000 && this.#window ? this.#window.remaining : Infinity);
    this.#window = { ...told, remaining };
  }

  /** Notes a wait. Scripts see a wait for the rate limit too, in the output format they chose, because it can be long. */
  #noteWait(what: string, { milliseconds, isRateLimit }: Pick<Wait, 'milliseconds' | 'isRateLimit'>): void {
    // Calls under way at the same time wait together.
    const cause = isRateLimit ? 'rate limit' : what;
    const end = this.#world.now() + milliseconds;
    if (end < (this.#waits.get(cause) ?? -Infinity) + 1_000) return;
    this.#waits.set(cause, end);
    const seconds = Number((milliseconds / 1000).toFixed(1));
    const text = `${what} in ${seconds.toFixed(1)} s`;
    if (!isRateLimit || this.#globals.quiet) this.#notes.say(text);
    else this.#notes.insist(this.#globals.output === 'json' ? JSON.stringify({ event: 'waiting', message: text, seconds }) : text);
  }
}

function describeTrace({ method, path, body, status, answer, milliseconds }: Trace, hidden: ReadonlySet<unknown>): string {
  const text = (value: unknown) => JSON.stringify(value, (_name, inner: unknown) => (hidden.has(inner) ? mask : inner));
  const sent = body === undefined ? '' : `\n  sent ${text(body)}`;
  const received = answer === undefined || answer === null ? '' : `\n  received ${text(answer)}`;
  return `${method} ${path} -> ${status ?? 'no answer'} in ${Math.round(milliseconds)} ms${sent}${received}`;
}
