import { trimmingLedger } from './trimming-ledger.ts';
import type { Area } from '../../area.ts';
import type { Retention } from '../../maintenance/retention.ts';

/** The ledger and the counters. */
export const activityArea = {
  rows: ['credit_ledger', 'daily_counts', 'hourly_counts', 'ledger_counts', 'ai_counts', 'country_counts'].map((table) => ({ table })),
  trimming: ({ ledger }: Retention) => (ledger === null ? null : trimmingLedger(ledger)),
} satisfies Area;
