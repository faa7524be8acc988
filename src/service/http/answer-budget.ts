import type { Endpoint } from '../../contract/endpoint.ts';
import { ApiError } from '../errors.ts';

/** The bytes that all answers in progress may hold. */
const budgetBytes = 64 * 1024 * 1024;

/** Beyond the budget, accounts that hold nothing are let in until all answers hold this many times as much. */
const reserve = 4;

/** How long a request waits for others to be answered, in milliseconds. */
const patience = 5_000;

/** What an answer that can be large counts until its rows are read, if nothing is known of it. */
const unknownBytes = 4 * 1024 * 1024;

/** Answers that are smaller are not remembered. */
const largeBytes = 64 * 1024;

/** How long the size of an answer is remembered, in seconds, and of how many. */
const rememberedFor = 60;
const rememberedMax = 1_000;

/** Whether the answers of an endpoint can be large. */
function canBeLarge({ rows, hasLargeAnswer }: Endpoint): boolean {
  return rows !== undefined || hasLargeAnswer === true;
}

/** An answer in progress. */
export interface AnswerPlace {
  /** Whether it may well be large: recent ones were, or it is of an endpoint of which nothing is known. */
  readonly isLarge: boolean;
  /** Sets what it counts, once its rows are read. @param bytes the size of its text */
  readonly weigh: (bytes: number) => void;
  /** Ends it: the answer was sent, or failed. Can be called again. */
  readonly leave: () => void;
}

/** A request that waits for its place. */
interface Waiting {
  readonly account: string;
  readonly enter: () => void;
}

/**
 * Bounds the memory that answers hold from the reading of their rows until they are sent. Until it is weighed, an answer counts what
 * the largest recent one of its endpoint for the account did. Beyond the bound, requests wait. Accounts share it fairly: an account
 * gets another place while it holds less than three times of what is free, so that one that does not read its answers leaves the rest
 * to others; and an account that holds nothing is let in even then.
 */
export class AnswerBudget {
  readonly #total: number;
  readonly #patience: number;
  #held = 0;
  readonly #byAccount = new Map<string, number>();
  /** The sizes of the largest recent answers, by account and endpoint, with when they were made. */
  readonly #remembered = new Map<string, { readonly bytes: number; readonly at: number }>();
  readonly #waiting = new Set<Waiting>();

  /** @param wait how long a request waits, in milliseconds */
  constructor(total = budgetBytes, wait = patience) {
    this.#total = total;
    this.#patience = wait;
  }

  /**
   * Waits for a place for an answer.
   * @param account an agency with its sub-accounts counts as one
   * @throws ApiError 503 when there was none for five seconds
   */
  async enter(account: string, spec: Endpoint): Promise<AnswerPlace> {
    if (!this.#mayEnter(account)) await this.#wait(account);
    const key = `${account} ${spec.name}`;
    const recent = this.#recent(key);
    const isLarge = (recent ?? 0) >= largeBytes || (recent === undefined && spec.hasLargeAnswer === true);
    let counted = recent ?? (canBeLarge(spec) ? unknownBytes : 0);
    this.#add(account, counted);
    const count = (bytes: number) => {
      this.#add(account, bytes - counted);
      counted = bytes;
    };
    return {
      isLarge,
      weigh: (bytes) => {
        count(bytes);
        this.#remember(key, bytes);
      },
      leave: () => {
        if (counted === 0) return;
        count(0);
        this.#admit();
      },
    };
  }

  #mayEnter(account: string): boolean {
    const held = this.#byAccount.get(account) ?? 0;
    if (held === 0) return this.#held < reserve * this.#total;
    return held < 3 * (this.#total - this.#held);
  }

  async #wait(account: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { account, enter: resolve };
    this.#waiting.add(waiting);
    const late = setTimeout(() => {
      const message = 'The service is answering too many large requests; try again';
      reject(new ApiError(503, message, {}, { 'retry-after': '1' }));
    }, this.#patience).unref();
    try {
      await promise;
    } finally {
      clearTimeout(late);
      this.#waiting.delete(waiting);
    }
  }

  /** Lets the first request in that may enter. When it holds its place, it may let the next one in. */
  #admit(): void {
    for (const waiting of this.#waiting) {
      if (!this.#mayEnter(waiting.account)) continue;
      this.#waiting.delete(waiting);
      waiting.enter();
      setImmediate(() => this.#admit());
      return;
    }
  }

  #add(account: string, bytes: number): void {
    this.#held += bytes;
    const held = (this.#byAccount.get(account) ?? 0) + bytes;
    if (held > 0) this.#byAccount.set(account, held);
    else this.#byAccount.delete(account);
  }

  #recent(key: string): number | undefined {
    const remembered = this.#remembered.get(key);
    return remembered && process.uptime() - remembered.at < rememberedFor ? remembered.bytes : undefined;
  }

  #remember(key: string, bytes: number): void {
    const before = this.#recent(key) ?? 0;
    if (bytes < before) return;
    this.#remembered.delete(key);
    if (bytes < largeBytes) return;
    this.#remembered.set(key, { bytes, at: process.uptime() });
    if (this.#remembered.size > rememberedMax) for (const oldest of this.#remembered.keys()) return void this.#remembered.delete(oldest);
  }
}
