import { Semaphore, FairSemaphore } from '../../../flow/shares.ts';
import { Unreachable } from '../reading/document.ts';
import type { Sleep } from './sleep.ts';

/** The numbers of pages that are fetched and read at the same time, for one host and for all hosts. */
const hostPlaces = 4;
const allPlaces = 16;

/** The longest wait that a host can ask for, and the longest sum of such waits, in milliseconds. */
const longestWait = 60_000;
const waitsMax = 10 * 60_000;

/** The number of times that a page is requested from a host that asks to wait. */
const attemptsMax = 10;

/** The pause between requests once a host has asked to wait, which doubles each time, in milliseconds. */
const firstPause = 250;
const longestPause = 5_000;

/** How long a host is remembered that asked to wait, and how many of them, after the last request to it. */
const rememberedFor = 10 * 60_000;
const rememberedMax = 1_000;

/** A host gets too many requests, and asks to wait. */
export class TooManyRequests {
  readonly status: number;
  /** In seconds. */
  readonly wait: number;

  constructor(status: number, wait: number) {
    this.status = status;
    this.wait = wait;
  }
}

/** The state of the requests to a host. */
interface Host {
  readonly places: Semaphore;
  /** The number of users of this entry: running or waiting work, and pauses that have not ended. */
  users: number;
  /** The end of the last pause, which the next request waits for. */
  paused: Promise<unknown>;
  /** The end of the last wait that the host asked for. */
  resumed: Promise<unknown>;
  /** How often the host asked to wait, for how long in all, and the pause between two requests since then, in milliseconds. */
  waits: number;
  waited: number;
  pause: number;
  /** When its last user left, in real time. */
  leftAt: number;
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
  readonly #realNow: () => number;

  constructor(sleep: Sleep, realNow: () => number) {
    this.#sleep = sleep;
    this.#realNow = realNow;
  }

  /** Runs work on a page of a host. It should include everything until the page is no longer in memory. */
  async run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    return await this.#within(name, ({ places }) => places.run(work));
  }

  /** Fetches and reads something for an account, when one of the places for all hosts is free. */
  async busy<Result>(account: string, work: () => Promise<Result>): Promise<Result> {
    return await this.#all.run(account, work);
  }

  /**
   * Sends a request to a host, again after each wait that the host asks for. The host then gets fewer requests.
   * @param milliseconds the pause between two requests that its robots.txt asks for, in real time
   * @throws Unreachable when it asks to wait too often or too long
   */
  async request<Result>(name: string, milliseconds: number, send: () => Promise<Result | TooManyRequests>): Promise<Result> {
    return await this.#within(name, async (host) => {
      for (let attempt = 1; ; attempt++) {
        await host.resumed;
        await this.#pause(name, host, Math.max(milliseconds, host.pause));
        const { waits } = host;
        const result = await send();
        if (!(result instanceof TooManyRequests)) return result;
        if (attempt === attemptsMax) throw asksToWait(result);
        // Requests that were on their way when the host first asked do not slow it down further.
        if (waits === host.waits) this.#slowDown(host, result);
      }
    });
  }

  /** Ends all pauses. */
  close(): void {
    this.#closing.abort();
  }

  /** Waits until the next request to a host may start. */
  async #pause(name: string, host: Host, milliseconds: number): Promise<void> {
    if (milliseconds <= 0) return;
    const before = host.paused;
    // The pause after the last request lasts although the host has no user.
    host.paused = this.#within(name, async () => {
      await before;
      await this.#wait(milliseconds);
    });
    await before;
  }

  #slowDown(host: Host, asked: TooManyRequests): void {
    const wait = Math.min(asked.wait * 1_000, longestWait);
    if (host.waited + wait > waitsMax) throw asksToWait(asked);
    host.waits++;
    host.waited += wait;
    host.pause = Math.min(Math.max(host.pause * 2, firstPause), longestPause);
    host.resumed = this.#wait(wait);
  }

  /** Waits in real time, or until the service stops. */
  async #wait(milliseconds: number): Promise<void> {
    await this.#sleep(milliseconds, this.#closing.signal).catch(() => {});
  }

  async #within<Result>(name: string, work: (host: Host) => Promise<Result>): Promise<Result> {
    const host = this.#hosts.get(name) ?? this.#enter(name);
    host.users++;
    try {
      return await work(host);
    } finally {
      host.users--;
      host.leftAt = this.#realNow();
      if (host.users === 0 && host.waits === 0) this.#hosts.delete(name);
    }
  }

  #enter(name: string): Host {
    const now = this.#realNow();
    for (const [each, { users, leftAt }] of this.#hosts)
      if (users === 0 && (leftAt + rememberedFor < now || this.#hosts.size > rememberedMax)) this.#hosts.delete(each);
    const ended = Promise.resolve();
    const host = { places: new Semaphore(hostPlaces), users: 0, paused: ended, resumed: ended, waits: 0, waited: 0, pause: 0, leftAt: now };
    this.#hosts.set(name, host);
    return host;
  }
}

function asksToWait({ status }: TooManyRequests): Unreachable {
  return new Unreachable(`The server gets too many requests: it answered ${status} and asked to wait. Try again later`);
}
