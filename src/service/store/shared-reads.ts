/** Reads the values of some keys. @returns a function that returns the value of each key */
type ReadAll<Result> = (keys: readonly string[]) => Promise<(key: string) => Result>;

/**
 * Lets concurrent calls share one read of all their keys. A call that arrives during a read joins the next one, so that it sees
 * every commit made before the call.
 */
export class SharedReads<Result> {
  readonly #read: ReadAll<Result>;
  /** The end of the latest read that has started. */
  #ended: Promise<void> = Promise.resolve();
  #next: { readonly keys: Set<string>; readonly values: Promise<(key: string) => Result> } | undefined;

  constructor(read: ReadAll<Result>) {
    this.#read = read;
  }

  /** Reads the value of a key. */
  async get(key: string): Promise<Result> {
    const next = (this.#next ??= this.#plan());
    next.keys.add(key);
    return (await next.values)(key);
  }

  /** Plans a read that starts after the latest one and includes all keys added until then. */
  #plan() {
    const keys = new Set<string>();
    const values = this.#ended.then(() => {
      this.#next = undefined;
      const reading = this.#read([...keys]);
      this.#ended = reading.then(
        () => {},
        () => {},
      );
      return reading;
    });
    return { keys, values };
  }
}
