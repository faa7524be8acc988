/** How deep elements may be nested. A parser keeps every open one, and a small packed document can open millions. */
const depthMax = 100;

/** A document nests its elements too deeply. The message is a sentence for the user. */
export class NestedElements extends Error {}

/** Counts the open elements of an XML document. */
export class Nesting {
  #depth = 0;

  /** @throws NestedElements when elements are nested more than 100 deep */
  open(): void {
    this.#depth++;
    if (this.#depth > depthMax) throw new NestedElements(`Elements are nested more than ${depthMax} deep`);
  }

  close(): void {
    this.#depth--;
  }
}
