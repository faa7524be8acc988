import { updateState } from '../clock/state.ts';
import type { Store } from '../store/store.ts';
import { isDead, releaseLeases } from './leases.ts';

/** Releases the job leases and the claim on the clock that belong to dead processes on this machine. */
export async function recover(store: Store): Promise<void> {
  const leases = await store.read((db) =>
    db.selectFrom('jobs').select('lease_owner').distinct().where('lease_owner', 'is not', null).execute(),
  );
  const dead = leases.flatMap(({ lease_owner: owner }) => (owner !== null && isDead(owner) ? [owner] : []));
  if (dead.length > 0) await store.write((db) => releaseLeases(db, dead));
  const { advance_owner: advancing } = await store.read((db) =>
    db.selectFrom('service_state').select('advance_owner').executeTakeFirstOrThrow(),
  );
  if (advancing !== null && isDead(advancing)) await store.write((db) => updateState(db, { advance_owner: null, advance_until: 0 }));
}
