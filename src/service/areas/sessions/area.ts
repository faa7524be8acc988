import { sessionEnd } from './conclude.ts';
import { sessionHandlers } from './handlers.ts';
import { trimmingSessions } from './trimming.ts';
import type { Area } from '../../area.ts';
import type { Retention } from '../../maintenance/retention.ts';

/** Conversations. */
export const sessionArea = {
  handlers: sessionHandlers,
  jobs: { session_end: sessionEnd },
  trimming: ({ sessions }: Retention) => (sessions === null ? null : trimmingSessions(sessions)),
} satisfies Area;
