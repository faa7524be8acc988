import { taskHandlers } from './handlers.ts';
import type { Area } from '../../area.ts';

/** Tasks. */
export const taskArea = {
  handlers: taskHandlers,
  rows: [{ table: 'tasks', dependents: [{ table: 'notes', column: 'entity_id' }] }],
} satisfies Area;
