import { Semaphore, FairSemaphore } from '../../../semaphore.ts';
import type { Sleep } from './sleep.ts';

/** The numbers of pages that are fetched and read at the same time, for one host and for all hosts. */
const hostPlaces = 4;
const allPlaces = 16;

/** The state of the requests to a host. */
interface Host {
  readonly places: Semaphore;
  /** The number of users of this entry: running or waiting work, and pauses that have not ended. */
  users: number;
  /** The end of the last pause, which the next request waits for. */
  paused: Promise<void>;
}

/**
 * Limits requests to hosts: a few pages of a host at a time, with pauses in between if the host asks for them. Fetching and
 * reading a page also takes one of the places for all hosts. Waiting for a pause takes none.
 */
export class HostLimits {
  readonly #hosts = new Map<string, Host>();
  readonly #all = new FairSemaphore(allPlaces);
  readonly #closing = new AbortController();
  readonly #sleep: Sleep;

  constructor(sleep: Sleep) {
    this.#sleep = sleep;
  }

  /** Runs work on a page of a host. It should include everything until the page is no longer in memory. */
  async run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const host = this.#enter(name);
    try {
      return await host.places.run(work);
    } finally {
      this.#leave(name, host);
    }
  }

  /** Fetches and reads something for an account, when one of the places for all hosts is free. */
  async busy<Result>(account: string, work: () => Promise<Result>): Promise<Result> {
    return await this.#all.run(account, work);
  }

  /** Waits until the next request to a host may start. @param milliseconds the pause between two requests, in real time */
  async pause(name: string, milliseconds: number): Promise<void> {
    if (milliseconds <= 0) return;
    const host = this.#enter(name);
    const before = host.paused;
    host.paused = before
      .then(() => this.#sleep(milliseconds, this.#closing.signal))
      .catch(() => {})
      .then(() => this.#leave(name, host));
    await before;
  }

  /** Ends all pauses. */
  close(): void {
    this.#closing.abort();
  }

  #enter(name: string): Host {
    let host = this.#hosts.get(name);
    if (!host) this.#hosts.set(name, (host = { places: new Semaphore(hostPlaces), users: 0, paused: Promise.resolve() }));
    host.users++;
    return host;
  }

  #leave(name: string, host: Host): void {
    host.users--;
    if (host.users === 0) this.#hosts.delete(name);
  }
}
