import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import type { ToolCall } from '../../../contract/areas/functions/calls.ts';
import type { directions, MessageStatus, messageTypes, Sender } from '../../../contract/areas/messages/endpoints.ts';
import { instant, integer, json, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';

export const messages = table('messages', {
  seq: integer().default(0).internal(),
  id: text(),
  account_id: text().internal(),
  contact_id: text(),
  session_id: text(),
  channel: text<ChannelName>(),
  /** The account's own number or identity; empty when unknown. */
  own_identity: text().internal(),
  direction: text<(typeof directions)[number]>(),
  type: text<(typeof messageTypes)[number]>(),
  body: text(),
  status: text<MessageStatus>(),
  sender: text<Sender>(),
  agent_id: text().nullable(),
  campaign_id: text().nullable(),
  template_id: text().nullable(),
  broadcast_id: text().nullable().internal(),
  /** The price of the message. A refund returns this amount. */
  millionths: integer().default(0).internal(),
  created_at: instant(),
  /** The call, of a message of the type `tool_use`. */
  tool: json<ToolCall>().nullable(),
  /** The file, of a message of the type `media`. */
  media: json<SentMedia>().nullable().internal(),
  scheduled_task_id: text().nullable().internal(),
});

/** A file as it was when an agent sent it. */
export interface SentMedia {
  readonly id: string;
  readonly name: string;
  readonly mime_type: string;
}

export type Message = Omit<Row<typeof messages>, 'seq'>;

/** The changes of the status of messages, after the message with a `seq`, by which the stream puts them in order. */
export const messageStatuses = table('message_statuses', {
  seq: integer().default(0),
  id: text(),
  account_id: text(),
  contact_id: text(),
  message_id: text(),
  message_seq: integer(),
  status: text<MessageStatus>(),
  created_at: instant(),
});

/** How far the words of the messages of accounts are in their index, whose tables each engine has in its own way. */
export const messageIndexing = table('message_indexing', { account_id: text(), indexed_through: integer() });

declare module '../../store/database.ts' {
  interface Database {
    messages: StoredRow<typeof messages>;
    message_statuses: StoredRow<typeof messageStatuses>;
    message_indexing: StoredRow<typeof messageIndexing>;
  }
}
