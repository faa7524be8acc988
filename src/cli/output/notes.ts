import { shellWord } from './shell-word.ts';
import { canAsk, type World } from '../world.ts';
import type { Lines } from '../errors.ts';
import { messageLine } from './cell.ts';
import { erasers } from './erasers.ts';
import { widthOf } from './screen.ts';
import { wrapped } from './wrap.ts';

/** Messages for users on stderr, in addition to the data on stdout. `--quiet` suppresses them. */
export class Notes {
  readonly #world: World;
  readonly #quiet: boolean;
  readonly #keep: ((note: Lines) => void) | undefined;

  /** @param keep receives the notes instead of stderr */
  constructor(world: World, quiet: boolean, keep?: (note: Lines) => void) {
    this.#world = world;
    this.#quiet = quiet;
    this.#keep = keep;
  }

  /** Returns notes that are collected to be printed later. */
  kept(keep: (note: Lines) => void): Notes {
    return new Notes(this.#world, this.#quiet, keep);
  }

  /** Whether notes are suppressed. */
  get isQuiet(): boolean {
    return this.#quiet;
  }

  /** Prints a note, unless `--quiet` is given. */
  say(note: Lines): void {
    if (!this.#quiet) this.always(note);
  }

  /** Prints what the next question is about, also with `--quiet` if there is somebody to ask. */
  beforeQuestion(note: Lines): void {
    if (canAsk(this.#world)) this.always(note);
    else this.say(note);
  }

  /** Prints a note that the list has more rows. @param cursor the cursor to continue with; null if there is none */
  more(cursor: string | null): void {
    const position = cursor === null ? '' : `, --cursor ${shellWord(cursor)} continues from here`;
    this.say(`There are more rows: --all shows every row${position}.`);
  }

  /** Prints a note even with `--quiet`. On a terminal, its words are not broken. */
  always(note: Lines): void {
    if (this.#keep) return this.#keep(note);
    const { stderr } = this.#world;
    const lines = [note].flat().map(messageLine).join('\n');
    this.#write(stderr.isTTY ? wrapped(lines, widthOf(stderr)) : lines);
  }

  /** Prints an event as a line of JSON, for scripts: at once, even where notes are collected. */
  event(event: Readonly<Record<string, unknown>>): void {
    this.#write(messageLine(JSON.stringify(event)));
  }

  #write(text: string): void {
    const { stderr } = this.#world;
    erasers.get(stderr)?.();
    stderr.write(`${text}\n`);
  }
}
