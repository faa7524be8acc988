import { type ExpressionBuilder, sql } from 'kysely';
import type { Database, Db } from '../../store/database.ts';
import type { DailyCounter } from '../activity/counts.ts';
import { type Extent, ofScope } from './scope.ts';

/** The columns by which the daily counters can be grouped. */
export type Division = 'day' | 'campaign_id' | 'agent_id' | 'channel' | 'own_identity';

/** Sums of daily counters. */
export type DailySums<D extends Division, C extends DailyCounter> = Record<Exclude<D, 'day'>, string> &
  Record<Extract<D, 'day'>, number> &
  Record<C, number>;

/** Sums the daily counters of an extent. @param divisions the columns to group by; without any, there is one row */
export async function sumDaily<D extends Division, C extends DailyCounter>(
  db: Db,
  extent: Extent,
  divisions: readonly D[],
  counters: readonly C[],
  channel?: string,
): Promise<DailySums<D, C>[]> {
  const sums = (eb: ExpressionBuilder<Database, 'daily_counts'>) =>
    counters.map((name) => sql<number>`coalesce(${eb.fn.sum(name)}, 0)`.as(name));
  let query = db
    .selectFrom('daily_counts')
    .select(sums)
    .where('account_id', '=', extent.accountId)
    .where('day', '>=', extent.period.first)
    .where('day', '<=', extent.period.last)
    .where(ofScope(extent, 'daily_counts'));
  if (divisions.length > 0) query = query.select(divisions).groupBy(divisions);
  if (channel !== undefined) query = query.where('channel', '=', channel);
  return (await query.execute()) as unknown as DailySums<D, C>[];
}
