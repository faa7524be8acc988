import { listHandlers } from './handlers.ts';
import type { Area } from '../../area.ts';

/** Lists of contacts. */
export const listArea = {
  handlers: listHandlers,
  rows: [{ table: 'lists', dependents: [{ table: 'list_contacts', column: 'list_id' }] }],
} satisfies Area;
