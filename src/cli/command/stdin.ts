import { usageError } from '../errors.ts';
import { readStdin } from '../files/read.ts';
import type { World } from '../world.ts';
import type { Options } from './noun.ts';

/** All of stdin, as text. On several accounts, each gets the same. */
export class TextFromStdin {
  readonly #world: World;
  #text: Promise<string> | null;
  #keep: (text: string) => void = () => {};

  /** @param text the text, when it was read by an earlier run */
  constructor(world: World, text: string | null) {
    this.#world = world;
    this.#text = text === null ? null : Promise.resolve(text);
  }

  /** The text as it is. */
  async whole(): Promise<string> {
    return await (this.#text ??= this.#read());
  }

  /** The text for a value that is `-`, without its last line end. @throws CliError 2 when it is empty */
  async take(): Promise<string> {
    const text = (await this.whole()).replace(/\r?\n$/, '');
    if (text === '') throw usageError('stdin is empty', 'Pipe the text in, or give it instead of `-`.');
    return text;
  }

  /** Keeps the text once it is read, for a later run. */
  keepBy(keep: (text: string) => void): void {
    this.#keep = keep;
  }

  async #read(): Promise<string> {
    const text = await readStdin(this.#world);
    this.#keep(text);
    return text;
  }
}

/** @throws CliError 2 when two values ask for stdin, of which only one can get it */
export function checkStdinOnce(values: readonly string[], options: Options): void {
  const asking = [...values, ...Object.values(options)].filter((value) => value === '-');
  if (asking.length > 1) throw usageError('Only one value can be `-`: stdin is read once');
}
