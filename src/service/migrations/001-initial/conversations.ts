import type { Fragments } from '../../store/migration.ts';

/** Conversations, messages, and what was decided about them. */
export function conversations({ account, references, seq }: Fragments): string[] {
  return [
    `create table chat_sessions (
      ${seq}, id text not null unique, account_id text not null ${references('accounts (id)')},
      contact_id text not null ${references('contacts (id)')}, channel text not null, own_identity text not null,
      agent_id text, first_agent_id text, campaign_id text, started_at bigint not null, last_message_at bigint not null,
      concluded_at bigint, outcome text, inbound bigint not null, ai_sent bigint not null, human_sent bigint not null,
      automated_sent bigint not null, replied bigint not null, spent_millionths bigint not null, alerts text not null,
      first_inbound_at bigint, first_response_ms bigint, booked bigint not null)`,
    'create index chat_sessions_by_account on chat_sessions (account_id, seq)',
    'create index chat_sessions_by_contact on chat_sessions (contact_id, seq, started_at)',
    `create index chat_sessions_by_response on chat_sessions (account_id, started_at, first_response_ms)
      where first_response_ms is not null`,
    'create index chat_sessions_by_start on chat_sessions (account_id, started_at)',
    'create unique index one_open_session on chat_sessions (contact_id, channel) where concluded_at is null',
    // A message is linked to its account through the contact. A second foreign key would add a lookup to every message.
    `create table messages (
      ${seq}, id text not null unique, account_id text not null, contact_id text not null ${references('contacts (id)')},
      session_id text not null, channel text not null, own_identity text not null, direction text not null,
      type text not null, body text not null, status text not null, sender text not null, agent_id text, campaign_id text,
      template_id text, broadcast_id text, millionths bigint not null, created_at bigint not null)`,
    'create index messages_by_contact on messages (contact_id, seq)',
    // Who answered what, and why. Linked to its account like a message.
    `create table decisions (
      ${seq}, account_id text not null, contact_id text not null ${references('contacts (id)')}, message_id text,
      step text not null, agent_id text, entry_point_id text, reason text not null, steps text not null, public_reply text,
      created_at bigint not null)`,
    'create index decisions_by_contact on decisions (contact_id, seq)',
    `create table daily_summaries (
      ${account}, day bigint not null, id text, text text, created_at bigint, primary key (account_id, day))`,
  ];
}
