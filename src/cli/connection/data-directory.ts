import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describeReadError, describeWriteError } from '../../contract/file-errors.ts';
import type { IdentityKey } from '../../contract/proof.ts';
import { CliError, exitCodes } from '../errors.ts';
import { isNotWritable, makeFolder } from '../files/make-folder.ts';
import { createOwnerOnly, writeOwnerOnly } from '../files/owner-only.ts';
import { isRunning } from '../../processes/is-running.ts';

/** The note that `msgctl serve` writes to a data directory that it serves. */
export interface ServerNote {
  readonly pid: number;
  /** The start time in epoch milliseconds. */
  readonly startedAt: number;
  /** The origin, such as `http://127.0.0.1:4600`. */
  readonly origin: string;
  /** The id of the store's first account. */
  readonly accountId: string;
  /** The store's identity key, which distinguishes this server from another process with the same process id and port. */
  readonly key: IdentityKey;
}

/** The folder of an embedded store: its database, its sandbox token, and the notes of running servers. */
export class DataDirectory {
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  get database(): string {
    return join(this.path, 'msgctl.db');
  }

  /** Whether there is a store in the folder. */
  get exists(): boolean {
    return existsSync(this.database);
  }

  /** The stored sandbox token; null if there is none. */
  readToken(): string | null {
    // An empty file has no token.
    return this.#read('sandbox-token') || null;
  }

  writeToken(token: string): void {
    this.#write('sandbox-token', token, writeOwnerOnly);
  }

  /** Stores a token unless there is one. @returns the stored token, which is the same for processes that start concurrently */
  keepToken(token: string): string {
    const stored = this.readToken();
    if (stored !== null) return stored;
    const isFirst = this.#write('sandbox-token', token, createOwnerOnly);
    return isFirst ? token : (this.readToken() ?? token);
  }

  /** The notes of the servers that serve this directory, newest first. Skips notes of processes that have ended. */
  readServers(): ServerNote[] {
    const notes = this.#pidsOfNotes()
      .filter(isRunning)
      .map((pid) => parseNote(this.#read(noteOf(pid)) ?? ''));
    return notes.filter((note) => note !== null).toSorted((a, b) => b.startedAt - a.startedAt);
  }

  /** Writes the note of a server. Each server has its own file, so that it does not overwrite the note of another. */
  writeServer(note: ServerNote): void {
    this.#write(noteOf(note.pid), JSON.stringify(note), writeOwnerOnly);
  }

  /** Removes the note of a server that is ending, and those of killed servers. */
  removeServer(pid: number): void {
    for (const each of this.#pidsOfNotes()) if (each === pid || !isRunning(each)) rmSync(join(this.path, noteOf(each)), { force: true });
  }

  /** Creates the folder if it does not exist. @throws CliError 1 if that fails */
  make(): void {
    try {
      makeFolder(this.path);
    } catch (error) {
      throw this.#unusableError(error, describeWriteError(error));
    }
  }

  #pidsOfNotes(): number[] {
    const folder = join(this.path, notesFolder);
    const names = existsSync(folder) ? readdirSync(folder) : [];
    return names.filter((name) => name.endsWith('.json')).map((name) => Number.parseInt(name, 10));
  }

  #read(name: string): string | null {
    try {
      return readFileSync(join(this.path, name), 'utf8').trim();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw this.#unusableError(error, describeReadError(error));
    }
  }

  #write<Result>(name: string, text: string, write: (path: string, text: string) => Result): Result {
    try {
      const path = join(this.path, name);
      makeFolder(dirname(path));
      return write(path, `${text}\n`);
    } catch (error) {
      throw this.#unusableError(error, describeWriteError(error));
    }
  }

  #unusableError(error: unknown, reason: string): CliError {
    return new CliError(exitCodes.unavailable, 'data_directory', `Cannot use the data directory ${this.path}: ${reason}`, {
      hint: isNotWritable(error) ? 'Set MSGCTL_DATA_DIR to a folder that can be written.' : undefined,
    });
  }
}

const notesFolder = 'servers';

function noteOf(pid: number): string {
  return join(notesFolder, `${pid}.json`);
}

/** Parses a server's note; null if it is invalid. */
function parseNote(text: string): ServerNote | null {
  try {
    const note = JSON.parse(text) as Partial<ServerNote> | null;
    const isWhole = typeof note?.pid === 'number' && typeof note.startedAt === 'number';
    return isWhole && note.origin && note.accountId && note.key?.kid && note.key.x ? (note as ServerNote) : null;
  } catch {
    return null;
  }
}
