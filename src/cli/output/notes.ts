import type { World } from '../world.ts';

/** What is said to the person beside the data: on stderr, and not at all with `--quiet`. */
export class Notes {
  readonly #world: World;
  readonly #quiet: boolean;

  constructor(world: World, quiet: boolean) {
    this.#world = world;
    this.#quiet = quiet;
  }

  say(text: string): void {
    if (!this.#quiet) this.#world.stderr.write(`${text}\n`);
  }
}
