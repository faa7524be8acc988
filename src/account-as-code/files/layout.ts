import type { Kind } from '../kind.ts';
import type { Fields } from '../values.ts';

/** Chooses the file to which `dump` writes each record. Adds a number to file names that would collide, ignoring case. */
export class Layout {
  readonly #taken = new Map<string, string>();

  /** @param taken paths of files that already have other contents */
  constructor(taken: Iterable<string> = []) {
    for (const path of taken) this.#taken.set(path.toLowerCase(), '');
  }

  fileOf({ name: kind, file, identity: { key, dividedBy } }: Kind, fields: Fields): string {
    if (file !== undefined) return file;
    const owner = dividedBy === undefined ? undefined : `${kind}\0${String(fields[dividedBy])}`;
    const words = dividedBy === undefined ? key : [dividedBy];
    return this.#free(`${kind}/${words.map((field) => safe(String(fields[field]))).join('.')}`, owner);
  }

  /** @param owner records with the same owner can share the file; undefined if the file is not shared */
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

/** The maximum length of a name in a file name, in bytes. File systems allow 255, and a file name can have two names. */
const nameBytes = 80;

/** Turns a name into a part of a file name that is valid on every file system. */
export function safe(name: string): string {
  const words = name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[.-]+|[.-]+$/g, '');
  const bytes = new Uint8Array(nameBytes);
  // Encodes whole characters only.
  const { written } = new TextEncoder().encodeInto(words, bytes);
  const plain = new TextDecoder().decode(bytes.subarray(0, written)).replace(/[.-]+$/, '');
  // Windows reserves these names for devices, with any ending.
  return plain === '' || /^(con|prn|aux|nul|(com|lpt)[\d¹²³])(\.|$)/.test(plain) ? `_${plain}` : plain;
}
