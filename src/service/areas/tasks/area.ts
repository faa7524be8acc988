import { taskHandlers } from './handlers.ts';
import type { Area } from '../../area.ts';

/** Tasks. */
export const taskArea = {
  handlers: taskHandlers,
  rows: [{ table: 'tasks' }],
} satisfies Area;
