import type { ApplyState, Attention, ConflictChoice } from '../../../contract/areas/snapshots/endpoints.ts';
import type { SnapshotKind } from '../../../contract/areas/snapshots/kinds.ts';
import { accountTable } from '../../store/account-table.ts';
import { bytes, integer, json, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';

/** The snapshots of agencies. */
export const snapshots = accountTable(
  'snapshots',
  { prefix: 'snp', record: 'snapshot' },
  {
    name: text(),
    description: text().nullable(),
    /** The account whose configuration it has. It may be deleted since. */
    source_id: text().internal(),
    counts: json<Partial<Record<SnapshotKind, number>>>(),
    bytes: integer(),
  },
);

export type Snapshot = Row<typeof snapshots>;

/** The configuration of snapshots, as compressed JSON. */
export const snapshotContents = table('snapshot_contents', { snapshot_id: text(), records: bytes() });

/** Which snapshot is applied, and how. */
export const snapshotJobs = accountTable(
  'snapshot_jobs',
  { prefix: 'job', record: 'job' },
  { snapshot_id: text(), on_conflict: text<ConflictChoice>() },
);

/** The accounts to which snapshots are applied, in their order. */
export const snapshotJobAccounts = table('snapshot_job_accounts', {
  job_id: text(),
  position: integer(),
  target_id: text(),
  status: text<ApplyState>(),
  plan: json<FirstPlan>().nullable(),
  created: integer(),
  updated: integer(),
  skipped: integer(),
  error: text().nullable(),
  needs_attention: json<readonly Attention[]>(),
});

export type Target = Row<typeof snapshotJobAccounts>;

/**
 * What applying a snapshot to an account was to change, as planned before its first write. After a crash the account is planned
 * again, and this tells the records that are new from those that were there.
 */
export interface FirstPlan {
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
  /** The records that are created: their kinds and keys. */
  readonly own: readonly string[];
}

declare module '../../store/database.ts' {
  interface Database {
    snapshots: StoredRow<typeof snapshots>;
    snapshot_contents: StoredRow<typeof snapshotContents>;
    snapshot_jobs: StoredRow<typeof snapshotJobs>;
    snapshot_job_accounts: StoredRow<typeof snapshotJobAccounts>;
  }
}
