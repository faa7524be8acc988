import type { StageKind } from '../../../contract/areas/pipelines/endpoints.ts';
import { accountTable } from '../../store/account-table.ts';
import { cents, instant, text } from '../../store/columns.ts';
import type { Row, StoredRow } from '../../store/table.ts';

export const deals = accountTable(
  'deals',
  { prefix: 'dea', record: 'deal' },
  {
    title: text(),
    /** The case-folded title that searches are matched against. */
    search_text: text().internal(),
    pipeline_id: text(),
    stage_id: text(),
    contact_id: text().nullable(),
    value: cents().nullable(),
    currency: text().default('USD'),
    assignee: text().nullable(),
    expected_close_at: instant().nullable(),
    /** The kind of the stage. */
    status: text<StageKind>(),
    stage_changed_at: instant(),
    closed_at: instant().nullable(),
  },
);

export type Deal = Row<typeof deals>;

declare module '../../store/database.ts' {
  interface Database {
    deals: StoredRow<typeof deals>;
  }
}
