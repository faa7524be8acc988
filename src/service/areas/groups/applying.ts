import type { applyGroup } from '../../../contract/areas/groups/endpoints.ts';
import type { Body } from '../../../contract/endpoint.ts';
import { limits } from '../../../contract/limits.ts';
import { checkRoom } from '../../store/check-room.ts';
import type { Db } from '../../store/database.ts';
import { insertMany } from '../../store/insert.ts';
import { requireAgent } from '../agents/records.ts';
import { agentGroups } from '../agents/table.ts';
import { campaignGroups, campaigns } from '../campaigns/table.ts';

/** The agent or the campaign that a group is applied to. */
type Target = Body<typeof applyGroup>;

/**
 * Applies a group to an agent or a campaign.
 * @throws ApiError 404 when the account has no such agent or campaign, 400 when the group is applied to as many as it can be
 */
export async function applyTo(db: Db, accountId: string, groupId: string, target: Target): Promise<void> {
  await requireTarget(db, accountId, target);
  const { agent_id: agent, campaign_id: campaign } = target;
  if (agent !== undefined) await insertMany(db, agentGroups, [{ agent_id: agent, group_id: groupId }], 'on conflict do nothing');
  if (campaign !== undefined) await applyToCampaign(db, groupId, campaign);
}

async function applyToCampaign(db: Db, groupId: string, campaignId: string): Promise<void> {
  const row = { campaign_id: campaignId, group_id: groupId };
  const [added] = await insertMany(db, campaignGroups, [row], 'on conflict do nothing returning *');
  const full = `The group is applied to ${limits.groupCampaigns} campaigns, as many as it can be: unapply it from one first`;
  if (added) await checkRoom(db, { table: 'campaign_groups', column: 'group_id', owner: groupId }, limits.groupCampaigns + 1, full);
}

/** Undoes `applyTo`. @throws ApiError 404 when the account has no such agent or campaign */
export async function unapplyFrom(db: Db, accountId: string, groupId: string, target: Target): Promise<void> {
  await requireTarget(db, accountId, target);
  const { agent_id: agent, campaign_id: campaign } = target;
  if (agent !== undefined) await db.deleteFrom('agent_groups').where('agent_id', '=', agent).where('group_id', '=', groupId).execute();
  if (campaign !== undefined)
    await db.deleteFrom('campaign_groups').where('campaign_id', '=', campaign).where('group_id', '=', groupId).execute();
}

async function requireTarget(db: Db, accountId: string, { agent_id: agent, campaign_id: campaign }: Target): Promise<void> {
  if (agent !== undefined) await requireAgent(db, accountId, agent);
  if (campaign !== undefined) await campaigns.require(db, accountId, campaign);
}
