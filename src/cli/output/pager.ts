import { stripVTControlCharacters } from 'node:util';
import type { Pager, World } from '../world.ts';
import { widthOf } from './screen.ts';

/** If this many bytes were written without an error, the pager is reading, because a pipe's buffer is smaller. */
const pipeCapacity = 1024 * 1024;

/** Thrown when the user has quit the pager, so that nobody reads the rest. */
class ReaderLeft extends Error {}

/**
 * The pager command: PAGER, or `less`, which scrolls sideways over the lines of a wide table instead of wrapping them. Undefined
 * if stdout is not a terminal.
 */
export function pagerCommand({ stdout, env }: World, wide = false): string | undefined {
  if (!stdout.isTTY || !stdout.rows || env.TERM === 'dumb') return undefined;
  const command = (env.PAGER ?? 'less').trim();
  if (command === '' || command === 'cat') return undefined;
  return isLess(command) && wide ? `${command} -S` : command;
}

/** Whether a pager can scroll sideways. */
export function isLess(command: string | undefined): boolean {
  return command !== undefined && /^(\S*[\\/])?less([.]exe)?(\s|$)/i.test(command);
}

/** Prints text through a pager, until everything is written or the user quits. @param print prints text without a pager */
export async function printPaged(
  command: string,
  world: World,
  print: (text: string) => Promise<void>,
  work: (write: (text: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  const paged = new PagedText(command, world, print);
  try {
    await work((text) => paged.write(text));
  } catch (error) {
    if (!(error instanceof ReaderLeft)) throw error;
  } finally {
    await paged.end();
  }
}

/** Buffers text for a terminal. Starts a pager as soon as the text is longer than the window. */
class PagedText {
  readonly #command: string;
  readonly #world: World;
  readonly #print: (text: string) => Promise<void>;
  /** Text that has not been printed, or that the pager may not have read. */
  #held = '';
  #pager: Pager | null = null;
  #state: 'collecting' | 'paging' | 'printing' | 'over' = 'collecting';

  /** @param print prints text without a pager */
  constructor(command: string, world: World, print: (text: string) => Promise<void>) {
    this.#command = command;
    this.#world = world;
    this.#print = print;
  }

  /** @throws ReaderLeft if the user has quit the pager */
  async write(text: string): Promise<void> {
    if (text === '') return;
    switch (this.#state) {
      case 'collecting':
        // Holds stderr back until the end, because notes and the spinner would be drawn over the pager. Notes thus follow the
        // text.
        if (this.#held === '') this.#world.stderr.cork();
        this.#held += text;
        if (this.#isTooLarge(text)) await this.#send(this.#open(), this.#held);
        return;
      case 'paging':
        if (this.#held.length <= pipeCapacity) this.#held += text;
        return await this.#send(this.#pager as Pager, text);
      case 'printing':
        return await this.#print(text);
      case 'over':
        throw new ReaderLeft();
    }
  }

  /** Prints the remaining text, or waits until the user quits the pager. */
  async end(): Promise<void> {
    if (this.#state === 'collecting' && this.#held !== '') {
      await this.#print(this.#held);
      this.#world.stderr.uncork();
    } else if (this.#state === 'paging') {
      this.#pager?.input.end();
      await this.#close();
    }
    this.#state = 'over';
  }

  /** Whether the text does not fit the window. Wide lines count only if the pager scrolls sideways. */
  #isTooLarge(last: string): boolean {
    const { stdout } = this.#world;
    if (lineCount(this.#held) >= (stdout.rows ?? 0)) return true;
    return (
      this.#command.endsWith(' -S') &&
      stripVTControlCharacters(last)
        .split('\n')
        .some((line) => line.length > widthOf(stdout))
    );
  }

  #open(): Pager {
    this.#pager = this.#world.openPager(this.#command);
    this.#state = 'paging';
    return this.#pager;
  }

  async #send(pager: Pager, text: string): Promise<void> {
    const failure = await new Promise<Error | null | undefined>((resolve) => pager.input.write(text, resolve));
    if (!failure) return;
    await this.#close();
    if (this.#state === 'over') throw new ReaderLeft();
  }

  /** Waits until the pager has ended. If it could not be started, prints its text. */
  async #close(): Promise<void> {
    const hasRun = await this.#pager?.ended;
    this.#world.stderr.uncork();
    this.#state = hasRun ? 'over' : 'printing';
    if (!hasRun) await this.#print(this.#held);
  }
}

function lineCount(text: string): number {
  return text.split('\n').length - 1;
}
