import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { sql } from 'kysely';
import { isRunning } from '../../processes/is-running.ts';
import type { Db } from '../store/database.ts';
import { alsoHas, isAmong, isAmongFound } from '../store/is-among.ts';
import { locksRows, preparedChange } from '../store/prepared.ts';
import type { StoredRow } from '../store/table.ts';
import type { Job } from './job.ts';
import { jobs } from './table.ts';

/** The duration of a lease that is not renewed, in real milliseconds. Longer than any request of a job. */
export const leaseLength = 60_000;

/** A job that this process has leased. */
export type LeasedJob = Job & { readonly lane: string };

/** The leases of a runner. A lease prevents other processes from running the job. */
export class Leases {
  /** Identifies this runner and its process. */
  readonly owner = `${hostname()}/${process.pid}/${randomUUID()}`;
  readonly #realNow: () => number;
  /** The ids of the running jobs. Only their leases are renewed. */
  readonly #held = new Set<string>();

  constructor(realNow: () => number) {
    this.#realNow = realNow;
    liveOwners.add(this.owner);
  }

  /** The expiry of a lease taken now, in real epoch milliseconds. */
  get until(): number {
    return this.#realNow() + leaseLength;
  }

  /** Leases jobs, in the transaction that has read them. */
  async take(db: Db, rows: readonly StoredRow<typeof jobs>[]): Promise<LeasedJob[]> {
    if (rows.length === 0) return [];
    await leaseJobs(db, { ids: JSON.stringify(rows.map(({ id }) => id)), owner: this.owner, until: this.until });
    return rows.map(leasedJob);
  }

  /** Starts renewing the lease of a job that is now running. */
  hold(id: string): void {
    this.#held.add(id);
  }

  /** Stops renewing the lease of a job. A lease that could not be released expires. */
  letGo(id: string): void {
    this.#held.delete(id);
  }

  /** Renews the leases of the running jobs. */
  async renew(db: Db): Promise<void> {
    if (this.#held.size === 0) return;
    await renewLeases(db, { ids: JSON.stringify([...this.#held]), owner: this.owner, until: this.until });
  }

  /** Ends this runner. Its leases then count as those of a dead process. */
  end(): void {
    liveOwners.delete(this.owner);
  }
}

const leaseJobs = preparedChange<{ ids: string; owner: string; until: number }>((db, $) =>
  db
    .updateTable('jobs')
    .set((eb) => ({ lease_owner: $.owner, lease_until: $.until, attempts: eb('attempts', '+', 1) }))
    .where(isAmong(db, 'id', $.ids)),
);

const renewLeases = preparedChange<{ ids: string; owner: string; until: number }>((db, $) => {
  const held = db
    .selectFrom('jobs')
    .select('id')
    .where(isAmong(db, 'id', $.ids))
    .where(alsoHas(db, 'lease_owner', $.owner));
  // A job that is locked by another transaction is about to end.
  const free = locksRows(db) ? held.forUpdate().skipLocked() : held;
  return db
    .updateTable('jobs')
    .set({ lease_until: $.until })
    .where(isAmongFound(db, 'id', sql`${free}`));
});

/** Releases the leases of runners, so that others can run the jobs. */
export async function releaseLeases(db: Db, owners: readonly string[]): Promise<void> {
  await db.updateTable('jobs').set({ lease_owner: null, lease_until: 0 }).where('lease_owner', 'in', owners).execute();
}

function leasedJob(stored: StoredRow<typeof jobs>): LeasedJob {
  const row = jobs.decode({ ...stored });
  return {
    id: row.id,
    kind: row.kind,
    lane: row.lane,
    accountId: row.account_id,
    payload: row.payload as Job['payload'],
    dueAt: row.due_at,
    attempt: row.attempts + 1,
  };
}

/** The owner ids of the runners in this process. */
const liveOwners = new Set<string>();

/** Whether a runner is dead, that is, its process ran on this machine and has ended. */
export function isDead(owner: string): boolean {
  const [host, pid] = owner.split('/');
  if (host !== hostname()) return false;
  if (Number(pid) === process.pid) return !liveOwners.has(owner);
  return !isRunning(Number(pid));
}
