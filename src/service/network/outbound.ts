import type { lookup as systemLookup } from 'node:dns';
import type { AddressRules } from './address-rules.ts';
import { type PrivateAddresses, type Resolve, resolveName } from './addresses.ts';
import type { GuardedAnswer, GuardedClient, GuardedRequest } from './guarded-client.ts';

/** Options for the connections to addresses that users enter. */
export interface ReceiverOptions {
  /** Which private addresses may be used, and whether plain http. */
  readonly allowPrivate: PrivateAddresses;
  /** Resolves host names when addresses are saved; by default, the system's resolver. */
  readonly resolve?: Resolve;
  /** The time limit of a delivery, in milliseconds; 10 seconds by default (rule webhooks.45). */
  readonly timeout?: number;
}

/** Calls addresses that users enter: the receivers of webhooks, custom functions and tool servers. */
export class Outbound implements AddressRules {
  readonly allowPrivate: PrivateAddresses;
  readonly resolve: Resolve;
  /** The time limit of a delivery, in milliseconds. */
  readonly timeout: number;
  readonly #lookup: typeof systemLookup | undefined;
  #client: Promise<GuardedClient> | undefined;

  /** @param lookup resolves names for connections; by default, the system's resolver */
  constructor({ allowPrivate, resolve = resolveName, timeout = 10_000 }: ReceiverOptions, lookup?: typeof systemLookup) {
    this.allowPrivate = allowPrivate;
    this.resolve = resolve;
    this.timeout = timeout;
    this.#lookup = lookup;
  }

  /** See `GuardedClient.send`. */
  async send(request: GuardedRequest): Promise<GuardedAnswer> {
    return await (await this.client()).send(request);
  }

  /** The HTTP client. It is loaded with the first call, because most commands make none. */
  async client(): Promise<GuardedClient> {
    return await (this.#client ??= import('./guarded-client.ts').then(
      ({ GuardedClient: Client }) => new Client(this.allowPrivate, this.#lookup),
    ));
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    await (await this.#client)?.close();
  }
}
