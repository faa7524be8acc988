import type { Area } from '../../area.ts';
import { indexTables } from '../faqs/index-rows.ts';
import { groupHandlers } from './handlers.ts';

/** Knowledge groups. */
export const groupArea = {
  handlers: groupHandlers,
  rows: [
    {
      table: 'kb_groups',
      dependents: [{ table: 'faq_groups', column: 'group_id' }, ...indexTables.map((rows) => ({ ...rows, column: 'scope' }))],
    },
  ],
} satisfies Area;
