import type { Notes } from '../output/notes.ts';
import { someOf } from '../../contract/some-of.ts';

/** The notes about the accounts of a batch. They are printed behind its answers, equal ones together. */
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
    // Accounts end in any order; their names are printed in one.
    for (const [text, accounts] of this.#accounts) this.#notes.insist(`${someOf(accounts.toSorted())}: ${text}`);
    this.#accounts.clear();
  }
}
