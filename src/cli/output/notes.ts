import type { World } from '../world.ts';
import { terminalText } from './cell.ts';

/** What is said to the person beside the data: on stderr, and not at all with `--quiet`. */
export class Notes {
  readonly #world: World;
  readonly #quiet: boolean;

  constructor(world: World, quiet: boolean) {
    this.#world = world;
    this.#quiet = quiet;
  }

  say(text: string): void {
    if (!this.#quiet) this.insist(text);
  }

  /** Says that a list was longer than what is shown. @param cursor where to go on, where the command can */
  more(cursor: string | null): void {
    const goOn = cursor === null ? '' : `, --cursor ${cursor} goes on from here`;
    this.say(`There is more: --all shows everything${goOn}.`);
  }

  /** Says what must be said, `--quiet` or not. */
  insist(text: string): void {
    const lines = text.split('\n').map(terminalText);
    this.#world.stderr.write(`${lines.join('\n')}\n`);
  }
}
