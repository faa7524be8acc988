import { sql } from 'kysely';
import type { Db } from '../store/database.ts';
import { newId } from '../store/ids.ts';
import { insertMany } from '../store/insert.ts';
import { isAmong } from '../store/is-among.ts';
import type { Hold } from '../clock/table.ts';
import type { JobPayloads, RunnableKind } from './job.ts';
import { jobs } from './table.ts';

/** A job to queue. */
export type NewJob = {
  readonly [K in RunnableKind]: {
    readonly kind: K;
    readonly payload: JobPayloads[K];
    readonly accountId: string | null;
    /** When it falls due, by the service's clock, in epoch milliseconds. */
    readonly dueAt: number;
    /** Jobs of one lane share a part of the runner; see `laneOf`. The default lane is the kind of the job. */
    readonly lane?: string;
    /** Identifies the job within its account and kind. */
    readonly key?: string;
    /** The real time before which no process runs it, in epoch milliseconds. */
    readonly waitUntil?: number;
  };
}[RunnableKind];

/** Queues jobs, in the transaction of the change that causes them. @returns their ids, in order */
export async function enqueue(db: Db, ...newJobs: readonly NewJob[]): Promise<string[]> {
  const rows = newJobs.map(rowOf);
  await insertMany(db, jobs, rows);
  return rows.map(({ id }) => id);
}

/** Queues a job with a lease, as if a runner had taken it. @returns its id */
export async function enqueueLeased(
  db: Db,
  job: NewJob,
  { owner, until }: { readonly owner: string; readonly until: number },
): Promise<string> {
  const row = rowOf(job);
  await insertMany(db, jobs, [{ ...row, attempts: 1, lease_owner: owner, lease_until: until }]);
  return row.id;
}

/** Queues a job, unless its account already has one with the same kind and key. @returns its id, if it was queued */
export async function enqueueOnce(db: Db, job: NewJob & { readonly key: string }): Promise<string | undefined> {
  const [queued] = await insertMany(db, jobs, [rowOf(job)], 'on conflict do nothing returning id');
  return queued?.id;
}

function rowOf({ kind, payload, accountId, dueAt, lane = kind, key, waitUntil = 0 }: NewJob) {
  return { id: newId('job'), kind, lane, account_id: accountId, payload, key: key ?? null, due_at: dueAt, lease_until: waitUntil };
}

/** Removes jobs of some kinds from the queue by key. Ignores keys without a job, and keeps jobs that were given up. */
export async function cancelJobs(db: Db, accountId: string, kinds: readonly RunnableKind[], keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await db
    .deleteFrom('jobs')
    .where('account_id', '=', accountId)
    .where('kind', 'in', kinds)
    .where(isAmong(db, 'key', JSON.stringify(keys)))
    // The index by key has only these.
    .where('failure', 'is', null)
    .execute();
}

/** Counts the waiting and running jobs, by kind. */
export async function countJobs(db: Db): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('jobs')
    .select((eb) => ['kind', eb.fn.countAll<number>().as('count')])
    .where('failure', 'is', null)
    .where(hasAccount)
    .groupBy('kind')
    .orderBy('kind')
    .execute();
  return Object.fromEntries(rows.map((row) => [row.kind, row.count]));
}

/** Counts the jobs that are due and that no process has leased, by kind. Held jobs count too. */
export async function countDueJobs(db: Db, now: number, realNow: number): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('jobs')
    .select((eb) => ['kind', eb.fn.countAll<number>().as('count')])
    .where('failure', 'is', null)
    .where('due_at', '<=', now)
    .where('lease_until', '<=', realNow)
    .where(hasAccount)
    .groupBy('kind')
    .execute();
  return Object.fromEntries(rows.map((row) => [row.kind, row.count]));
}

/** Excludes jobs of deleted accounts, which do not run and are not counted. Maintenance deletes them. */
export const hasAccount = sql<boolean>`(account_id is null or account_id not in (select id from accounts where deleted_at is not null))`;

/** The jobs that are due at an instant, in order, without held jobs and jobs that were given up. */
export function dueJobs(db: Db, by: number, hold: Hold) {
  const query = db
    .selectFrom('jobs')
    .selectAll()
    .where('failure', 'is', null)
    .where('due_at', '<=', by)
    .where(hasAccount)
    .orderBy('due_at')
    .orderBy('seq');
  if (hold === 'all') return query.where('seq', '<', 0);
  return hold.length > 0 ? query.where('kind', 'not in', hold) : query;
}

/** The due jobs that no process has leased. */
export function freeJobs(db: Db, by: number, hold: Hold, realNow: number) {
  return dueJobs(db, by, hold).where('lease_until', '<=', realNow);
}
