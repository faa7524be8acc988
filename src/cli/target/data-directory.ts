import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CliError, exitCodes } from '../errors.ts';

/** A server that says it serves a data directory. */
export interface ServerNote {
  readonly pid: number;
  /** Its root, such as `http://127.0.0.1:4600`. */
  readonly origin: string;
  /** The store's first account. */
  readonly accountId: string;
  /** The id of the store's identity key, which proves that a server is this one. */
  readonly keyId: string;
}

/** The folder of an embedded store: its database, its sandbox token, and the note of a server that serves it. */
export class DataDirectory {
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  get database(): string {
    return join(this.path, 'msgctl.db');
  }

  /** Whether there is a store. */
  get exists(): boolean {
    return existsSync(this.database);
  }

  /** The sandbox token that was kept here; null when there is none. */
  readToken(): string | null {
    return this.#read('sandbox-token');
  }

  writeToken(token: string): void {
    this.#write('sandbox-token', token);
  }

  /** The server that serves this directory, as far as its process is alive. */
  readServer(): ServerNote | null {
    const text = this.#read('server.json');
    if (text === null) return null;
    const note = parseNote(text);
    if (note === null) return null;
    try {
      process.kill(note.pid, 0);
      return note;
    } catch (error) {
      // A process of another user is alive all the same.
      return (error as NodeJS.ErrnoException).code === 'EPERM' ? note : null;
    }
  }

  writeServer(note: ServerNote): void {
    this.#write('server.json', JSON.stringify(note));
  }

  /** Removes the note of the server with that process id. */
  removeServer(pid: number): void {
    if (this.readServer()?.pid === pid) rmSync(join(this.path, 'server.json'), { force: true });
  }

  /** Makes the folder when it is missing. */
  make(): void {
    try {
      makeFolder(this.path);
    } catch (error) {
      throw this.#unusable(error);
    }
  }

  #read(name: string): string | null {
    try {
      return readFileSync(join(this.path, name), 'utf8').trim();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw this.#unusable(error);
    }
  }

  /** Writes a file for its owner alone, never half of it. */
  #write(name: string, text: string): void {
    try {
      makeFolder(this.path);
      const file = join(this.path, name);
      const temporary = `${file}.${crypto.randomUUID()}`;
      writeFileSync(temporary, `${text}\n`, { mode: 0o600, flag: 'wx' });
      renameSync(temporary, file);
    } catch (error) {
      throw this.#unusable(error);
    }
  }

  #unusable(error: unknown): CliError {
    return new CliError(exitCodes.failed, 'data_directory', `Cannot use the data directory ${this.path}: ${(error as Error).message}`);
  }
}

/** Reads a server's note; a damaged one counts as none. */
function parseNote(text: string): ServerNote | null {
  try {
    const note = JSON.parse(text) as Partial<ServerNote> | null;
    return typeof note?.pid === 'number' && note.origin && note.accountId && note.keyId ? (note as ServerNote) : null;
  } catch {
    return null;
  }
}

/** Makes a folder for its owner alone, with those above it. Node's own recursive way never returns below /proc. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
