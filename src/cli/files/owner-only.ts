import { AtomicFile } from './atomic-file.ts';

/** A file that only its owner can read and that is replaced atomically. */
export class OwnerOnlyFile extends AtomicFile {
  constructor(path: string) {
    super(path, 0o600);
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
