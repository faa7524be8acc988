import type { Output, World } from '../world.ts';
import { showsUnicode, widthOf } from './screen.ts';

const barWidth = 24;

/** The minimum time between two drawings, in milliseconds. */
const drawInterval = 100;

/** A progress bar on stderr, drawn only on a terminal. */
export class Progress {
  readonly #stream: Output;
  readonly #now: () => number;
  readonly #isShown: boolean;
  readonly #isUnicode: boolean;
  #drawnAt = -Infinity;
  #isDrawn = false;

  constructor({ stderr, env, now }: World, quiet: boolean) {
    this.#stream = stderr;
    this.#now = now;
    this.#isUnicode = showsUnicode(env);
    this.#isShown = stderr.isTTY === true && !quiet && env.TERM !== 'dumb';
  }

  /** @param share the share that is done, from 0 to 1; null when the total is unknown */
  show(share: number | null, text: string): void {
    if (!this.#isShown || this.#now() - this.#drawnAt < drawInterval) return;
    this.#drawnAt = this.#now();
    this.#isDrawn = true;
    const done = Math.round((share ?? 0) * barWidth);
    const [full, empty] = this.#isUnicode ? ['█', '░'] : ['#', '.'];
    const bar =
      share === null ? '' : `[${full.repeat(done)}${empty.repeat(barWidth - done)}] ${String(Math.floor(share * 100)).padStart(3)} %  `;
    this.#stream.write(`\r\u001b[K${(bar + text).slice(0, widthOf(this.#stream) - 1)}`);
  }

  /** Removes the bar before other output. */
  clear(): void {
    if (this.#isDrawn) this.#stream.write('\r\u001b[K');
    this.#isDrawn = false;
    this.#drawnAt = -Infinity;
  }
}
