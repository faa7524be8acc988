import { dayLength } from '../../../contract/time/days.ts';
import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import type { AlertReason, SessionOutcome } from '../../../contract/areas/sessions/endpoints.ts';
import { boolean, instant, integer, json, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';

/** Conversations with a contact on a channel. A conversation ends after 24 hours without a message. */
export const chatSessions = table('chat_sessions', {
  seq: integer().default(0),
  id: text(),
  account_id: text(),
  contact_id: text(),
  channel: text<ChannelName>(),
  /** The account's own number or identity; empty when unknown. */
  own_identity: text(),
  /** The agent that currently answers. */
  agent_id: text().nullable(),
  /** The agent and the campaign of the first message. The conversation is counted under them. */
  first_agent_id: text().nullable(),
  campaign_id: text().nullable(),
  started_at: instant(),
  last_message_at: instant(),
  /** How long after its last message it ends, in milliseconds: as the account said then. */
  concludes_after: integer().default(dayLength),
  concluded_at: instant().nullable(),
  outcome: text<SessionOutcome>().nullable(),
  /** The reasons why the conversation was handed to people, without repetitions. */
  alerts: json<readonly AlertReason[]>().default([]),
  /** The number of messages, by sender. */
  inbound: integer().default(0),
  ai_sent: integer().default(0),
  human_sent: integer().default(0),
  automated_sent: integer().default(0),
  replied: integer().default(0),
  /** The credits spent in the conversation, minus refunds. */
  spent_millionths: integer().default(0),
  /** When the contact first wrote, and the time to the first answer, in milliseconds. */
  first_inbound_at: instant().nullable(),
  first_response_ms: integer().nullable(),
  /** Whether an appointment was booked during the conversation. */
  booked: boolean().default(false),
  /** The FAQs that the contact was asked to choose from with the last reply, and when. */
  choices: json<{ readonly faq_ids: readonly string[]; readonly places?: readonly number[]; readonly asked_at: number }>()
    .nullable()
    .default(null),
});

export type ChatSession = Omit<Row<typeof chatSessions>, 'seq'>;

declare module '../../store/database.ts' {
  interface Database {
    chat_sessions: StoredRow<typeof chatSessions>;
  }
}
