import { ApiError } from '../../errors.ts';
import { deleteWithDependents } from '../../identity/deleted-accounts.ts';
import type { Db } from '../../store/database.ts';
import { noteRuleChange } from '../rule-changes/rule-changes.ts';
import { agents } from './table.ts';

/** The number of records of each kind that the error names. */
const blockersShown = 100;

/** Contacts that the agent answers are routed again. There can be many. */
const dependents = [{ table: 'contacts', column: 'agent_id' }];

/**
 * Deletes an agent, unless something refers to it.
 * @throws ApiError 404 for an unknown agent, 409 with a description of what refers to it
 */
export async function deleteAgent(db: Db, accountId: string, id: string, now: number): Promise<void> {
  await agents.require(db, accountId, id);
  await checkUnused(db, accountId, id);
  await db.updateTable('broadcasts').set({ agent_id: null }).where('account_id', '=', accountId).where('agent_id', '=', id).execute();
  await noteRuleChange(db, accountId);
  await db.deleteFrom('entry_points').where('account_id', '=', accountId).where('agent_id', '=', id).execute();
  await deleteWithDependents(db, agents, dependents, accountId, id, now);
}

async function checkUnused(db: Db, accountId: string, id: string): Promise<void> {
  const campaigns = await db
    .selectFrom('campaigns')
    .select('id')
    .where('account_id', '=', accountId)
    .where('agent_id', '=', id)
    .orderBy('seq')
    .limit(blockersShown)
    .execute();
  const broadcasts = await db
    .selectFrom('broadcasts')
    .select('id')
    .where('account_id', '=', accountId)
    .where('agent_id', '=', id)
    .where('status', 'not in', ['Sent', 'Failed'])
    .orderBy('seq')
    .limit(blockersShown)
    .execute();
  const entryPoints = await db
    .selectFrom('entry_points')
    .select('id')
    .where('account_id', '=', accountId)
    .where('agent_id', '=', id)
    .where('enabled', '=', 1)
    .orderBy('seq')
    .limit(blockersShown)
    .execute();
  if (campaigns.length + broadcasts.length + entryPoints.length === 0) return;
  throw new ApiError(409, 'The agent is still attached: detach it from what is listed first', {
    blocking_campaign_ids: campaigns.map((row) => row.id),
    blocking_broadcast_ids: broadcasts.map((row) => row.id),
    blocking_entry_point_ids: entryPoints.map((row) => row.id),
  });
}
