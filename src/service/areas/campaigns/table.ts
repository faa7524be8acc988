import type { CampaignTag, campaignStatuses } from '../../../contract/areas/campaigns/endpoints.ts';
import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { accountTable } from '../../store/account-table.ts';
import { boolean, json, text } from '../../store/columns.ts';
import type { StoredRow } from '../../store/table.ts';

export const campaigns = accountTable(
  'campaigns',
  { prefix: 'cmp', noun: 'Campaign' },
  {
    name: text(),
    agent_id: text().nullable(),
    channel: text<ChannelName>().nullable(),
    outgoing_only: boolean().default(false),
    status: text<(typeof campaignStatuses)[number]>().default('active'),
    tags: json<CampaignTag[]>().default([]),
  },
);

declare module '../../store/database.ts' {
  interface Database {
    campaigns: StoredRow<typeof campaigns>;
  }
}
