import { commentFailpoints, commentReply } from './comment-reply.ts';
import type { Area } from '../../area.ts';

/** What contacts write, and the replies to it. */
export const inboundArea = {
  jobs: { comment_reply: commentReply },
  failpoints: commentFailpoints,
} satisfies Area;
