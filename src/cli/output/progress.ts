import { terminalText } from './cell.ts';
import { erasers } from './erasers.ts';
import { graphemes } from './fold.ts';
import type { Output, World } from '../world.ts';
import { heightOf, showsUnicode, widthOf } from './screen.ts';

/** The widths of a bar in columns. It is shorter in a narrow window to leave space for the text. */
const barWidths = { wide: 24, narrow: 10 };

/** Minimum width of a wide window, in columns. */
const wideFrom = 80;

/** Minimum time between two redraws, in milliseconds. */
const drawInterval = 100;

/** A part of the work with its own bar. */
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
  readonly #onProgress: World['onProgress'];
  #drawnAt = -Infinity;
  #isDrawn = false;
  /** Number of lines above the last one. */
  #above = 0;

  constructor({ stderr, env, now, onProgress }: World, quiet: boolean) {
    this.#onProgress = onProgress;
    this.#stream = stderr;
    this.#now = now;
    this.#isUnicode = showsUnicode(env);
    this.#isShown = stderr.isTTY === true && !quiet && env.TERM !== 'dumb';
  }

  /**
   * @param share the progress from 0 to 1; null if the total is unknown
   * @param parts are shown above the total, one line each
   */
  show(share: number | null, text: string, parts: readonly ProgressPart[] = []): void {
    this.#onProgress?.(text);
    if (!this.#isShown || this.#now() - this.#drawnAt < drawInterval) return;
    this.#drawnAt = this.#now();
    // Lines that do not fit into the window could not be erased again.
    const shown = parts.slice(0, heightOf(this.#stream) - 1);
    const lines = [...shown, { share, text }].map((line) => this.#line(line));
    this.#stream.write(`${this.#toStart()}${lines.join('\n')}`);
    this.#isDrawn = true;
    this.#above = shown.length;
    erasers.set(this.#stream, () => this.clear());
  }

  /** Removes the bar before other output is printed. */
  clear(): void {
    if (this.#isDrawn) this.#stream.write(this.#toStart());
    this.#isDrawn = false;
    this.#above = 0;
    erasers.delete(this.#stream);
    this.#drawnAt = -Infinity;
  }

  #line({ share, text }: { readonly share: number | null; readonly text: string }): string {
    const columns = widthOf(this.#stream);
    const bar = share === null ? '' : this.#bar(share, columns < wideFrom ? barWidths.narrow : barWidths.wide);
    // Leaves the last column free, because some terminals wrap after it.
    return bar + shortened(terminalText(text), columns - 1 - bar.length, this.#isUnicode ? '…' : '...');
  }

  #bar(share: number, width: number): string {
    const done = Math.round(share * width);
    const [full, empty] = this.#isUnicode ? ['█', '░'] : ['#', '.'];
    return `[${full.repeat(done)}${empty.repeat(width - done)}] ${String(Math.floor(share * 100)).padStart(3)} %  `;
  }

  /** Moves the cursor to the start of the bar and erases it. */
  #toStart(): string {
    return this.#above > 0 ? `\r\u001b[${this.#above}A\u001b[J` : '\r\u001b[K';
  }
}

/** Removes the middle of text that is longer than `width` columns, because both ends of a URL are informative. */
function shortened(text: string, width: number, ellipsis: string): string {
  const characters = [...graphemes(text)];
  if (characters.reduce((sum, each) => sum + columnsOf(each), 0) <= width) return text;
  const room = Math.max(0, width - ellipsis.length);
  const head = fitting(characters, Math.floor(room / 2));
  return [...head, ellipsis, ...fitting(characters.toReversed(), Math.ceil(room / 2)).toReversed()].join('');
}

/** The first characters that fit into `width` columns. */
function fitting(characters: readonly string[], width: number): string[] {
  let left = width;
  const end = characters.findIndex((each) => (left -= columnsOf(each)) < 0);
  return characters.slice(0, end < 0 ? undefined : end);
}

/**
 * Upper bound for the columns of a character. Exact widths need a library that takes long to load, and it is sufficient that a
 * line is not too long.
 */
function columnsOf(character: string): number {
  return character <= '~' ? 1 : 2;
}
