import { ApiError } from '../../errors.ts';
import type { Account } from '../../identity/accounts.ts';
import type { Db } from '../../store/database.ts';
import { eventTypes } from '../events/table.ts';
import { type AgentFields, agentBytes } from './changes.ts';
import { countAgents } from './records.ts';
import { linkRules } from './tagging-rules.ts';
import { type Agent, agents } from './table.ts';

/** The columns that are set from the fields of a request, after their references were checked. */
type Columns = Partial<Omit<Agent, 'id' | 'seq' | 'account_id' | 'created_at' | 'updated_at'>>;

/** @throws ApiError 403 when the plan does not include the tier */
export function checkTier({ plan }: Account, tier: Agent['ai_model_tier'] | undefined): void {
  if (tier && !plan.ai_model_tiers.includes(tier)) throw new ApiError(403, `The plan of this account does not include the tier ${tier}`);
}

/**
 * Checks the references of fields, then the model tier, and links the tagging rules. Creates tags that do not exist.
 * @throws ApiError 404 for an unknown event type or tag, 403 for a tier that the plan does not include, 409 when two rules are
 * for the same tag
 */
export async function readColumns(
  db: Db,
  account: Account,
  agent: Pick<Agent, 'tags'>,
  { tags, ...fields }: AgentFields,
  now: number,
): Promise<Columns> {
  for (const id of [fields.event_id, ...(fields.event_ids ?? [])]) if (id) await eventTypes.require(db, account.id, id);
  const columns = { ...agents.read(fields), ...(tags && { tags: await linkRules(db, account.id, tags, agent.tags, now) }) };
  checkTier(account, fields.ai_model_tier);
  return columns;
}

/** @throws ApiError 400 when the agent is larger than the plan allows */
export function checkSize({ plan }: Account, agent: Agent): void {
  const bytes = agentBytes(agent);
  if (bytes > plan.max_agent_bytes)
    throw new ApiError(400, `The agent would have ${bytes} bytes: the plan of this account allows ${plan.max_agent_bytes}`);
}

/** @throws ApiError 403 when the account already has as many agents as its plan allows */
async function checkAllowance(db: Db, { id, plan }: Account): Promise<void> {
  if ((await countAgents(db, id)) >= plan.max_agents) throw new ApiError(403, `The plan of this account allows ${plan.max_agents} agents`);
}

/**
 * Creates an agent. The account must be locked, so that concurrent requests cannot exceed the plan's number of agents.
 * @throws ApiError 400 when it is too large, 403 when the account already has as many agents as its plan allows
 */
export async function createAgent(db: Db, account: Account, columns: Columns & { readonly name: string }, now: number): Promise<Agent> {
  await checkAllowance(db, account);
  const agent = await agents.create(db, account.id, columns, now);
  checkSize(account, agent);
  return agent;
}

/** Changes an agent. @throws ApiError 400 when it would become too large */
export async function changeAgent(db: Db, account: Account, agent: Agent, columns: Columns, now: number): Promise<Agent> {
  checkSize(account, { ...agent, ...columns });
  return await agents.change(db, account.id, agent.id, columns, now);
}
