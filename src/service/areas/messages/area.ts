import { messageHandlers } from './handlers.ts';
import { indexingMessages } from './word-index.ts';
import { trimmingMessages } from './trimming.ts';
import type { Area } from '../../area.ts';
import { trimming } from '../../maintenance/trimming.ts';
import type { Retention } from '../../maintenance/retention.ts';

/** Messages. */
export const messageArea = {
  handlers: messageHandlers,
  rows: [{ table: 'message_statuses' }],
  trimming: ({ messages, events }: Retention) => [
    ...(messages === null ? [] : [trimmingMessages(messages)]),
    ...(events === null ? [] : [trimming({ table: 'message_statuses', time: 'created_at', keep: events })]),
  ],
  maintenance: [indexingMessages],
} satisfies Area;
