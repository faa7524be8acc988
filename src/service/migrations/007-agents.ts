import { migration } from '../store/migration.ts';

/** Agents, the sources of their knowledge, and the rules that decide which of them answers. */
export const agents = migration('agents', ({ seq, account, times }) => [
  // The long texts come last, so that a row is read up to the columns that a statement needs.
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
  'create index contacts_by_agent on contacts (agent_id) where agent_id is not null',
]);
