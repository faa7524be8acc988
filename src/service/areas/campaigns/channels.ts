import type { Db } from '../../store/database.ts';
import type { Row } from '../../store/table.ts';
import type { campaigns } from './table.ts';

// A channel can be answered by a campaign: its default is then the present agent of the campaign (rule routing.16).

/** Lets the channels that a campaign answers have its present agent. */
export async function passOnAgent(db: Db, { id, agent_id: agentId }: Row<typeof campaigns>): Promise<void> {
  await db
    .updateTable('entry_points')
    .set({ agent_id: agentId ?? '' })
    .where('campaign_id', '=', id)
    .execute();
}

/** Retires the defaults of the channels that a campaign answers, because it answers no more. */
export async function releaseChannels(db: Db, campaignId: string, now: number): Promise<void> {
  await db
    .updateTable('entry_points')
    .set({ enabled: 0, campaign_id: null, updated_at: now })
    .where('campaign_id', '=', campaignId)
    .where('enabled', '=', 1)
    .execute();
}
