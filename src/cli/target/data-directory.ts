import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { IdentityKey } from '../../contract/proof.ts';
import { CliError, exitCodes } from '../errors.ts';
import { createOwnerOnly, makeFolder, writeOwnerOnly } from '../files/owner-only.ts';
import { isRunning } from '../is-running.ts';

/** The note in which `msgctl serve` records that it serves a data directory. */
export interface ServerNote {
  readonly pid: number;
  /** Its origin, such as `http://127.0.0.1:4600`. */
  readonly origin: string;
  /** The store's first account. */
  readonly accountId: string;
  /** The store's identity key, which tells this server from another process with the same process id and port. */
  readonly key: IdentityKey;
}

/** The folder of an embedded store: its database, its sandbox token, and the note of a running server. */
export class DataDirectory {
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  get database(): string {
    return join(this.path, 'msgctl.db');
  }

  /** Whether it holds a store. */
  get exists(): boolean {
    return existsSync(this.database);
  }

  /** The stored sandbox token; null when there is none. */
  readToken(): string | null {
    // An empty file has no token.
    return this.#read('sandbox-token') || null;
  }

  writeToken(token: string): void {
    this.#write('sandbox-token', token, writeOwnerOnly);
  }

  /** Stores a token, unless there is one. @returns the stored token, on which processes that start at the same moment agree */
  keepToken(token: string): string {
    const stored = this.readToken();
    if (stored !== null) return stored;
    const isFirst = this.#write('sandbox-token', token, createOwnerOnly);
    return isFirst ? token : (this.readToken() ?? token);
  }

  /** The note of the server that serves this directory; null when its process is gone. */
  readServer(): ServerNote | null {
    const text = this.#read('server.json');
    if (text === null) return null;
    const note = parseNote(text);
    return note !== null && isRunning(note.pid) ? note : null;
  }

  writeServer(note: ServerNote): void {
    this.#write('server.json', JSON.stringify(note), writeOwnerOnly);
  }

  /** Removes the note, if it is the one of this process id. */
  removeServer(pid: number): void {
    if (this.readServer()?.pid === pid) rmSync(join(this.path, 'server.json'), { force: true });
  }

  /** Creates the folder when it is missing. @throws CliError 1 when that fails */
  make(): void {
    try {
      makeFolder(this.path);
    } catch (error) {
      throw this.#unusableError(error);
    }
  }

  #read(name: string): string | null {
    try {
      return readFileSync(join(this.path, name), 'utf8').trim();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw this.#unusableError(error);
    }
  }

  #write<Result>(name: string, text: string, write: (path: string, text: string) => Result): Result {
    try {
      makeFolder(this.path);
      return write(join(this.path, name), `${text}\n`);
    } catch (error) {
      throw this.#unusableError(error);
    }
  }

  #unusableError(error: unknown): CliError {
    return new CliError(exitCodes.failed, 'data_directory', `Cannot use the data directory ${this.path}: ${(error as Error).message}`);
  }
}

/** Parses a server's note; null when it is damaged. */
function parseNote(text: string): ServerNote | null {
  try {
    const note = JSON.parse(text) as Partial<ServerNote> | null;
    return typeof note?.pid === 'number' && note.origin && note.accountId && note.key?.kid && note.key.x ? (note as ServerNote) : null;
  } catch {
    return null;
  }
}
