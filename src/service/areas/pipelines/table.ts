import type { StageKind } from '../../../contract/areas/pipelines/endpoints.ts';
import { accountTable } from '../../store/account-table.ts';
import { integer, text } from '../../store/columns.ts';
import type { Row, StoredRow } from '../../store/table.ts';

export const pipelines = accountTable('pipelines', { prefix: 'ppl', record: 'pipeline' }, { name: text(), folded_name: text().internal() });

export type Pipeline = Row<typeof pipelines>;

export const stages = accountTable(
  'pipeline_stages',
  { prefix: 'stg', record: 'stage' },
  {
    pipeline_id: text().internal(),
    position: integer().internal(),
    name: text(),
    kind: text<StageKind>(),
    deal_count: integer().default(0),
  },
);

export type Stage = Row<typeof stages>;

declare module '../../store/database.ts' {
  interface Database {
    pipelines: StoredRow<typeof pipelines>;
    pipeline_stages: StoredRow<typeof stages>;
  }
}
