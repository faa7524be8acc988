import type { Fragments } from '../../store/migration.ts';

/** Agents, campaigns, and the rules that decide who answers. */
export function agents({ account, seq, times }: Fragments): string[] {
  return [
    // The long texts come last, so that a row is only read up to the columns that a statement needs.
    `create table agents (
      ${seq}, id text not null unique, ${account}, name text not null, active bigint not null, language text,
      ai_model_tier text, ai_speed text, ai_transparency bigint, max_messages bigint, timezone text not null,
      availability text not null, enable_bookings bigint not null, booking_provider text not null, event_id text,
      event_ids text not null, enable_follow_ups bigint not null, ${times}, optimize_run text, tag_generation text,
      alert_human_when text, tags text not null, goal text, personality text, rules text, instructions text,
      follow_up_config text, draft text)`,
    'create index active_agents on agents (account_id, id) where active = 1',
    'create index agents_by_account on agents (account_id, seq)',
    `create table campaigns (
      ${seq}, id text not null unique, ${account}, name text not null, agent_id text, channel text,
      outgoing_only bigint not null, status text not null, ${times})`,
    'create index campaigns_by_account on campaigns (account_id, seq)',
    'create index campaigns_by_agent on campaigns (agent_id) where agent_id is not null',
    // The default columns stay null for other types. A channel, or a number on it, has at most one enabled default.
    `create table entry_points (
      ${seq}, id text not null unique, ${account}, type text not null, channels text not null, agent_id text not null,
      campaign_id text, enabled bigint not null, keyword_count bigint not null, post_count bigint not null,
      text_length bigint not null,
      match_config text not null, first_response_mode text,
      first_response_exact_text text, public_comment_reply_exact_text text, default_channel text, default_number text,
      revision bigint not null, ${times})`,
    'create index entry_points_by_account on entry_points (account_id, seq)',
    'create index entry_points_by_agent on entry_points (agent_id, seq)',
    'create index entry_points_by_campaign on entry_points (campaign_id) where campaign_id is not null',
    'create unique index entry_points_by_revision on entry_points (account_id, revision)',
    `create unique index one_default on entry_points (account_id, default_channel, default_number)
      where enabled = 1 and default_channel is not null`,
    // How often the rules of an account changed, and what tells their last state from others.
    'create table rule_changes (account_id text primary key references accounts (id) on delete cascade, revision bigint not null, stamp text not null)',
    `create table ai_calls (
      ${seq}, id text not null unique, ${account}, at bigint not null, kind text not null, provider text not null,
      tier text not null, agent_id text, campaign_id text, message_id text, ledger_id text, has_own_key bigint not null,
      input_tokens bigint not null, cached_input_tokens bigint not null, output_tokens bigint not null,
      input_micro_usd bigint not null, cache_read_micro_usd bigint not null, output_micro_usd bigint not null)`,
    'create index ai_calls_by_account on ai_calls (account_id, at)',
    'create index ai_calls_by_ledger on ai_calls (ledger_id) where ledger_id is not null',
    'create index ai_calls_by_message on ai_calls (message_id) where message_id is not null',
  ];
}
