import { dailySummary } from './jobs.ts';
import type { Area } from '../../area.ts';

/** Daily summaries. */
export const summaryArea = {
  jobs: { daily_summary: dailySummary },
} satisfies Area;
