import { createHmac } from 'node:crypto';
import type { Change } from './plan.ts';
import { stableText } from '../values.ts';

/** Where the key for the digests of plans is. It is never in a plan, so that nobody can try out values who only has the plan. */
export interface PlanKey {
  /** The key; undefined if there is none yet. */
  readonly find: () => string | undefined;
  /** The key. Makes one if there is none. */
  readonly keep: () => string;
}

/** The digests of the secrets in a plan. Each one is valid only in its field of its record. */
export class Digests {
  readonly #key: string;
  /** Distinguishes the key from others. */
  readonly keyId: string;

  constructor(key: string) {
    this.#key = key;
    this.keyId = this.#hmac(['key']).slice(0, 16);
  }

  /** The digest of a value in a field of a change. */
  of({ kind, name }: Pick<Change, 'kind' | 'name'>, field: string, value: string): string {
    return this.#hmac(['value', kind, stableText(name), field, value]);
  }

  #hmac(parts: readonly string[]): string {
    return createHmac('sha256', this.#key).update(JSON.stringify(parts)).digest('hex');
  }
}
