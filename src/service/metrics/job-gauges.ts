import { readClock } from '../clock/clock.ts';
import { readState } from '../clock/state.ts';
import { countDueJobs, countJobs } from '../jobs/queue.ts';
import type { Store } from '../store/store.ts';
import type { Gauges } from './meters.ts';

/** The jobs of each kind that are due, and those that are held. Held jobs are not due, whatever the clock says. */
export async function readJobGauges(store: Store, realNow: number): Promise<Gauges['jobs']> {
  return await store.read(async (db) => {
    const state = await readState(db);
    const { hold } = state;
    const due = await countDueJobs(db, readClock(state, realNow), realNow);
    const waiting = hold.length > 0 ? await countJobs(db) : {};
    const isHeld = (kind: string) => hold === 'all' || (hold as readonly string[]).includes(kind);
    const kinds = [...new Set([...Object.keys(due), ...Object.keys(waiting).filter(isHeld)])];
    return Object.fromEntries(
      kinds.map((kind) => [kind, isHeld(kind) ? { due: 0, held: waiting[kind] ?? 0 } : { due: due[kind] ?? 0, held: 0 }]),
    );
  });
}
