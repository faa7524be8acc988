import { usageError } from '../errors.ts';
import { readStdin } from '../files/read.ts';
import type { World } from '../world.ts';
import type { Options } from './noun.ts';

/** Reads stdin as text. If a command runs on several accounts, each gets the same text. */
export class TextFromStdin {
  readonly #world: World;
  #text: Promise<string> | null;
  #keep: (text: string) => void = () => {};

  /** @param text the text that an earlier run has read, if any */
  constructor(world: World, text: string | null) {
    this.#world = world;
    this.#text = text === null ? null : Promise.resolve(text);
  }

  /** The text, unchanged. */
  async whole(): Promise<string> {
    return await (this.#text ??= this.#read());
  }

  /** The text for a value of `-`, without the final line break. @throws CliError 2 if it is empty */
  async take(): Promise<string> {
    const text = (await this.whole()).replace(/\r?\n$/, '');
    if (text === '') throw usageError('stdin is empty', 'Pipe the text in, or give it instead of `-`.');
    return text;
  }

  /** Registers a callback that stores the text once it is read, for a resumed batch. */
  keepBy(keep: (text: string) => void): void {
    this.#keep = keep;
  }

  async #read(): Promise<string> {
    const text = await readStdin(this.#world);
    this.#keep(text);
    return text;
  }
}

/** @throws CliError 2 if more than one value is `-`: stdin can be read only once */
export function checkStdinOnce(values: readonly string[], options: Options): void {
  const asking = [...values, ...Object.values(options)].filter((value) => value === '-');
  if (asking.length > 1) throw usageError('Only one value can be `-`: stdin is read once');
}
