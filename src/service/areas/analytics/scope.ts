import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { readState } from '../../clock/state.ts';
import { ApiError } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { agents } from '../agents/table.ts';
import { campaigns } from '../campaigns/table.ts';
import type { Period } from './period.ts';

/** The campaign or the agent that figures cover. When both are undefined, they cover the whole account. */
interface Scope {
  readonly campaignId: string | undefined;
  readonly agentId: string | undefined;
}

/** The account, scope and period of a query. */
export interface Extent extends Scope {
  readonly accountId: string;
  readonly period: Period;
}

/** The campaign or the agent of a query. */
export interface ScopeQuery {
  readonly campaign_id?: string | undefined;
  readonly agent_id?: string | undefined;
}

/** A query condition for rows in a scope. @param agentColumn the column with the agent that a row counts for */
export function ofScope({ campaignId, agentId }: Scope, table: string, agentColumn = 'agent_id'): RawBuilder<SqlBool> {
  if (campaignId !== undefined) return sql`${sql.ref(`${table}.campaign_id`)} = ${campaignId}`;
  return agentId === undefined ? sql`true` : sql`${sql.ref(`${table}.${agentColumn}`)} = ${agentId}`;
}

/** Whether a row is in a scope. */
export function isOfScope({ campaignId, agentId }: Scope, row: { readonly campaign_id: string; readonly agent_id: string }): boolean {
  return (campaignId === undefined || row.campaign_id === campaignId) && (agentId === undefined || row.agent_id === agentId);
}

/** @throws ApiError 503 while the reporting database is unavailable (rule analytics.11) */
export async function checkAvailable(db: Db): Promise<void> {
  const { faults } = await readState(db);
  if (faults.some((fault) => fault.reporting_database === 'down'))
    throw new ApiError('analytics_unavailable', 'The reporting database is not available; try again later');
}

/**
 * The scope of a query. Its campaign or agent must belong to the account.
 * @throws ApiError 404 when the account has no such campaign or agent
 */
export async function requireScope(db: Db, accountId: string, { campaign_id: campaignId, agent_id: agentId }: ScopeQuery): Promise<Scope> {
  if (campaignId !== undefined) await campaigns.require(db, accountId, campaignId);
  if (agentId !== undefined) await agents.require(db, accountId, agentId);
  return { campaignId, agentId };
}
