/** Aborts a signal when a text says nothing for a time, as when the network is gone without a word. */
export class SilenceLimit {
  readonly #controller = new AbortController();
  readonly #milliseconds: number;
  #timer: NodeJS.Timeout | undefined;

  /** @param milliseconds the longest silence */
  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Passes a text on. The time begins anew with each part of it. */
  async *watch(text: AsyncIterable<string>): AsyncGenerator<string> {
    this.#begin();
    for await (const part of text) {
      this.#begin();
      yield part;
    }
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(), this.#milliseconds);
  }
}
