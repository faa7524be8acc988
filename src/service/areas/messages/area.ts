import { messageHandlers } from './handlers.ts';
import { indexingMessages } from './word-index.ts';
import { trimmingMessages } from './trimming.ts';
import type { Area } from '../../area.ts';
import type { Retention } from '../../maintenance/retention.ts';

/** Messages. */
export const messageArea = {
  handlers: messageHandlers,
  rows: [{ table: 'message_statuses' }],
  trimming: ({ messages }: Retention) => (messages === null ? null : trimmingMessages(messages)),
  maintenance: [indexingMessages],
} satisfies Area;
