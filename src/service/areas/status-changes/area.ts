import type { Area } from '../../area.ts';

/** The changes of the status of contacts and deals, which their timelines show. */
export const statusChangeArea = {
  rows: [{ table: 'status_changes' }],
} satisfies Area;
