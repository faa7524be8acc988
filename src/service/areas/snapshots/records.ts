import { promisify } from 'node:util';
import type { ApplyState } from '../../../contract/areas/snapshots/endpoints.ts';
import { ApiError, notFound } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { insertMany } from '../../store/insert.ts';
import { isEnded, stateOfAll } from './rules.ts';
import { type Snapshot, snapshotContents, snapshotJobAccounts, snapshotJobs, snapshots, type Target } from './table.ts';

/** A snapshot as answers show it. `account_id` is the account whose configuration it has. */
export function snapshotRecord(row: Snapshot) {
  const { id, name, description, counts, bytes, created_at, updated_at } = snapshots.show(row);
  return { id, name, description, account_id: row.source_id, counts, bytes, created_at, updated_at };
}

// zlib is loaded on request: a command on the embedded store rarely needs it.

/** Compresses the text of a configuration. */
export async function packText(text: string): Promise<Uint8Array> {
  const { gzip } = await import('node:zlib');
  return await promisify(gzip)(text);
}

/** Reads the text of the configuration of a snapshot. */
export async function readText(db: Db, snapshotId: string): Promise<string> {
  const query = db.selectFrom('snapshot_contents').select('records').where('snapshot_id', '=', snapshotId);
  const { records } = await query.executeTakeFirstOrThrow();
  const { gunzip } = await import('node:zlib');
  return (await promisify(gunzip)(records)).toString();
}

/** Stores the configuration of a snapshot. */
export async function saveText(db: Db, snapshotId: string, packed: Uint8Array): Promise<void> {
  await insertMany(db, snapshotContents, [{ snapshot_id: snapshotId, records: packed }]);
}

/** @throws ApiError 409 while the snapshot is being applied */
export async function checkNotApplied(db: Db, snapshotId: string): Promise<void> {
  const open = await db
    .selectFrom('snapshot_jobs')
    .innerJoin('snapshot_job_accounts', 'snapshot_job_accounts.job_id', 'snapshot_jobs.id')
    .select('snapshot_jobs.id')
    .where('snapshot_id', '=', snapshotId)
    .where('status', 'in', ['queued', 'processing'] satisfies ApplyState[])
    .executeTakeFirst();
  if (open) throw new ApiError(409, `The snapshot is being applied (${open.id}); try again when that has ended`);
}

/** Queues the accounts of a job, in the order in which they get the configuration. */
export async function queueTargets(db: Db, jobId: string, targetIds: readonly string[]): Promise<void> {
  const initial = { status: 'queued', created: 0, updated: 0, skipped: 0, error: null, needs_attention: [] } as const;
  const rows = targetIds.map((target_id, position) => ({ job_id: jobId, position, target_id, ...initial }));
  await insertMany(db, snapshotJobAccounts, rows);
}

/** The accounts of a job, in their order. */
export async function targetsOf(db: Db, jobId: string): Promise<Target[]> {
  const rows = await db.selectFrom('snapshot_job_accounts').selectAll().where('job_id', '=', jobId).orderBy('position').execute();
  return rows.map((row) => snapshotJobAccounts.decode(row));
}

/** The next account of a job that has not ended; undefined if all have. */
export async function nextTarget(db: Db, jobId: string): Promise<Target | undefined> {
  return (await targetsOf(db, jobId)).find(({ status }) => !isEnded(status));
}

/** Changes what is known about an account of a job. */
export async function changeTarget(db: Db, { job_id, position }: Target, change: Partial<Target>): Promise<void> {
  await db
    .updateTable('snapshot_job_accounts')
    .set(snapshotJobAccounts.encode(change))
    .where('job_id', '=', job_id)
    .where('position', '=', position)
    .execute();
}

/** What a job did, as answers show it. @throws ApiError 404 when the snapshot has no such job */
export async function jobRecord(db: Db, agencyId: string, snapshotId: string, jobId: string) {
  const job = await snapshotJobs.require(db, agencyId, jobId);
  if (job.snapshot_id !== snapshotId) throw notFound('job');
  const targets = await targetsOf(db, job.id);
  const accounts = targets.map(({ target_id, status, created, updated, skipped, error, needs_attention }) => ({
    account_id: target_id,
    status,
    created,
    updated,
    skipped,
    error,
    needs_attention: [...needs_attention],
  }));
  return { job_id: job.id, status: stateOfAll(accounts.map(({ status }) => status)), accounts };
}
