import type { Notes } from '../output/notes.ts';
import { someOf } from '../../contract/some-of.ts';

/** Collects the notes about the accounts of a batch. They are printed after the results, and identical ones are grouped. */
export class AccountNotes {
  readonly #notes: Notes;
  readonly #accounts = new Map<string, string[]>();

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  /** The notes about one account. */
  about(account: string): Notes {
    return this.#notes.kept((text) => {
      this.#accounts.set(text, [...(this.#accounts.get(text) ?? []), account]);
    });
  }

  /** Prints the notes. */
  print(): void {
    // Sorted, because accounts finish in any order.
    for (const [text, accounts] of this.#accounts) this.#notes.always(`${someOf(accounts.toSorted())}: ${text}`);
    this.#accounts.clear();
  }
}
