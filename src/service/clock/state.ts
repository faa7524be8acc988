import type { JobKind } from '../../contract/job-kinds.ts';
import { type ClockState, readClock } from './clock.ts';
import type { Faults } from '../drills/faults.ts';
import type { ServiceStateTable } from '../store/schema.ts';
import { type Db, prepared } from '../store/store.ts';

/** What every request needs to know of the service's state. */
export interface State {
  readonly clock: ClockState;
  readonly hold: Hold;
  readonly faults: Faults;
}

/** Which kinds of jobs wait although they are due. */
export type Hold = 'all' | JobKind[];

export const stateColumns = ['clock_frozen', 'clock_reading', 'clock_offset', 'hold', 'faults'] as const;

type StateRow = Pick<ServiceStateTable, (typeof stateColumns)[number]>;

/** Turns the stored row into what it says. */
export function parseState(row: StateRow): State {
  return {
    clock: row,
    // These two are nearly always empty.
    hold: row.hold === '[]' ? [] : (JSON.parse(row.hold) as Hold),
    faults: row.faults === '[]' ? [] : (JSON.parse(row.faults) as Faults),
  };
}

const stateRow = prepared<StateRow>((db) => db.selectFrom('service_state').select([...stateColumns]));

/** Reads the service's state. */
export async function readState(db: Db): Promise<State> {
  const [row] = await stateRow(db, []);
  if (!row) throw new Error('The store is not initialised');
  return parseState(row);
}

/** Reads the service's clock from the store, in epoch milliseconds. */
export async function readNow(db: Db, realNow: number): Promise<number> {
  return readClock((await readState(db)).clock, realNow);
}

/** Changes the service's state in a transaction. */
export async function updateState(db: Db, change: Partial<ServiceStateTable>): Promise<void> {
  await db.updateTable('service_state').set(change).execute();
}
