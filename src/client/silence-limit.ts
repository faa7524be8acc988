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

  /** Passes a text on. The time begins anew when the next part of it is wanted: a reader may be slow. */
  async *watch(text: AsyncIterable<string>): AsyncGenerator<string> {
    this.#begin();
    for await (const part of text) {
      this.end();
      yield part;
      this.#begin();
    }
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #begin(): void {
    this.#timer = setTimeout(() => this.#controller.abort(), this.#milliseconds);
  }
}
