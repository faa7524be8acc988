import { accountTable } from '../../store/account-table.ts';
import { integer, text } from '../../store/columns.ts';
import type { Row, StoredRow } from '../../store/table.ts';

/** The files that agents can send. Their content is in the storage of the account. */
export const agentMedia = accountTable(
  'agent_media',
  { prefix: 'med', record: 'media' },
  {
    agent_id: text().internal(),
    name: text(),
    description: text().nullable(),
    mime_type: text(),
    bytes: integer(),
    storage_path: text().internal(),
  },
);

export type AgentMedia = Row<typeof agentMedia>;

declare module '../../store/database.ts' {
  interface Database {
    agent_media: StoredRow<typeof agentMedia>;
  }
}
