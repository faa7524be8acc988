import { Writable } from 'node:stream';
import type { Output } from '../world.ts';

/** Collects output in memory. Reports the width of the terminal for which it is, if there is one. */
export class Collector extends Writable {
  readonly #terminal: Output | undefined;
  #text = '';

  constructor(terminal?: Output) {
    super();
    this.#terminal = terminal;
  }

  get isTTY(): boolean {
    return this.#terminal !== undefined;
  }

  get columns(): number | undefined {
    return this.#terminal?.columns;
  }

  /** Returns the text written since the last call. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#text += chunk.toString();
    done();
  }
}
