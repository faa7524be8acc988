import { limits } from '../../../contract/limits.ts';
import { ApiError, notFound } from '../../errors.ts';
import { type AreaHandlers, ownTransactionsHandler, type Service } from '../../http/handler.ts';
import { type Account, findManagedAccount } from '../../identity/accounts.ts';
import { queueNext } from './job.ts';
import { checkNotApplied, jobRecord, packText, queueTargets, saveText, snapshotRecord } from './records.ts';
import { snapshotJobs, snapshots } from './table.ts';

export const snapshotHandlers: AreaHandlers<'snapshots'> = {
  'snapshots.list': async ({ db, account, page }) => {
    const { rows, next_cursor } = await page((before, limit) => snapshots.list(db, account.id, before, limit));
    return { snapshots: rows.map(snapshotRecord), next_cursor };
  },

  'snapshots.create': ownTransactionsHandler(async ({ service, account, body, now, write, keep }) => {
    const source = await findSource(service, account, body.account_id);
    // Account as code is a large part of the program that the service rarely needs.
    const { countKinds, readConfiguration, textOf } = await import('./configuration.ts');
    const records = await service.store.snapshot((db) => readConfiguration(service.readsAt(source, db), body.include));
    const text = textOf(records);
    const bytes = Buffer.byteLength(text);
    if (bytes > limits.snapshotBytes)
      throw new ApiError(
        400,
        `The configuration has ${bytes} bytes, but a snapshot has at most ${limits.snapshotBytes}; name kinds in include`,
      );
    const packed = await packText(text);
    return await write(async (db) => {
      const fields = { name: body.name, description: body.description ?? null, source_id: source.id, counts: countKinds(records), bytes };
      const row = await snapshots.create(db, account.id, fields, now);
      await saveText(db, row.id, packed);
      const answer = { snapshot: snapshotRecord(row) };
      await keep(db, answer);
      return answer;
    });
  }),

  'snapshots.get': async ({ db, account, params }) => ({
    snapshot: snapshotRecord(await snapshots.require(db, account.id, params.id)),
  }),

  'snapshots.delete': async ({ db, account, params }) => {
    await snapshots.require(db, account.id, params.id);
    await checkNotApplied(db, params.id);
    await snapshots.delete(db, account.id, params.id);
    return {};
  },

  'snapshots.apply': async ({ db, account, params, body, now }) => {
    const snapshot = await snapshots.require(db, account.id, params.id);
    const targetIds = [...new Set(body.account_ids)];
    for (const id of targetIds) if (!(await findManagedAccount(db, account.id, id))) throw notFound('sub_account', id);
    await checkNotApplied(db, snapshot.id);
    const job = await snapshotJobs.create(db, account.id, { snapshot_id: snapshot.id, on_conflict: body.on_conflict }, now);
    await queueTargets(db, job.id, targetIds);
    await queueNext(db, account.id, job.id, now);
    return { job_id: job.id };
  },

  'snapshots.job': async ({ db, account, params }) => {
    await snapshots.require(db, account.id, params.id);
    return await jobRecord(db, account.id, params.id, params.jobId);
  },
};

/** The account whose configuration a snapshot gets. @throws ApiError 404 when the agency does not have it */
async function findSource({ store }: Service, agency: Account, id = agency.id): Promise<Account> {
  if (id === agency.id) return agency;
  const account = await store.read((db) => findManagedAccount(db, agency.id, id));
  if (!account) throw notFound('sub_account', id);
  return account;
}
