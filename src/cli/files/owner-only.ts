import { closeSync, existsSync, fsyncSync, linkSync, openSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * A file that only its owner can read, replaced atomically. The text goes to a temporary file beside it, which is
 * created at once, so that a directory that is not writable is found before there is anything to write. A symbolic link
 * stays a link: the file it points to is replaced.
 */
export class OwnerOnlyFile {
  readonly #path: string;
  readonly #temporary: string;
  readonly #descriptor: number;

  /** @throws Error when no file can be created there */
  constructor(path: string) {
    this.#path = existsSync(path) ? realpathSync(path) : path;
    this.#temporary = `${this.#path}.${crypto.randomUUID()}`;
    this.#descriptor = openSync(this.#temporary, 'wx', 0o600);
  }

  /** Writes the text and puts the file in place. @throws Error when that fails; the earlier file is then unchanged */
  commit(text: string): void {
    this.#write(text);
    renameSync(this.#temporary, this.#path);
  }

  /** Writes the text and puts the file in place, unless there is one. @returns false when there is one @throws Error when it fails */
  commitNew(text: string): boolean {
    this.#write(text);
    try {
      // Unlike a rename, a link never replaces the file of another process.
      linkSync(this.#temporary, this.#path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }

  #write(text: string): void {
    // Unlike `writeSync`, it writes all of the text, or fails when the disk is full.
    writeFileSync(this.#descriptor, text);
    fsyncSync(this.#descriptor);
  }

  /** Closes the file, and removes the temporary file if it was not put in place. */
  close(): void {
    closeSync(this.#descriptor);
    rmSync(this.#temporary, { force: true });
  }
}

/** Writes a file that only its owner can read, atomically. @throws Error when that fails */
export function writeOwnerOnly(path: string, text: string): void {
  const file = new OwnerOnlyFile(path);
  try {
    file.commit(text);
  } finally {
    file.close();
  }
}

/** Creates a file that only its owner can read, atomically. @returns false when there is one @throws Error when that fails */
export function createOwnerOnly(path: string, text: string): boolean {
  const file = new OwnerOnlyFile(path);
  try {
    return file.commitNew(text);
  } finally {
    file.close();
  }
}
