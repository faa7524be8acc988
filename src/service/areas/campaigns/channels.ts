import type { Db } from '../../store/database.ts';
import type { Row } from '../../store/table.ts';
import { noteRuleChange } from '../rule-changes/rule-changes.ts';
import type { campaigns } from './table.ts';

// A campaign can answer on a channel: the default of the channel is then the campaign's current agent (rule routing.16).

/** Assigns the campaign's current agent to the channels that the campaign answers on. */
export async function passOnAgent(db: Db, { id, account_id: accountId, agent_id: agentId }: Row<typeof campaigns>): Promise<void> {
  await noteRuleChange(db, accountId);
  await db
    .updateTable('entry_points')
    .set({ agent_id: agentId ?? '' })
    .where('campaign_id', '=', id)
    .execute();
}

/** Disables the channel defaults of a campaign that no longer answers. */
export async function releaseChannels(db: Db, accountId: string, campaignId: string, now: number): Promise<void> {
  await noteRuleChange(db, accountId);
  await db
    .updateTable('entry_points')
    .set({ enabled: 0, campaign_id: null, updated_at: now })
    .where('campaign_id', '=', campaignId)
    .where('enabled', '=', 1)
    .execute();
}
