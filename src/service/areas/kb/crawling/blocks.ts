/** The size of a block, in bytes. */
const blockBytes = 64 * 1024;

/**
 * Collects bytes in blocks. A host can send single bytes, each of which would be an object, and to join tens of MiB takes so long
 * that other requests have to wait.
 */
export class Blocks {
  readonly #full: Buffer[] = [];
  #last = Buffer.allocUnsafe(blockBytes);
  #filled = 0;

  add(bytes: Buffer): void {
    for (let from = 0; from < bytes.length;) {
      if (this.#filled === blockBytes) {
        this.#full.push(this.#last);
        [this.#last, this.#filled] = [Buffer.allocUnsafe(blockBytes), 0];
      }
      const copied = bytes.copy(this.#last, this.#filled, from);
      this.#filled += copied;
      from += copied;
    }
  }

  /** The bytes that were added, in order. */
  get all(): readonly Buffer[] {
    return [...this.#full, this.#last.subarray(0, this.#filled)];
  }
}
