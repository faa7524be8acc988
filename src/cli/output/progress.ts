import type { Output, World } from '../world.ts';

const barWidth = 24;

/** How often it is drawn at the most, in milliseconds. */
const drawInterval = 100;

/** A progress bar on stderr, of a terminal alone: elsewhere nothing is drawn. */
export class Progress {
  readonly #stream: Output;
  readonly #now: () => number;
  readonly #isShown: boolean;
  #drawnAt = -Infinity;
  #isDrawn = false;

  constructor({ stderr, env, now }: World, quiet: boolean) {
    this.#stream = stderr;
    this.#now = now;
    this.#isShown = stderr.isTTY === true && !quiet && env.TERM !== 'dumb';
  }

  /** @param share how much is done, from 0 to 1; null where nobody knows how much there is */
  show(share: number | null, text: string): void {
    if (!this.#isShown || this.#now() - this.#drawnAt < drawInterval) return;
    this.#drawnAt = this.#now();
    this.#isDrawn = true;
    const done = Math.round((share ?? 0) * barWidth);
    const bar =
      share === null ? '' : `[${'█'.repeat(done)}${'░'.repeat(barWidth - done)}] ${String(Math.floor(share * 100)).padStart(3)} %  `;
    this.#stream.write(`\r\u001b[K${(bar + text).slice(0, (this.#stream.columns ?? 80) - 1)}`);
  }

  /** Takes the bar away, so that something else can be printed. */
  clear(): void {
    if (this.#isDrawn) this.#stream.write('\r\u001b[K');
    this.#isDrawn = false;
    this.#drawnAt = -Infinity;
  }
}
