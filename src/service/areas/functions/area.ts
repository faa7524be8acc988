import type { Area } from '../../area.ts';
import { functionHandlers } from './handlers.ts';

/** Custom functions, and the agents that may call them. */
export const functionArea = {
  handlers: functionHandlers,
  rows: [{ table: 'custom_functions', dependents: [{ table: 'agent_functions', column: 'function_id' }] }],
} satisfies Area;
