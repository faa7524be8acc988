import { dateOf } from '../../../contract/time/zones.ts';
import { recordsMax } from '../../../contract/areas/analytics/names.ts';
import { toCredits } from '../../store/millionths.ts';
import type { Db } from '../../store/database.ts';
import { sentOf } from './blocks.ts';
import { sumDaily } from './counters.ts';
import { daysOf, showPeriod } from './period.ts';
import type { Extent } from './scope.ts';

const counters = [
  'ai_sent',
  'human_sent',
  'automated_sent',
  'delivered',
  'read',
  'replied',
  'booked',
  'contact_created',
  'credits_spent',
  'credits_recharged',
] as const;

type SummaryCounters = Record<(typeof counters)[number], number>;

const none = Object.fromEntries(counters.map((name) => [name, 0])) as SummaryCounters;

/** The summary of an extent (rules analytics.12 to analytics.14). */
export async function summarise(db: Db, extent: Extent) {
  const rows = await sumDaily(db, extent, ['day'], counters);
  const byDay = new Map(rows.map((row) => [row.day, row]));
  const days = daysOf(extent.period).map((day) => ({ date: dateOf(day), figures: byDay.get(day) ?? none }));
  const sums = { ...none };
  for (const { figures } of days) for (const name of counters) sums[name] += figures[name];
  const totals = show(sums);
  return {
    ...showPeriod(extent.period),
    totals,
    by_date: days.map(({ date, figures }) => ({ date, ...show(figures) })),
    truncated: totals.total > recordsMax,
  };
}

function show(figures: SummaryCounters) {
  const { delivered, read, replied, booked, contact_created } = figures;
  const sent = sentOf(figures);
  return {
    total: sent + delivered + read + replied + booked + contact_created,
    sent,
    delivered,
    read,
    replied,
    booked,
    contact_created,
    credits_spent: toCredits(figures.credits_spent),
    credits_recharged: toCredits(figures.credits_recharged),
  };
}
