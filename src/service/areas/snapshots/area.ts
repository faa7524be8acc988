import type { Area } from '../../area.ts';
import { snapshotHandlers } from './handlers.ts';
import { snapshotApply, snapshotFailpoints } from './job.ts';

/** The configurations that agencies keep and apply to their sub-accounts. */
export const snapshotArea = {
  handlers: snapshotHandlers,
  jobs: { snapshot_apply: snapshotApply },
  failpoints: snapshotFailpoints,
  // Each has up to megabytes.
  rows: [{ table: 'snapshots', atOnce: 1 }],
} satisfies Area;
