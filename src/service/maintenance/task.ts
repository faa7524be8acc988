import type { Db } from '../store/database.ts';

/** Background work in steps. Unlike a job, it has no due time, and nothing waits for it. */
export interface MaintenanceTask {
  /** Whether it does not depend on the time, and so runs while the clock is frozen too. */
  readonly ignoresClock?: true;
  /** Whether there may be work at `now`, by the service's clock. Only reads. */
  readonly isDue: (db: Db, now: number) => Promise<boolean>;
  /**
   * Performs one step in its own transaction. A step takes a few milliseconds.
   * @param position where the last step ended; 0 for the first step
   * @returns where the next step begins; undefined when no work is left
   */
  readonly step: (db: Db, now: number, position: number) => Promise<number | undefined>;
}

/** The maximum number of rows that a step deletes, not counting dependent rows. */
export const rowsOfStep = 250;
