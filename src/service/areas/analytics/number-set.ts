/** The number of values in a block. */
const blockSize = 65_536;

/** A set of whole numbers that uses about one bit for each; a Set uses about fifty bytes. */
export class NumberSet {
  readonly #blocks = new Map<number, Uint32Array>();

  /** Adds a number. @returns whether it is new */
  add(number: number): boolean {
    const at = Math.floor(number / blockSize);
    const block = this.#blocks.get(at) ?? new Uint32Array(blockSize / 32);
    this.#blocks.set(at, block);
    const [index, bit] = [(number % blockSize) >>> 5, 1 << (number & 31)];
    const isNew = ((block[index] ?? 0) & bit) === 0;
    block[index] = (block[index] ?? 0) | bit;
    return isNew;
  }
}
