import { compareTexts } from '../../contract/text/compare-texts.ts';
import type { Db } from '../store/database.ts';
import { preparedChange } from '../store/prepared.ts';

/** Collects the last use of keys, so that no request waits until it is written. */
export class KeyUsage {
  #lastUse = new Map<string, number>();
  #writing: ReadonlyMap<string, number> = new Map();

  get isEmpty(): boolean {
    return this.#lastUse.size === 0;
  }

  /** Records that a key was used at an instant of the service's clock. */
  note(keyId: string, at: number): void {
    this.#lastUse.set(keyId, at);
  }

  /** The last use of a key, if it has not been stored yet. */
  unwritten(keyId: string): number | undefined {
    return this.#lastUse.get(keyId) ?? this.#writing.get(keyId);
  }

  /** Returns the collected uses for writing. `unwritten` still reports them until the next call. */
  collect(): ReadonlyMap<string, number> {
    this.#writing = this.#lastUse;
    this.#lastUse = new Map();
    return this.#writing;
  }

  /** Removes everything, after the store was emptied. */
  clear(): void {
    this.#lastUse.clear();
    this.#writing = new Map();
  }
}

/** Writes the last use of keys, in a transaction. */
export async function writeKeyUsage(db: Db, lastUse: ReadonlyMap<string, number>): Promise<void> {
  // Sorted, so that two processes cannot deadlock.
  for (const [id, at] of [...lastUse].toSorted(([a], [b]) => compareTexts(a, b))) await setLastUse(db, { id, at });
}

const setLastUse = preparedChange<{ id: string; at: number }>((db, $) =>
  db.updateTable('api_keys').set({ last_used_at: $.at }).where('id', '=', $.id),
);
