import { terminalText } from './cell.ts';
import type { Output, World } from '../world.ts';
import { showsUnicode, widthOf } from './screen.ts';

const barWidth = 24;

/** The minimum time between two drawings, in milliseconds. */
const drawInterval = 100;

/** The streams on which a bar is drawn. */
const drawnOn = new WeakSet<Output>();

/** Whether a progress bar is drawn on a stream: a spinner would be drawn across it. */
export function showsProgress(stream: Output): boolean {
  return drawnOn.has(stream);
}

/** A part of what is done, with a bar of its own. */
export interface ProgressPart {
  /** From 0 to 1. */
  readonly share: number;
  readonly text: string;
}

/** A progress bar on stderr, drawn only on a terminal. */
export class Progress {
  readonly #stream: Output;
  readonly #now: () => number;
  readonly #isShown: boolean;
  readonly #isUnicode: boolean;
  #drawnAt = -Infinity;
  #isDrawn = false;
  /** How many lines are drawn above the last one. */
  #above = 0;

  constructor({ stderr, env, now }: World, quiet: boolean) {
    this.#stream = stderr;
    this.#now = now;
    this.#isUnicode = showsUnicode(env);
    this.#isShown = stderr.isTTY === true && !quiet && env.TERM !== 'dumb';
  }

  /**
   * @param share the share that is done, from 0 to 1; null when the total is unknown
   * @param parts have a line each, above the whole
   */
  show(share: number | null, text: string, parts: readonly ProgressPart[] = []): void {
    if (!this.#isShown || this.#now() - this.#drawnAt < drawInterval) return;
    this.#drawnAt = this.#now();
    const lines = [...parts, { share, text }].map((line) => terminalText(this.#line(line)).slice(0, widthOf(this.#stream) - 1));
    this.#stream.write(`${this.#toStart()}${lines.join('\n')}`);
    this.#isDrawn = true;
    this.#above = parts.length;
    drawnOn.add(this.#stream);
  }

  /** Removes the bar before other output. */
  clear(): void {
    if (this.#isDrawn) this.#stream.write(this.#toStart());
    this.#isDrawn = false;
    this.#above = 0;
    drawnOn.delete(this.#stream);
    this.#drawnAt = -Infinity;
  }

  #line({ share, text }: { readonly share: number | null; readonly text: string }): string {
    const done = Math.round((share ?? 0) * barWidth);
    const [full, empty] = this.#isUnicode ? ['█', '░'] : ['#', '.'];
    return share === null
      ? text
      : `[${full.repeat(done)}${empty.repeat(barWidth - done)}] ${String(Math.floor(share * 100)).padStart(3)} %  ${text}`;
  }

  /** Goes back to the start of what is drawn, and removes it. */
  #toStart(): string {
    return this.#above > 0 ? `\r\u001b[${this.#above}A\u001b[J` : '\r\u001b[K';
  }
}
