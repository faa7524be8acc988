import { describeWriteError } from '../../contract/file-errors.ts';
import { CliError, exitCodes } from '../errors.ts';
import type { OwnerOnlyFile } from '../files/owner-only.ts';
import type { Result, ResultRow } from '../output/result.ts';
import type { Options, OptionSpec, Session } from './noun.ts';
import { openOutputFile } from './output-file.ts';
import { shellWord } from '../output/shell-word.ts';

export const keyFileOption: OptionSpec = {
  flags: '--key-file <file>',
  summary: 'write the key to this file, readable only by you, instead of printing it',
  completes: 'file',
};

/** A request whose response contains a new key. */
interface NewKeyCall<Answer extends ResultRow> {
  readonly call: () => Promise<Answer>;
  /** The columns to show. If the key is written to a file, `key_file` replaces `api_key`. */
  readonly columns: readonly string[];
  /** Builds the record to show; by default, the response itself. */
  readonly record?: ((answer: Answer) => ResultRow) | undefined;
  /** Whether an existing file can be replaced, because the key in it no longer works. */
  readonly replaces?: boolean;
  /** Also stores the key in a profile. Returns false if that failed; the command then exits with 1. */
  readonly remember?: (answer: Answer) => Promise<boolean>;
}

/**
 * Sends a request whose response contains a new key, and prints the key or writes it to `--key-file`. The file is opened before
 * the request, so that no key is created if the file cannot be written. If writing fails later, the key is printed.
 * @throws CliError 1 if the file cannot be written, 2 if it already exists; both before the request
 */
export async function withNewKey<Answer extends ResultRow>(
  { notes, globals, world }: Pick<Session, 'notes' | 'globals' | 'world'>,
  options: Options,
  { call, columns, record = (answer) => answer, replaces = false, remember }: NewKeyCall<Answer>,
): Promise<Extract<Result, { kind: 'record' }>> {
  const path = options.keyFile as string | undefined;
  const file = path === undefined ? undefined : openKeyFile(path, replaces || globals.yes);
  try {
    // If the new key replaces a stored one, an interrupt must not end the process before the new key is stored too.
    if (remember) void world.interrupted;
    const answer = await call();
    // From here on, neither an interrupt nor a closed pipe must end the process before the key is shown.
    void world.interrupted;
    const isRemembered = (await remember?.(answer)) ?? true;
    const shown = { kind: 'record', answer, record: record(answer), ...(!isRemembered && { exitCode: exitCodes.failed }) } as const;
    if (!file) {
      notes.say('The key is shown only this once: store it now.');
      return shown;
    }
    try {
      file.commit(`${answer.api_key as string}\n`);
    } catch (error) {
      notes.always(`Cannot write the key to ${path}: store it yourself. ${describeWriteError(error)}`);
      return { ...shown, exitCode: exitCodes.failed };
    }
    notes.say(`The key is in ${path}, readable only by you.`);
    return {
      ...shown,
      answer: { ...withoutKey(answer), key_file: path },
      record: { key_file: path, ...withoutKey(shown.record) },
      columns: columns.map((column) => (column === 'api_key' ? 'key_file' : column)),
    };
  } finally {
    file?.close();
  }
}

/** The error if a new key could not be printed. It contains the id of the key, so that the key can be revoked. */
export function lostKeyError({ message }: Error, made: Result): CliError {
  const id = made.kind === 'record' ? made.record.id : undefined;
  const remedy = typeof id === 'string' ? `Revoke it with \`msgctl keys revoke ${shellWord(id)}\`.` : 'Create another one.';
  return new CliError(exitCodes.failed, 'output', message, { hint: `The new key was created, but not shown. ${remedy}` });
}

function withoutKey({ api_key: _, ...rest }: ResultRow): ResultRow {
  return rest;
}

function openKeyFile(path: string, replaces: boolean): OwnerOnlyFile {
  const hint = 'It may contain another key: choose a new file, or add --yes to replace it.';
  return openOutputFile(path, { flag: '--key-file', what: 'the key', replaces, isSecret: true, hint });
}
