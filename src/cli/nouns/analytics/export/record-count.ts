import type { Client } from '../../../../client/client.ts';
import { getLedger } from '../../../../contract/areas/analytics/endpoints.ts';
import { rangeCaps } from '../../../../contract/areas/analytics/names.ts';
import type { Days } from '../../../verb/days.ts';
import { dayAfter, partsOf } from '../../../figures/ranges.ts';

/**
 * The number of records of the ledger: of those that were exported, or of those that the ledger has. Corrections are left out, because
 * the totals of the ledger leave them out.
 */
export interface RecordCount {
  /** The last day, as YYYY-MM-DD, whose records are not counted by day. Transactions that began on it are over. */
  readonly settled: string;
  /** The number up to this day. Null when unknown: the ledger may have had more that were deleted. */
  readonly until: number | null;
  /** The number on each day after it. */
  readonly later: Readonly<Record<string, number>>;
}

/** The last two days are not settled. */
function settledDay(today: string): string {
  return dayAfter(today, -2);
}

/** Moves the settled day of a count on. It never moves back. */
export function settledBy(count: RecordCount, settled: string): RecordCount {
  if (settled <= count.settled) return count;
  const days = Object.entries(count.later);
  const added = days.filter(([day]) => day <= settled).reduce((total, [, records]) => total + records, 0);
  const later = Object.fromEntries(days.filter(([day]) => day > settled));
  return { settled, until: count.until === null ? null : count.until + added, later };
}

/** Adds exported records to a count. */
export function withRecords(
  { settled, until, later }: RecordCount,
  exported: readonly { readonly at: string; readonly is_adjustment: boolean }[],
): RecordCount {
  const byDay: Record<string, number> = { ...later };
  let earlier = 0;
  for (const { at, is_adjustment: isAdjustment } of exported) {
    const day = at.slice(0, 10);
    if (isAdjustment) continue;
    if (day <= settled) earlier++;
    else byDay[day] = (byDay[day] ?? 0) + 1;
  }
  return { settled, until: until === null ? null : until + earlier, later: byDay };
}

/** Counts the records that the ledger has in a range of days. */
export async function countRecords(client: Client, { from, to }: Days): Promise<RecordCount> {
  const settled = settledDay(to);
  const count = async (days: Days) => (await client.call(getLedger, { query: { ...days, limit: 1 } })).totals?.records ?? 0;
  let until = 0;
  if (from <= settled) for (const part of partsOf({ from, to: settled }, rangeCaps.ledger)) until += await count(part);
  const later: Record<string, number> = {};
  for (let day = from > settled ? from : dayAfter(settled, 1); day <= to; day = dayAfter(day, 1))
    later[day] = await count({ from: day, to: day });
  return { settled, until, later };
}

/** The number of records that the ledger has beyond those that were exported. What is unknown is not counted. */
export function missingFrom(exported: RecordCount, found: RecordCount): number {
  if (exported.settled !== found.settled) return 0;
  const until = exported.until === null ? 0 : Math.max(0, (found.until ?? 0) - exported.until);
  return Object.entries(found.later).reduce((sum, [day, count]) => sum + Math.max(0, count - (exported.later[day] ?? 0)), until);
}

/**
 * The count after the first run. Records that were added while it ran are among those that it exported; those that the ledger
 * counts but no longer has are not.
 */
export function countOfFirst({ exported, found }: { readonly exported: RecordCount; readonly found: RecordCount }): RecordCount {
  return { ...agreedWith(exported, found), until: Math.max(exported.until ?? 0, found.until ?? 0) };
}

/** The count after a run that has exported all that was found, or goes on without the rest. */
export function agreedWith(exported: RecordCount, found: RecordCount): RecordCount {
  if (exported.settled !== found.settled) return exported;
  const later = { ...exported.later };
  for (const [day, count] of Object.entries(found.later)) later[day] = Math.max(count, later[day] ?? 0);
  return { settled: found.settled, until: found.until, later };
}
