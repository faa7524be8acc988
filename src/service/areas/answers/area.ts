import type { Area } from '../../area.ts';

/** Replies and drafts, by built-in rules or with a model. */
export const answerArea = {
  rows: [{ table: 'ai_calls' }],
} satisfies Area;
