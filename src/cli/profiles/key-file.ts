import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OptionSpec, Options, Session } from '../command/command.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import type { Result, Row } from '../output/result.ts';

export const keyFileOption: OptionSpec = {
  flags: '--key-file <file>',
  summary: 'write the key to this file, for you alone to read, instead of showing it',
  completes: 'file',
};

/**
 * Makes a call that answers a new key, and shows the key this once or writes it to `--key-file`. That file is known to
 * be writable before the call is made; should writing fail even so, the key is shown.
 * @param record makes what is shown of the answer, where that is not the answer itself
 * @param replaces whether a file that is there may be replaced: the key in it no longer works
 * @throws CliError 1 when the file cannot be written, before the call
 */
export async function withNewKey(
  { notes, globals }: Pick<Session, 'notes' | 'globals'>,
  options: Options,
  columns: readonly string[],
  call: () => Promise<Row>,
  record: (answer: Row) => Row = (answer) => answer,
  replaces = false,
): Promise<Extract<Result, { kind: 'record' }>> {
  const path = options.keyFile as string | undefined;
  const file = path === undefined ? null : new KeyFile(path, replaces || globals.yes);
  try {
    const answer = await call();
    const problem = file?.keep(answer.api_key as string);
    if (file === null || problem !== undefined) {
      if (problem !== undefined) notes.insist(`The key could not be written to ${path}: store it yourself. ${problem}`);
      else notes.say('The key is shown this once: store it now.');
      return { kind: 'record', answer, record: record(answer), ...(problem !== undefined && { exitCode: exitCodes.failed }) };
    }
    notes.say(`The key is in ${path}, for you alone to read.`);
    const shown = { ...withoutKey(answer), key_file: path };
    const shownColumns = columns.map((column) => (column === 'api_key' ? 'key_file' : column));
    return { kind: 'record', answer: shown, record: { key_file: path, ...withoutKey(record(answer)) }, columns: shownColumns };
  } finally {
    file?.discard();
  }
}

function withoutKey({ api_key: _, ...rest }: Row): Row {
  return rest;
}

/** A file with a key in it, that only its owner can read and that is replaced as a whole. */
class KeyFile {
  readonly #path: string;
  readonly #temporary: string;
  readonly #descriptor: number;

  constructor(path: string, replaces: boolean) {
    if (path === '') throw usageError('--key-file must not be empty');
    const known = statSync(path, { throwIfNoEntry: false });
    if (known?.isFile() && !replaces)
      throw usageError(`There is a file ${path} already`, 'It may hold another key: name a new file, or add --yes to replace it.');
    // A link stays one.
    this.#path = known ? realpathSync(path) : path;
    this.#temporary = join(dirname(this.#path), `.msgctl-key-${crypto.randomUUID()}`);
    try {
      if (known?.isFile() === false) throw new Error('it is not a file');
      this.#descriptor = openSync(this.#temporary, 'wx', 0o600);
    } catch (error) {
      throw new CliError(exitCodes.failed, 'file', `Cannot write the key to ${path}: ${(error as Error).message}`);
    }
  }

  /** Puts the key in place. Returns what stood in the way. */
  keep(key: string): string | undefined {
    try {
      writeSync(this.#descriptor, `${key}\n`);
      fsyncSync(this.#descriptor);
      renameSync(this.#temporary, this.#path);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  discard(): void {
    closeSync(this.#descriptor);
    rmSync(this.#temporary, { force: true });
  }
}
