import type { campaignStatuses } from '../../../contract/areas/campaigns/endpoints.ts';
import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { accountTable } from '../../store/account-table.ts';
import { boolean, text } from '../../store/columns.ts';
import { type StoredRow, table } from '../../store/table.ts';

export const campaigns = accountTable(
  'campaigns',
  { prefix: 'cmp', record: 'campaign' },
  {
    name: text(),
    agent_id: text().nullable(),
    channel: text<ChannelName>().nullable(),
    outgoing_only: boolean().default(false),
    status: text<(typeof campaignStatuses)[number]>().default('active'),
  },
);

/** The tags of campaigns, with the addresses that are called when contacts get them. */
export const campaignTags = table('campaign_tags', { campaign_id: text(), tag_id: text(), webhook: text() });

/** The knowledge groups that are applied to campaigns. */
export const campaignGroups = table('campaign_groups', { campaign_id: text(), group_id: text() });

declare module '../../store/database.ts' {
  interface Database {
    campaigns: StoredRow<typeof campaigns>;
    campaign_tags: StoredRow<typeof campaignTags>;
    campaign_groups: StoredRow<typeof campaignGroups>;
  }
}
