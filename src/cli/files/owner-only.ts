import { closeSync, existsSync, fsyncSync, linkSync, openSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * A file that only its owner can read and that is replaced atomically. The text is first written to a temporary file in the
 * same folder. If the path is a symbolic link, its target is replaced and the link is kept.
 */
export class OwnerOnlyFile {
  readonly #path: string;
  readonly #temporary: string;

  constructor(path: string) {
    this.#path = existsSync(path) ? realpathSync(path) : path;
    this.#temporary = `${this.#path}.${crypto.randomUUID()}`;
  }

  /**
   * Detects a read-only folder before there is anything to write. Leaves no file: a command that is interrupted could not remove it.
   * @throws Error if no file can be created there
   */
  check(): void {
    closeSync(openSync(this.#temporary, 'wx', 0o600));
    this.close();
  }

  /** Writes the text and moves the file into place. @throws Error if that fails; an existing file then stays unchanged */
  commit(text: string): void {
    this.#write(text);
    renameSync(this.#temporary, this.#path);
  }

  /** Writes the text and moves the file into place, unless one exists. @returns false if one exists @throws Error if it fails */
  commitNew(text: string): boolean {
    this.#write(text);
    try {
      // Unlike a rename, a hard link never replaces an existing file.
      linkSync(this.#temporary, this.#path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }

  #write(text: string): void {
    const descriptor = openSync(this.#temporary, 'wx', 0o600);
    try {
      // Unlike `writeSync`, this writes the whole text or throws if the disk is full.
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  /** Removes the temporary file if it was not moved into place. */
  close(): void {
    rmSync(this.#temporary, { force: true });
  }
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
