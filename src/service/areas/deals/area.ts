import type { Area } from '../../area.ts';
import { dealHandlers } from './handlers.ts';

/** Deals with contacts, in the stages of pipelines. */
export const dealArea = {
  handlers: dealHandlers,
  rows: [
    {
      table: 'deals',
      dependents: [
        { table: 'notes', column: 'entity_id' },
        { table: 'status_changes', column: 'entity_id' },
      ],
    },
  ],
} satisfies Area;
