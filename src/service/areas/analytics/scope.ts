import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { readState } from '../../clock/state.ts';
import { ApiError } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { agents } from '../agents/table.ts';
import { campaigns } from '../campaigns/table.ts';
import type { Period } from './period.ts';

/** The campaign or the agent that figures are about; neither for the whole account. */
export interface Scope {
  readonly campaignId: string | undefined;
  readonly agentId: string | undefined;
}

/** What counters are read for. */
export interface Extent extends Scope {
  readonly accountId: string;
  readonly period: Period;
}

/** The campaign or the agent of a query. */
export interface ScopeQuery {
  readonly campaign_id?: string | undefined;
  readonly agent_id?: string | undefined;
}

/** Whether a row is of a scope, as a condition of a query. @param agentColumn the column of the agent that it counts under */
export function ofScope({ campaignId, agentId }: Scope, table: string, agentColumn = 'agent_id'): RawBuilder<SqlBool> {
  if (campaignId !== undefined) return sql`${sql.ref(`${table}.campaign_id`)} = ${campaignId}`;
  return agentId === undefined ? sql`true` : sql`${sql.ref(`${table}.${agentColumn}`)} = ${agentId}`;
}

/** Whether a row is of a scope. */
export function isOfScope({ campaignId, agentId }: Scope, row: { readonly campaign_id: string; readonly agent_id: string }): boolean {
  return (campaignId === undefined || row.campaign_id === campaignId) && (agentId === undefined || row.agent_id === agentId);
}

/** @throws ApiError 503 while the reporting database is away (rule analytics.11) */
export async function checkAvailable(db: Db): Promise<void> {
  const { faults } = await readState(db);
  if (faults.some((fault) => fault.reporting_database === 'down'))
    throw new ApiError('analytics_unavailable', 'The reporting database is not available; try again later');
}

/**
 * The scope of a query, whose campaign or agent must be the account's.
 * @throws ApiError 404 when the account has no such campaign or agent
 */
export async function requireScope(db: Db, accountId: string, { campaign_id: campaignId, agent_id: agentId }: ScopeQuery): Promise<Scope> {
  if (campaignId !== undefined) await campaigns.require(db, accountId, campaignId);
  if (agentId !== undefined) await agents.require(db, accountId, agentId);
  return { campaignId, agentId };
}
