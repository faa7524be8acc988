import { Semaphore, FairSemaphore } from '../../../semaphore.ts';
import type { Sleep } from '../../../sleep.ts';

/** The number of pages of one host, and of all hosts, that are fetched and read at a time. */
const hostPlaces = 4;
const allPlaces = 16;

/** What is known about the requests to a host. */
interface Host {
  readonly places: Semaphore;
  /** How much work on it is begun or waits, and how many pauses have not ended. */
  users: number;
  /** The end of the last pause, which the next request waits for. */
  paused: Promise<void>;
}

/**
 * Lets the pages of a host take turns: a few at a time, and one after the other with a pause where the host asks for it.
 * What is being fetched and read also has a place among all hosts; who only waits for a pause has none.
 */
export class HostTurns {
  readonly #hosts = new Map<string, Host>();
  readonly #all = new FairSemaphore(allPlaces);
  readonly #closing = new AbortController();
  readonly #sleep: Sleep;

  constructor(sleep: Sleep) {
    this.#sleep = sleep;
  }

  /** Runs work on a page of a host: all that is done with it until nothing of it is held any more. */
  async run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const host = this.#enter(name);
    try {
      return await host.places.run(work);
    } finally {
      this.#leave(name, host);
    }
  }

  /** Fetches and reads something for an account, when there is a place for it among all hosts. */
  async busy<Result>(account: string, work: () => Promise<Result>): Promise<Result> {
    return await this.#all.run(account, work);
  }

  /** Waits until the next request to a host may begin. @param milliseconds the pause between two requests, in real time */
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
