import type { Db } from '../store/database.ts';
import { locksRows, prepared } from '../store/prepared.ts';
import type { StoredRow } from '../store/table.ts';
import { readClock } from './clock.ts';
import { type ServiceState, serviceState } from './table.ts';

/** The columns that every request needs. */
export const stateColumns = ['clock_frozen', 'clock_reading', 'clock_offset', 'hold', 'faults'] as const;

/** The part of the service's state that every request reads: the clock, the held jobs and the faults. */
export type State = Pick<ServiceState, (typeof stateColumns)[number]>;

type StoredState = Pick<StoredRow<typeof serviceState>, (typeof stateColumns)[number]>;

const storedState = prepared<object, StoredState>((db) => db.selectFrom('service_state').select([...stateColumns]));

/** Reads the state in order to change it. Locks it exclusively until the end of the transaction. */
export async function lockState(db: Db): Promise<ServiceState> {
  const query = db.selectFrom('service_state').selectAll();
  return serviceState.decode(await (locksRows(db) ? query.forNoKeyUpdate() : query).executeTakeFirstOrThrow());
}

/** Reads the state and prevents changes to it until the end of the transaction. */
export async function lockStateShared(db: Db): Promise<ServiceState> {
  const query = db.selectFrom('service_state').selectAll();
  return serviceState.decode(await (locksRows(db) ? query.forShare() : query).executeTakeFirstOrThrow());
}

/** Converts a stored row, which may have other columns too, into the state. */
export function parseState({ clock_frozen, clock_reading, clock_offset, hold, faults }: StoredState): State {
  return serviceState.decode({ clock_frozen, clock_reading, clock_offset, hold, faults });
}

/** Reads the service's state. */
export async function readState(db: Db): Promise<State> {
  const [row] = await storedState(db, {});
  if (!row) throw new Error('The store is not initialised');
  return parseState(row);
}

/** Reads the service's clock from the store, in epoch milliseconds. */
export async function readNow(db: Db, realNow: number): Promise<number> {
  return readClock(await readState(db), realNow);
}

/** Changes the service's state in a transaction. */
export async function updateState(db: Db, change: Partial<ServiceState>): Promise<void> {
  await db.updateTable('service_state').set(serviceState.encode(change)).execute();
}
