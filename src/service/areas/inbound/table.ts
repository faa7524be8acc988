import type { ToolCall } from '../../../contract/areas/functions/calls.ts';
import type { replySources } from '../../../contract/areas/messages/endpoints.ts';
import { instant, integer, json, text } from '../../store/columns.ts';
import { type StoredRow, table } from '../../store/table.ts';

/** A FAQ that an agent found for a message, as it was then. */
export interface TracedFaq {
  readonly faq_id: string;
  readonly question: string;
  readonly score: number;
  /** Whether the reply was made with it. */
  readonly chosen: boolean;
}

/** How the replies of agents were made. */
export const replyTraces = table('reply_traces', {
  seq: integer().default(0),
  message_id: text(),
  account_id: text(),
  contact_id: text(),
  /** The message of the contact; null for a new follower. */
  reply_to: text().nullable(),
  source: text<(typeof replySources)[number]>(),
  /** Null for a fixed text. */
  faqs: json<readonly TracedFaq[]>().nullable(),
  /** Null without a model. */
  model: text().nullable(),
  /** How long writing took, in milliseconds of real time; null for a fixed text. */
  duration_ms: integer().nullable(),
  /** The calls that the agent made; null for a fixed text. */
  tool_calls: json<readonly ToolCall[]>().nullable(),
  created_at: instant(),
});

declare module '../../store/database.ts' {
  interface Database {
    reply_traces: StoredRow<typeof replyTraces>;
  }
}
