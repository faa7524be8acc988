import type { Body } from '../../../contract/endpoint.ts';
import type { campaignStatuses, updateCampaign } from '../../../contract/areas/campaigns/endpoints.ts';
import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { requireAgent } from '../agents/records.ts';
import { AccountRecords, type Fields, type Stored } from '../../store/account-records.ts';
import { iso } from '../../clock/clock.ts';
import type { AreaHandlers } from '../../http/context.ts';
import { ApiError } from '../../errors.ts';

const campaigns = new AccountRecords('campaigns', 'cmp', 'Campaign');

/** A campaign as answers show it (5/B, Campaigns). */
function campaignRecord(row: Stored<'campaigns'>) {
  return {
    id: row.id,
    name: row.name,
    agent_id: row.agent_id,
    channel: row.channel as ChannelName | null,
    outgoing_only: row.outgoing_only === 1,
    status: row.status as (typeof campaignStatuses)[number],
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

/** The columns that a request's fields change. */
function columnsOf({ outgoing_only: outgoingOnly, ...fields }: Body<typeof updateCampaign>): Partial<Fields<'campaigns'>> {
  return { ...fields, ...(outgoingOnly !== undefined && { outgoing_only: outgoingOnly ? 1 : 0 }) };
}

export const campaignHandlers: AreaHandlers<'campaigns'> = {
  'campaigns.list': async ({ db, account, page }) => {
    const { rows, next_cursor } = await page((before, take) => campaigns.list(db, account.id, before, take));
    return { campaigns: rows.map(campaignRecord), next_cursor };
  },

  'campaigns.create': async ({ db, account, body, now }) => {
    if (body.agent_id) await requireAgent(db, account.id, body.agent_id);
    const fields = { name: body.name, agent_id: null, channel: null, outgoing_only: 0, status: 'active', ...columnsOf(body) };
    return { campaign: campaignRecord(await campaigns.insert(db, account.id, fields, now)) };
  },

  'campaigns.get': async ({ db, account, params }) => ({
    campaign: campaignRecord(await campaigns.require(db, account.id, params.id)),
  }),

  'campaigns.update': async ({ db, account, params, body, now }) => {
    if (Object.keys(body).length === 0) throw new ApiError(400, 'No fields to update');
    await campaigns.require(db, account.id, params.id);
    if (body.agent_id) await requireAgent(db, account.id, body.agent_id);
    return { campaign: campaignRecord(await campaigns.change(db, account.id, params.id, columnsOf(body), now)) };
  },

  'campaigns.delete': async ({ db, account, params }) => {
    await campaigns.remove(db, account.id, params.id);
    return {};
  },
};
