/**
 * Lets those who ask for the same at the same time share one reading. Who asks while one is under way gets the next: so
 * what is read was committed before, or after, it was asked for, and never earlier than that.
 */
export class SharedReads<Result> {
  readonly #read: (key: string) => Promise<Result>;
  readonly #running = new Map<string, Promise<Result>>();
  readonly #next = new Map<string, Promise<Result>>();

  constructor(read: (key: string) => Promise<Result>) {
    this.#read = read;
  }

  /** Reads what is kept under a key, with whoever asks for it too. */
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
