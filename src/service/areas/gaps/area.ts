import type { Area } from '../../area.ts';
import { indexTables } from '../faqs/index-rows.ts';
import { gapScope } from '../faqs/searched-texts.ts';
import { gapHandlers } from './handlers.ts';

/** What agents could not answer. */
export const gapArea = {
  handlers: gapHandlers,
  rows: [
    { table: 'gap_wordings' },
    {
      table: 'knowledge_gaps',
      dependents: [
        { table: 'gap_askings', column: 'gap_id' },
        { table: 'gap_contacts', column: 'gap_id' },
        { table: 'gap_agents', column: 'gap_id' },
      ],
    },
    ...indexTables.map((rows) => ({ ...rows, column: 'scope', ownerOf: gapScope })),
  ],
} satisfies Area;
