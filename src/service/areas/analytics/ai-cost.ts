import { dateOf } from '../../../contract/time/zones.ts';
import type { Account } from '../../identity/accounts.ts';
import type { Db } from '../../store/database.ts';
import { daysOf, type Period, showPeriod } from './period.ts';

/** Converts millionths of a US dollar to dollars. */
export function toUsd(microUsd: number): number {
  return microUsd / 1e6;
}

interface Cost {
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly byProvider: Readonly<Record<string, number>>;
}

const none: Cost = { calls: 0, input: 0, output: 0, cacheRead: 0, byProvider: {} };

/** The costs of an account's AI calls by day (rules analytics.19 to analytics.21). */
export async function readAiCost(db: Db, account: Account, period: Period) {
  const rows = await db
    .selectFrom('ai_counts')
    .selectAll()
    .where('account_id', '=', account.id)
    .where('day', '>=', period.first)
    .where('day', '<=', period.last)
    .orderBy('provider')
    .execute();
  const isRedacted = account.costsHidden || account.ownAiKey === 'none';
  const shown = (microUsd: number) => (isRedacted ? 0 : microUsd);
  const byDay = new Map<number, Cost>();
  for (const row of rows) {
    const before = byDay.get(row.day) ?? none;
    const [input, output, cacheRead] = [row.input_micro_usd, row.output_micro_usd, row.cache_read_micro_usd].map(shown) as [
      number,
      number,
      number,
    ];
    byDay.set(row.day, {
      calls: before.calls + row.calls,
      input: before.input + input,
      output: before.output + output,
      cacheRead: before.cacheRead + cacheRead,
      byProvider: { ...before.byProvider, [row.provider]: toUsd(input + output + cacheRead) },
    });
  }
  const days = daysOf(period).map((day) => ({ day, cost: byDay.get(day) ?? none }));
  const total = days.reduce((sum, { cost }) => sum + cost.input + cost.output + cost.cacheRead, 0);
  const calls = days.reduce((sum, { cost }) => sum + cost.calls, 0);
  return {
    ...showPeriod(period),
    totals: { total_usd: toUsd(total), byok_usd: toUsd(total), platform_usd: 0, calls },
    days: days.map(({ day, cost }) => ({ date: dateOf(day), ...showCost(cost) })),
    costs_redacted: isRedacted,
  };
}

function showCost({ calls, input, output, cacheRead, byProvider }: Cost) {
  const total = toUsd(input + output + cacheRead);
  return {
    total_usd: total,
    byok_usd: total,
    platform_usd: 0,
    input_usd: toUsd(input),
    output_usd: toUsd(output),
    cache_creation_usd: 0,
    cache_read_usd: toUsd(cacheRead),
    calls,
    by_provider: byProvider,
  };
}
