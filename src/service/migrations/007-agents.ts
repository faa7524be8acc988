import { migration } from '../store/migration.ts';

/** Agents, the sources of their knowledge, and the rules that decide which of them answers. */
export const agents = migration('agents', ({ seq, account, times }) => [
  // The long text columns come last, so that a row is only read up to the columns that a statement needs.
  `create table agents (
      ${seq}, id text not null unique, ${account}, name text not null, active bigint not null, language text, ai_model_tier text,
      ai_speed text, ai_transparency bigint, max_messages bigint, timezone text not null, availability text not null,
      enable_bookings bigint not null, booking_provider text not null, event_id text, event_ids text not null,
      enable_follow_ups bigint not null, ${times}, optimize_run text, tag_generation text, alert_human_when text, tags text not null,
      goal text, personality text, rules text, instructions text, follow_up_config text, draft text)`,
  'create index agents_by_account on agents (account_id, seq)',
  'create index active_agents on agents (account_id, id) where active = 1',
  `create table kb_sources (
      ${seq}, id text not null unique, ${account}, url text, host text, storage_path text, title text, status text not null,
      faq_count bigint not null, section_count bigint not null, error_message text, refreshed_at bigint, ${times})`,
  'create index kb_sources_by_account on kb_sources (account_id, seq)',
  `create table agent_sources (
      agent_id text not null references agents (id) on delete cascade,
      source_id text not null references kb_sources (id) on delete cascade, primary key (agent_id, source_id))`,
  'create index agent_sources_by_source on agent_sources (source_id)',
  // The default columns stay null for other types. A channel, or a number on it, has at most one enabled default.
  `create table entry_points (
      ${seq}, id text not null unique, ${account}, type text not null, channels text not null, agent_id text not null,
      campaign_id text, enabled bigint not null, match_config text not null, first_response_mode text,
      first_response_exact_text text, public_comment_reply_exact_text text, default_channel text, default_number text,
      revision bigint not null, ${times})`,
  'create index entry_points_by_account on entry_points (account_id, seq)',
  'create index entry_points_by_agent on entry_points (agent_id, seq)',
  'create index entry_points_by_campaign on entry_points (campaign_id) where campaign_id is not null',
  'create unique index entry_points_by_revision on entry_points (account_id, revision)',
  `create unique index one_default on entry_points (account_id, default_channel, default_number)
      where enabled = 1 and default_channel is not null`,
  `create index follower_rules on entry_points (account_id, revision) where enabled = 1 and type = 'photo_social_follower'`,
  // The keys that find enabled rules: the pieces of keywords, and the posts and words of comments.
  `create table keyword_keys (
      ${account}, channel text not null, piece text not null, start bigint not null, keyword text not null, length bigint not null,
      revision bigint not null, entry_point_id text not null references entry_points (id) on delete cascade,
      primary key (account_id, channel, piece, start, keyword, entry_point_id))`,
  'create index keyword_keys_by_rule on keyword_keys (entry_point_id)',
  'create index keyword_lengths on keyword_keys (account_id, channel, length) where start = -1',
  `create table comment_keys (
      ${account}, channel text not null, post_id text not null, word text not null,
      entry_point_id text not null references entry_points (id) on delete cascade,
      primary key (account_id, channel, post_id, word, entry_point_id))`,
  'create index comment_keys_by_rule on comment_keys (entry_point_id)',
  // Who answered what, and why. A decision is linked to its account through the contact, like a message.
  `create table decisions (
      ${seq}, account_id text not null, contact_id text not null references contacts (id) on delete cascade, message_id text,
      step text not null, agent_id text, entry_point_id text, reason text not null, steps text not null, public_reply text,
      created_at bigint not null)`,
  'create index decisions_by_contact on decisions (contact_id, seq)',
  'create index contacts_by_agent on contacts (agent_id) where agent_id is not null',
  'alter table contacts add column has_written bigint not null default 0',
  `update contacts set has_written = 1
      where exists (select 1 from messages where messages.contact_id = contacts.id and messages.direction = 'inbound')`,
  "alter table chat_sessions add column alerts text not null default '[]'",
  // The address of a delivery without a subscription, for a tagging rule.
  'alter table deliveries add column url text',
]);
