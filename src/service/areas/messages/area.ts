import { messageHandlers } from './handlers.ts';
import { trimmingMessages } from './trimming.ts';
import type { Area } from '../../area.ts';
import type { Retention } from '../../maintenance/retention.ts';

/** Messages. */
export const messageArea = {
  handlers: messageHandlers,
  trimming: ({ messages }: Retention) => (messages === null ? null : trimmingMessages(messages)),
} satisfies Area;
