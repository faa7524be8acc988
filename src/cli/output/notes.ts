import type { Output } from '../world.ts';

/** What is said to the person beside the data: on stderr, and not at all with `--quiet`. */
export class Notes {
  readonly #stderr: Output;
  readonly #quiet: boolean;

  constructor(stderr: Output, quiet: boolean) {
    this.#stderr = stderr;
    this.#quiet = quiet;
  }

  say(text: string): void {
    if (!this.#quiet) this.#stderr.write(`${text}\n`);
  }
}
