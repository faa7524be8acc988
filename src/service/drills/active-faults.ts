import { setTimeout as sleep } from 'node:timers/promises';
import { lockState, type State, updateState } from '../clock/state.ts';
import { ApiError, ConnectionDropped } from '../errors.ts';
import type { Store } from '../store/store.ts';
import { countMatch, isConstant, matchesFault } from './faults.ts';

/** Applies the active faults to requests. */
export class ActiveFaults {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Applies the faults to a request: delays it or makes it fail.
   * @param path the path without the version prefix
   * @throws ApiError with the status of a fault; ConnectionDropped for a fault with `drop`
   */
  async apply(state: State, method: string, path: string): Promise<void> {
    for (const fault of state.faults) {
      if (!matchesFault(fault, method, path)) continue;
      if (!isConstant(fault) && !(await this.#count(fault.id))) continue;
      if (fault.delay_ms !== undefined) await sleep(fault.delay_ms, undefined, { ref: false });
      if (fault.drop) throw new ConnectionDropped();
      if (fault.status !== undefined) throw new ApiError(fault.status, `A fault answers ${fault.status}`);
    }
  }

  /** Counts a match in the store, which other processes share. @returns whether the fault hits the request */
  async #count(id: string): Promise<boolean> {
    return await this.#store.write(async (db) => {
      const { faults } = await lockState(db);
      const fault = faults.find((other) => other.id === id);
      if (!fault) return false;
      const { hit, left } = countMatch(fault);
      await updateState(db, { faults: faults.flatMap((other) => (other.id === id ? (left ?? []) : other)) });
      return hit;
    });
  }
}
