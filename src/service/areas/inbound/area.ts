import { commentFailpoints, commentReply } from './comment-reply.ts';
import { traceHandlers } from './traces.ts';
import type { Area } from '../../area.ts';
import type { Retention } from '../../maintenance/retention.ts';
import { trimming } from '../../maintenance/trimming.ts';

/** What contacts write, the replies to it, and how they were made. */
export const inboundArea = {
  handlers: traceHandlers,
  jobs: { comment_reply: commentReply },
  failpoints: commentFailpoints,
  trimming: ({ events }: Retention) => (events === null ? null : trimming({ table: 'reply_traces', time: 'created_at', keep: events })),
} satisfies Area;
