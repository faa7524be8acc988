/**
 * Lets long work take turns. The work is divided into steps, and each turn of the event loop runs one step of all such
 * work, so that the other requests are served in between, however much long work there is.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** Resolves in a turn that no other step takes. Call it before each step, also before the first. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(() => this.#run());
    });
  }

  #run(): void {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(() => this.#run());
  }
}
