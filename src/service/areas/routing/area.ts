import { routingHandlers } from './handlers.ts';
import type { Area } from '../../area.ts';
import type { Retention } from '../../maintenance/retention.ts';
import { trimming } from '../../maintenance/trimming.ts';

/** The rules that decide who answers. */
export const routingArea = {
  handlers: routingHandlers,
  rows: [{ table: 'entry_points' }],
  trimming: ({ messages }: Retention) => (messages === null ? null : trimming({ table: 'decisions', time: 'created_at', keep: messages })),
} satisfies Area;
