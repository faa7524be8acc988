import { closeSync, existsSync, fchmodSync, fsyncSync, linkSync, openSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { replaceFile } from './replace-file.ts';

interface AtomicFileOptions {
  /** The permissions; by default, those of an existing file, or else the usual ones of a new file. */
  readonly mode?: number;
  /** Whether the target of a symbolic link is replaced and the link is kept; otherwise, the link is replaced. */
  readonly followsLink?: boolean;
}

/** A file that is replaced atomically. Its content is first written to a temporary file in the same folder. */
export class AtomicFile {
  readonly #path: string;
  readonly #mode: number | undefined;
  readonly #temporary: string;

  constructor(path: string, { mode, followsLink = true }: AtomicFileOptions = {}) {
    this.#path = followsLink && existsSync(path) ? realpathSync(path) : path;
    this.#mode = mode ?? statSync(this.#path, { throwIfNoEntry: false })?.mode;
    this.#temporary = `${this.#path}.${crypto.randomUUID()}`;
  }

  /**
   * Detects a read-only folder before there is anything to write. Leaves no file: a command that is interrupted could not remove it.
   * @throws Error if no file can be created there
   */
  check(): void {
    closeSync(this.#openTemporary());
    this.close();
  }

  /** Writes the content and moves the file into place. @throws Error if that fails; an existing file then stays unchanged */
  commit(content: string | Uint8Array): void {
    this.write(content);
    this.replace();
  }

  /** Writes the content to the temporary file. @throws Error if that fails */
  write(content: string | Uint8Array): void {
    const descriptor = this.#openTemporary();
    try {
      // Unlike `writeSync`, this writes the whole content or throws if the disk is full.
      writeFileSync(descriptor, content);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  /** Writes pieces to the temporary file as they come. @throws Error if that fails, and the errors of the pieces */
  async writePieces(pieces: AsyncIterable<string>): Promise<void> {
    const descriptor = this.#openTemporary();
    try {
      for await (const piece of pieces) writeFileSync(descriptor, piece);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  /** Moves the written file into place. @throws Error if that fails; an existing file then stays unchanged */
  replace(): void {
    replaceFile(this.#temporary, this.#path);
  }

  /** Writes the text and moves the file into place, unless one exists. @returns false if one exists @throws Error if it fails */
  commitNew(text: string): boolean {
    this.write(text);
    try {
      // Unlike a rename, a hard link never replaces an existing file.
      linkSync(this.#temporary, this.#path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }

  #openTemporary(): number {
    const descriptor = openSync(this.#temporary, 'wx', this.#mode ?? 0o666);
    // The umask is only for new files.
    if (this.#mode !== undefined) fchmodSync(descriptor, this.#mode & 0o777);
    return descriptor;
  }

  /** Removes the temporary file if it was not moved into place. */
  close(): void {
    rmSync(this.#temporary, { force: true });
  }
}
