import { usageError } from '../errors.ts';
import { readStdin } from '../files/read.ts';
import type { World } from '../world.ts';
import type { Options } from './noun.ts';

/** The text on stdin, for a value that is `-`. On several accounts, each gets the same text. */
export class TextFromStdin {
  readonly #world: World;
  #text: Promise<string> | null;

  /** @param text the text, when it was read by an earlier run */
  constructor(world: World, text: string | null) {
    this.#world = world;
    this.#text = text === null ? null : Promise.resolve(text);
  }

  /** The text without its last line end. @throws CliError 2 when it is empty */
  async take(): Promise<string> {
    const text = (await (this.#text ??= readStdin(this.#world))).replace(/\r?\n$/, '');
    if (text === '') throw usageError('stdin is empty', 'Pipe the text in, or give it instead of `-`.');
    return text;
  }

  /** The text when a value asks for it, so that it can be kept; null when none does. */
  async whole(values: readonly string[], options: Options): Promise<string | null> {
    return values.includes('-') || Object.values(options).includes('-') ? await this.take() : null;
  }
}

/** @throws CliError 2 when two values ask for stdin, of which only one can get it */
export function checkStdinOnce(values: readonly string[], options: Options): void {
  const asking = [...values, ...Object.values(options)].filter((value) => value === '-');
  if (asking.length > 1) throw usageError('Only one value can be `-`: stdin is read once');
}
