import type { TransportRequest } from './transport.ts';

/** Chooses the idempotency keys of requests. */
export interface RequestKeys {
  next(request: Pick<TransportRequest, 'method' | 'path' | 'body'>): string;
}

/** How long a service knows the key of a request at least, in milliseconds. Its clock may be a little ahead. */
export const keptFor = 23 * 3_600_000;

/** Loaded with the first key: a read needs none. */
const crypto = () => process.getBuiltinModule('node:crypto');

/** A new key for each request. */
export const newKeys: RequestKeys = { next: () => crypto().randomUUID() };

/**
 * Keys that are the same when a command runs again: of the seed, the request, and how many like it came before. So another request never
 * gets the key of one that was sent.
 */
export class SeededKeys implements RequestKeys {
  readonly #seed: string;
  readonly #counts = new Map<string, number>();

  constructor(seed: string) {
    this.#seed = seed;
  }

  next({ method, path, body = '' }: Pick<TransportRequest, 'method' | 'path' | 'body'>): string {
    const request = crypto().createHash('sha256').update(`${method} ${path}\n`).update(body).digest('base64url').slice(0, 22);
    const count = (this.#counts.get(request) ?? 0) + 1;
    this.#counts.set(request, count);
    return `${this.#seed}.${request}.${count}`;
  }
}
