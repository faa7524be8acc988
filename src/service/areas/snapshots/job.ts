import { limits } from '../../../contract/limits.ts';
import type { Finish, JobDefinition } from '../../jobs/job.ts';
import { type Account, findManagedAccount } from '../../identity/accounts.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Parts } from '../../parts.ts';
import type { Db } from '../../store/database.ts';
import type { Applied } from './applying.ts';
import { changeTarget, nextTarget, readText } from './records.ts';
import { snapshotJobs, type Target } from './table.ts';

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    /** The `job_id` of applying a snapshot. A job applies it to one account, and queues the next. */
    snapshot_apply: { readonly apply: string };
  }
}

declare module '../../drills/failpoint.ts' {
  interface FailpointNames {
    snapshot: (typeof snapshotFailpoints)[number];
  }
}

/** After everything is written on an account, before the job knows it. */
export const snapshotFailpoints = ['snapshot.applied'] as const;

/** Queues applying a snapshot to the next account. */
export async function queueNext(db: Db, agencyId: string, apply: string, now: number): Promise<void> {
  await enqueue(db, { kind: 'snapshot_apply', accountId: agencyId, payload: { apply }, dueAt: now });
}

/** Applies a snapshot to one account after the other (rules snapshots.4 to snapshots.7). */
export const snapshotApply: JobDefinition<'snapshot_apply'> = {
  run: async ({ accountId, payload: { apply } }, parts) => {
    const agencyId = accountId ?? '';
    const next = await parts.store.read(async (db) => {
      const target = await nextTarget(db, apply);
      return target && { target, account: await findManagedAccount(db, agencyId, target.target_id) };
    });
    if (!next) return undefined;
    const { target, account } = next;
    const applied = account && (await applyTo(parts, agencyId, target, account));
    parts.failpoint('snapshot.applied');
    return end(agencyId, target, applied);
  },
  giveUp:
    ({ accountId, payload: { apply } }) =>
    async (db, now) => {
      const target = await nextTarget(db, apply);
      if (target) await fail(db, target, 'The service failed to apply the snapshot');
      if (target) await goOn(db, accountId ?? '', apply, now);
    },
};

async function applyTo(parts: Parts, agencyId: string, target: Target, account: Account): Promise<Applied> {
  const { store } = parts;
  const write = (change: Partial<Target>) =>
    store.write((db) => changeTarget(db, target, change), { accounts: [agencyId], isDurable: false });
  await write({ status: 'processing' });
  const { job, text } = await store.read(async (db) => {
    const job = await snapshotJobs.require(db, agencyId, target.job_id);
    return { job, text: await readText(db, job.snapshot_id) };
  });
  // Account as code is a large part of the program that the service rarely needs.
  const applying = await import('./applying.ts');
  return await applying.applyTo({
    account: parts.callsFor(account),
    text,
    onConflict: job.on_conflict,
    now: parts.realNow(),
    firstPlan: target.plan,
    keepPlan: (plan) => write({ plan }),
  });
}

/** Ends an account. @param applied undefined if it was deleted */
function end(agencyId: string, target: Target, applied: Applied | undefined): Finish {
  return async (db, now) => {
    const isThere = applied && (await findManagedAccount(db, agencyId, target.target_id)) !== undefined;
    if (!isThere) await fail(db, target, 'The account was deleted');
    else {
      const { error, created, updated, skipped, attention } = applied;
      const status = error === null ? 'completed' : 'failed';
      await changeTarget(db, target, {
        status,
        created,
        updated,
        skipped,
        error,
        needs_attention: attention.slice(0, limits.snapshotAttention),
        plan: null,
      });
    }
    await goOn(db, agencyId, target.job_id, now);
  };
}

async function fail(db: Db, target: Target, error: string): Promise<void> {
  await changeTarget(db, target, { status: 'failed', error, plan: null });
}

async function goOn(db: Db, agencyId: string, apply: string, now: number): Promise<void> {
  if (await nextTarget(db, apply)) await queueNext(db, agencyId, apply, now);
}
