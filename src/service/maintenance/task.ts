import type { Db } from '../store/database.ts';

/** Work in the background, in steps. It is not a job: it has no due time, and nobody waits for it. */
export interface MaintenanceTask {
  /** Whether there may be something to do at `now`, by the service's clock. It only reads. */
  readonly isDue: (db: Db, now: number) => Promise<boolean>;
  /**
   * Takes one step, in a transaction of its own. A step takes a few milliseconds.
   * @param position where the last step ended; 0 at first
   * @returns where the next step begins; undefined when nothing is left to do
   */
  readonly step: (db: Db, now: number, position: number) => Promise<number | undefined>;
}

/** The maximum number of rows that a step deletes, without those that depend on them. */
export const rowsOfStep = 250;
