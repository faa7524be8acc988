import { closeSync, constants, fchmodSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { AtomicFile } from './atomic-file.ts';

/** A file that only its owner can read and that is replaced atomically. */
export class OwnerOnlyFile extends AtomicFile {
  /** @param followsLink whether a symbolic link is followed; somebody else could have put it there */
  constructor(path: string, followsLink = false) {
    super(path, { mode: 0o600, followsLink });
  }
}

/** Thrown for a file to which nothing private is written, because somebody else could have put it there. */
export class UnsafeFile extends Error {
  constructor(path: string, what: string) {
    super(`${path} is ${what}`);
    this.name = 'UnsafeFile';
  }
}

/**
 * Opens a file with private text for reading and writing, and makes it readable only by its owner. Creates it if it is missing.
 * @param flags how to open it, in addition, such as to append
 * @returns the descriptor
 * @throws UnsafeFile if it is a symbolic link or belongs to another user; Error if it cannot be opened, or is not a file
 */
export function openOwnerOnly(path: string, flags = 0): number {
  const file = openSafely(path, constants.O_RDWR | constants.O_CREAT | flags);
  try {
    // A private file that was readable by others is private from now on.
    fchmodSync(file, 0o600);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Reads a private text. @returns undefined if there is no file @throws UnsafeFile and Error, as `openOwnerOnly` does */
export function readOwnerOnly(path: string): string | undefined {
  let file: number;
  try {
    file = openSafely(path, constants.O_RDONLY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function openSafely(path: string, flags: number): number {
  let file: number;
  try {
    // Opening a pipe would block. Windows has neither flag.
    file = openSync(path, flags | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0), 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ELOOP') throw new UnsafeFile(path, 'a symbolic link');
    if (code === 'EISDIR') throw notFileError();
    throw error;
  }
  const stats = fstatSync(file);
  if (stats.isFile() && !isOthers(stats)) return file;
  closeSync(file);
  throw stats.isFile() ? new UnsafeFile(path, 'a file of another user') : notFileError();
}

function notFileError(): Error {
  return new Error('it is not a file');
}

/** Whether a file belongs to another user, who could read what is written to it. Windows has no user ids. */
export function isOthers({ uid }: { readonly uid: number }): boolean {
  return process.getuid !== undefined && process.getuid() !== uid;
}

/** Atomically writes a file that only its owner can read. @throws Error if that fails */
export function writeOwnerOnly(path: string, text: string): void {
  const file = new OwnerOnlyFile(path);
  try {
    file.commit(text);
  } finally {
    file.close();
  }
}

/** Atomically creates a file that only its owner can read. @returns false if it exists @throws Error if that fails */
export function createOwnerOnly(path: string, text: string): boolean {
  const file = new OwnerOnlyFile(path);
  try {
    return file.commitNew(text);
  } finally {
    file.close();
  }
}
