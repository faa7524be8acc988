import type { Area } from '../../area.ts';
import { summaryHandlers } from './handlers.ts';

/** Summaries of conversations, and the list of all summaries. */
export const sessionSummaryArea = {
  handlers: summaryHandlers,
  rows: [{ table: 'summaries' }],
} satisfies Area;
