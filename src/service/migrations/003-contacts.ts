import { migration } from '../store/migration.ts';

const dailyCounters = [
  'ai_sent',
  'human_sent',
  'automated_sent',
  'received',
  'delivered',
  'read',
  'replied',
  'booked',
  'contact_created',
  'conversations',
  'credits_spent',
  'credits_recharged',
  'conversation_credits',
];

const hourlyCounters = ['sent', 'replied'];

const counter = (name: string) => `${name} bigint not null default 0`;

export const contacts = migration('contacts', ({ seq, account, times }) => [
  'alter table balances add column spent_month bigint not null default 0',
  'alter table balances add column spent_millionths bigint not null default 0',
  'alter table credit_ledger add column campaign_id text',
  'alter table credit_ledger add column agent_id text',
  'alter table credit_ledger add column message_id text',
  'alter table channels add column connection text',
  // A partial index on running jobs only, because most jobs are waiting, for example for the end of a conversation.
  'create index jobs_by_lease on jobs (lease_owner) where lease_owner is not null',
  `create table contacts (
      ${seq}, id text not null unique, ${account}, channel text not null, identity_key text not null, phone_number text,
      identity text, first_name text, last_name text, email text, company text, country text, agent_id text,
      do_not_disturb bigint not null, private_mode bigint not null, paused bigint not null, taken_over bigint not null,
      archived bigint not null, own_identity text, last_message_at bigint, search_text text not null, ${times},
      unique (account_id, identity_key))`,
  'create index contacts_by_account on contacts (account_id, seq)',
  'create index contacts_by_channel on contacts (account_id, channel, seq)',
  `create table contact_tags (
      tag_id text not null references tags (id) on delete cascade,
      contact_seq bigint not null references contacts (seq) on delete cascade, primary key (tag_id, contact_seq))`,
  'create index contact_tags_by_contact on contact_tags (contact_seq)',
  `create table list_contacts (
      list_id text not null references lists (id) on delete cascade,
      contact_seq bigint not null references contacts (seq) on delete cascade, primary key (list_id, contact_seq))`,
  'create index list_contacts_by_contact on list_contacts (contact_seq)',
  `create table chat_sessions (
      ${seq}, id text not null unique, ${account}, contact_id text not null references contacts (id) on delete cascade,
      channel text not null, own_identity text not null, agent_id text, first_agent_id text, campaign_id text, started_at bigint not null,
      last_message_at bigint not null, concluded_at bigint, outcome text, inbound bigint not null, ai_sent bigint not null,
      human_sent bigint not null, automated_sent bigint not null, replied bigint not null, spent_millionths bigint not null)`,
  'create index chat_sessions_by_account on chat_sessions (account_id, seq)',
  'create index chat_sessions_by_contact on chat_sessions (contact_id, seq)',
  'create unique index one_open_session on chat_sessions (contact_id, channel) where concluded_at is null',
  // A message is linked to its account through the contact. A second foreign key would add a lookup to every message.
  `create table messages (
      ${seq}, id text not null unique, account_id text not null,
      contact_id text not null references contacts (id) on delete cascade, session_id text not null, channel text not null,
      own_identity text not null, direction text not null, type text not null, body text not null, status text not null,
      sender text not null, agent_id text, campaign_id text, template_id text, broadcast_id text,
      millionths bigint not null, created_at bigint not null)`,
  'create index messages_by_contact on messages (contact_id, seq)',
  `create table campaigns (
      ${seq}, id text not null unique, ${account}, name text not null, agent_id text, channel text,
      outgoing_only bigint not null, status text not null, ${times})`,
  'create index campaigns_by_account on campaigns (account_id, seq)',
  `create table broadcasts (
      ${seq}, id text not null unique, ${account}, name text not null, channel text not null, agent_id text, body text,
      template_id text, contact_ids text not null, list_ids text not null, scheduled_at bigint, status text not null,
      run bigint not null, total bigint not null, sent bigint not null, delivered bigint not null, read bigint not null,
      replied bigint not null, failed bigint not null, ${times})`,
  'create index broadcasts_by_account on broadcasts (account_id, seq)',
  `create table broadcast_recipients (
      broadcast_id text not null references broadcasts (id) on delete cascade, contact_seq bigint not null,
      contact_id text not null, state text not null, replied bigint not null, primary key (broadcast_id, contact_seq))`,
  "create index waiting_recipients on broadcast_recipients (broadcast_id, contact_seq) where state = 'waiting'",
  `create table tasks (
      ${seq}, id text not null unique, ${account}, title text not null, description text,
      contact_id text references contacts (id) on delete set null, assignee text, due_at bigint, status text not null, ${times})`,
  'create index tasks_by_account on tasks (account_id, seq)',
  'create index tasks_by_contact on tasks (contact_id)',
  `create table event_types (
      ${seq}, id text not null unique, ${account}, name text not null, timezone text not null, slot_minutes bigint not null,
      availability text not null, max_bookings_per_slot bigint not null, rooms text not null, ${times})`,
  'create index event_types_by_account on event_types (account_id, seq)',
  `create table short_links (
      ${seq}, id text not null unique, ${account}, slug text not null unique, url text not null, clicks bigint not null, ${times})`,
  'create index short_links_by_account on short_links (account_id, seq)',
  `create table pairings (
      ${account}, phone_number text not null, code text not null, expires_at bigint not null,
      primary key (account_id, phone_number))`,
  `create table daily_summaries (
      ${account}, day bigint not null, id text, text text, created_at bigint, primary key (account_id, day))`,
  `create table daily_counts (
      ${account}, day bigint not null, campaign_id text not null, agent_id text not null, channel text not null,
      own_identity text not null, ${dailyCounters.map(counter).join(', ')},
      primary key (account_id, day, campaign_id, agent_id, channel, own_identity))`,
  `create table hourly_counts (
      ${account}, hour bigint not null, campaign_id text not null, agent_id text not null, ${hourlyCounters.map(counter).join(', ')},
      primary key (account_id, hour, campaign_id, agent_id))`,
]);
