import { type ExpressionBuilder, sql } from 'kysely';
import type { Database, Db } from '../../store/database.ts';
import type { DailyCounter } from '../activity/counts.ts';
import type { Extent } from './scope.ts';

/** The columns that divide the daily counters. */
export type Division = 'day' | 'campaign_id' | 'agent_id' | 'channel' | 'own_identity';

/** Sums of daily counters. */
export type Sums<D extends Division, C extends DailyCounter> = Record<Exclude<D, 'day'>, string> &
  Record<Extract<D, 'day'>, number> &
  Record<C, number>;

/** Sums daily counters of an extent. @param divisions what each row is about; without any, there is one row */
export async function sumDaily<D extends Division, C extends DailyCounter>(
  db: Db,
  { accountId, period, campaignId, agentId }: Extent,
  divisions: readonly D[],
  counters: readonly C[],
  channel?: string,
): Promise<Sums<D, C>[]> {
  const sums = (eb: ExpressionBuilder<Database, 'daily_counts'>) =>
    counters.map((name) => sql<number>`coalesce(${eb.fn.sum(name)}, 0)`.as(name));
  let query = db
    .selectFrom('daily_counts')
    .select(sums)
    .where('account_id', '=', accountId)
    .where('day', '>=', period.first)
    .where('day', '<=', period.last);
  if (divisions.length > 0) query = query.select(divisions).groupBy(divisions);
  if (campaignId !== undefined) query = query.where('campaign_id', '=', campaignId);
  if (agentId !== undefined) query = query.where('agent_id', '=', agentId);
  if (channel !== undefined) query = query.where('channel', '=', channel);
  return (await query.execute()) as unknown as Sums<D, C>[];
}
