/** Maps offsets to line numbers. Offsets must be requested in ascending order. */
export class LineCounter {
  #line: number;
  #offset = 0;
  #breaks: number[] = [];

  /** @param first the number of the first line */
  constructor(first = 1) {
    this.#line = first;
  }

  /** Number of bytes that were added. */
  get read(): number {
    return this.#offset;
  }

  add(bytes: Buffer): void {
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) this.#breaks.push(this.#offset + at);
    this.#offset += bytes.length;
  }

  at(offset: number): number {
    const passed = this.#breaks.findIndex((each) => each >= offset);
    const count = passed < 0 ? this.#breaks.length : passed;
    this.#line += count;
    this.#breaks.splice(0, count);
    return this.#line;
  }
}
