import type { Area } from '../../area.ts';

/** Uploaded documents. */
export const uploadArea = {
  // Each holds up to megabytes.
  rows: [{ table: 'uploads', atOnce: 1 }],
} satisfies Area;
