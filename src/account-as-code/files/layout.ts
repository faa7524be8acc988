import type { Kind } from '../kind.ts';
import type { Fields } from '../values.ts';

/** The fields whose texts are written beside the file when they are long. */
export const longText = 500;

/** Gives records the files that `dump` writes them to. Names that are the same in a file system get a suffix. */
export class Layout {
  readonly #taken = new Map<string, string>();

  /** @param taken paths of files that hold something else */
  constructor(taken: Iterable<string> = []) {
    for (const path of taken) this.#taken.set(path.toLowerCase(), '');
  }

  fileOf({ name: kind, file, key, dividedBy }: Kind, fields: Fields): string {
    if (file !== undefined) return file;
    const owner = dividedBy === undefined ? undefined : `${kind}\0${String(fields[dividedBy])}`;
    const words = dividedBy === undefined ? key : [dividedBy];
    return this.#free(`${kind}/${words.map((field) => safe(String(fields[field]))).join('.')}`, owner);
  }

  /** @param owner what may share the file; nothing by default */
  #free(stem: string, owner: string | undefined): string {
    for (let number = 1; ; number++) {
      const path = `${stem}${number === 1 ? '' : `-${number}`}.yaml`;
      const holder = this.#taken.get(path.toLowerCase());
      if (holder !== undefined && (owner === undefined || holder !== owner)) continue;
      this.#taken.set(path.toLowerCase(), owner ?? '');
      return path;
    }
  }
}

/** A name that every file system can have. */
export function safe(name: string): string {
  const plain = name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
    .slice(0, 80);
  // Windows keeps these names for devices.
  return plain === '' || /^(con|prn|aux|nul|com\d|lpt\d)$/.test(plain) ? `_${plain}` : plain;
}
