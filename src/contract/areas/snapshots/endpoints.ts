import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { id, name, nextCursor, pageQuery, recordId, text, timestamp } from '../../fields.ts';
import { limits } from '../../limits.ts';
import { snapshotKinds } from './kinds.ts';

/** What becomes of a record that is already on the account to which a snapshot is applied. */
export const conflictChoices = ['skip', 'update'] as const;

export type ConflictChoice = (typeof conflictChoices)[number];

/** The states of applying a snapshot, to one account or to all. */
export const applyStates = ['queued', 'processing', 'completed', 'failed'] as const;

export type ApplyState = (typeof applyStates)[number];

const snapshot = () =>
  z.object({
    id: recordId('snp_'),
    name: z.string(),
    description: z.string().nullable(),
    account_id: z.string().describe('the account whose configuration it has'),
    counts: z.partialRecord(z.enum(snapshotKinds), z.int()).describe('how many records of each kind it has'),
    bytes: z.int().describe('the size of the configuration'),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

const attention = () =>
  z.object({
    kind: z.enum(snapshotKinds),
    key: z.string().describe('the name of the record; of a default, its channel and number'),
    reason: z.string().describe('what a person has to do, or why the record was not applied'),
  });

export type Attention = z.output<ReturnType<typeof attention>>;

const applied = () =>
  z.object({
    account_id: z.string(),
    status: z.enum(applyStates),
    created: z.int().describe('how many records were created'),
    updated: z.int().describe('how many records were changed'),
    skipped: z.int().describe('how many records were left as they are'),
    error: z.string().nullable().describe('why the snapshot could not be applied to this account'),
    needs_attention: z.array(attention()),
  });

const shared = { section: 'Snapshots', access: 'agency' } as const;
const edit = { ...shared, permission: 'team.edit' } as const;

export const listSnapshots = endpoint({
  ...shared,
  name: 'snapshots.list',
  method: 'GET',
  path: '/snapshots',
  summary: 'List the snapshots of the agency, newest first',
  query: () => z.object(pageQuery()),
  rows: 'snapshots',
  responses: { 200: () => z.object({ snapshots: z.array(snapshot()), next_cursor: nextCursor() }) },
});

export const createSnapshot = endpoint({
  ...edit,
  name: 'snapshots.create',
  method: 'POST',
  path: '/snapshots',
  summary: 'Take a snapshot of the configuration of an account, to apply it to others',
  body: () =>
    z.object({
      name: name().describe('the name of the snapshot'),
      description: text().nullable().optional().describe('what the snapshot is for'),
      account_id: id().optional().meta({
        description: 'the account whose configuration it gets',
        defaultText: "the agency's own account",
      }),
      include: z
        .array(z.enum(snapshotKinds))
        .min(1, { error: 'must name at least one kind' })
        .max(snapshotKinds.length)
        .optional()
        .describe('the kinds that it gets, with those that they need; all by default'),
    }),
  responses: { 201: () => z.object({ snapshot: snapshot() }) },
  errors: [404],
});

export const getSnapshot = endpoint({
  ...shared,
  name: 'snapshots.get',
  method: 'GET',
  path: '/snapshots/{id}',
  summary: 'Show a snapshot',
  responses: { 200: () => z.object({ snapshot: snapshot() }) },
  errors: [404],
});

export const deleteSnapshot = endpoint({
  ...edit,
  name: 'snapshots.delete',
  method: 'DELETE',
  path: '/snapshots/{id}',
  summary: 'Delete a snapshot; the accounts that it was applied to stay as they are',
  responses: { 200: () => z.object({}) },
  errors: [404, 409],
});

export const applySnapshot = endpoint({
  ...edit,
  name: 'snapshots.apply',
  method: 'POST',
  path: '/snapshots/{id}/apply',
  summary: 'Apply a snapshot to sub-accounts, one after the other',
  body: () =>
    z.object({
      account_ids: z
        .array(id())
        .min(1, { error: 'must not be empty' })
        .max(limits.snapshotAccounts)
        .describe('the sub-accounts that get the configuration'),
      on_conflict: z
        .enum(conflictChoices)
        .default('skip')
        .describe('what becomes of records that are there already: they are left, or get the fields of the snapshot'),
    }),
  responses: { 202: () => z.object({ job_id: z.string().describe('the job, whose state GET /snapshots/{id}/jobs/{jobId} shows') }) },
  errors: [404, 409],
});

export const getSnapshotJob = endpoint({
  ...shared,
  name: 'snapshots.job',
  method: 'GET',
  path: '/snapshots/{id}/jobs/{jobId}',
  summary: 'Show what applying a snapshot did on each account',
  responses: {
    200: () => z.object({ job_id: z.string(), status: z.enum(applyStates), accounts: z.array(applied()) }),
  },
  errors: [404],
});

export const snapshotEndpoints = [listSnapshots, createSnapshot, getSnapshot, deleteSnapshot, applySnapshot, getSnapshotJob] as const;
