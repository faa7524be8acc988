import type { Lines } from '../errors.ts';
import type { Notes } from '../output/notes.ts';
import { someOf } from '../../contract/text/some-of.ts';

/** Collects the notes about the accounts of a batch. They are printed after the results, and identical ones are grouped. */
export class AccountNotes {
  readonly #notes: Notes;
  /** The notes and the accounts that they are about, by what tells equal notes. */
  readonly #accounts = new Map<string, { readonly note: Lines; readonly accounts: string[] }>();

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  /** The notes about one account. */
  about(account: string): Notes {
    return this.#notes.kept((note) => {
      const key = JSON.stringify(note);
      const known = this.#accounts.get(key) ?? { note, accounts: [] };
      this.#accounts.set(key, known);
      known.accounts.push(account);
    });
  }

  /** Prints the notes. */
  print(): void {
    // Sorted, because accounts finish in any order.
    for (const { note, accounts } of this.#accounts.values()) {
      const [first = '', ...others] = [note].flat();
      this.#notes.always([`${someOf(accounts.toSorted())}: ${first}`, ...others]);
    }
    this.#accounts.clear();
  }
}
