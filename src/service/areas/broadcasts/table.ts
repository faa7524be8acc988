import type { BroadcastStatus } from '../../../contract/areas/broadcasts/endpoints.ts';
import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { accountTable } from '../../store/account-table.ts';
import { instant, integer, json, text } from '../../store/columns.ts';
import type { Row, StoredRow } from '../../store/table.ts';

export const broadcasts = accountTable(
  'broadcasts',
  { prefix: 'brd', record: 'broadcast' },
  {
    name: text(),
    channel: text<ChannelName>(),
    agent_id: text().nullable(),
    body: text().nullable(),
    template_id: text().nullable(),
    /** The number of contacts that are named; null if only lists are. */
    contact_count: integer().nullable(),
    list_ids: json<readonly string[]>().default([]),
    scheduled_at: instant().nullable(),
    status: text<BroadcastStatus>().default('Draft'),
    /** Incremented whenever the broadcast is approved, paused, resumed or canceled. A job with an earlier number does nothing. */
    run: integer().default(0).internal(),
    total: integer().default(0).internal(),
    sent: integer().default(0).internal(),
    delivered: integer().default(0).internal(),
    read: integer().default(0).internal(),
    replied: integer().default(0).internal(),
    failed: integer().default(0).internal(),
    /** The contacts that are named. They come last, so that a list does not read those of large broadcasts. */
    contact_ids: json<readonly string[]>().default([]),
    /** Those of them that were given more than once. */
    repeated_ids: json<readonly string[]>().default([]).internal(),
  },
);

export type Broadcast = Row<typeof broadcasts>;

declare module '../../store/database.ts' {
  interface Database {
    broadcasts: StoredRow<typeof broadcasts>;
  }
}
