/**
 * Lets calls for the same key share one read. A call that arrives during a read gets the next one, so that it sees
 * every commit before the call.
 */
export class SharedReads<Result> {
  readonly #read: (key: string) => Promise<Result>;
  readonly #running = new Map<string, Promise<Result>>();
  readonly #next = new Map<string, Promise<Result>>();

  constructor(read: (key: string) => Promise<Result>) {
    this.#read = read;
  }

  /** Reads the value of a key. */
  get(key: string): Promise<Result> {
    const running = this.#running.get(key);
    if (!running) return this.#start(key);
    let next = this.#next.get(key);
    if (!next) {
      next = running.then(
        () => this.#startNext(key),
        () => this.#startNext(key),
      );
      this.#next.set(key, next);
    }
    return next;
  }

  #startNext(key: string): Promise<Result> {
    this.#next.delete(key);
    return this.#start(key);
  }

  #start(key: string): Promise<Result> {
    const reading = this.#read(key).finally(() => {
      if (this.#running.get(key) === reading) this.#running.delete(key);
    });
    this.#running.set(key, reading);
    return reading;
  }
}
