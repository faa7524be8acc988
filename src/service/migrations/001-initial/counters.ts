import type { Fragments } from '../../store/migration.ts';

/** The counters of analytics. */
export function counters({ account, keyed }: Fragments): string[] {
  return [
    `create table daily_counts (
      ${account}, day bigint not null, campaign_id text not null, agent_id text not null, channel text not null,
      own_identity text not null, ai_sent bigint not null default 0, human_sent bigint not null default 0,
      automated_sent bigint not null default 0, received bigint not null default 0, delivered bigint not null default 0,
      read bigint not null default 0, replied bigint not null default 0, booked bigint not null default 0,
      contact_created bigint not null default 0, conversations bigint not null default 0,
      credits_spent bigint not null default 0, credits_recharged bigint not null default 0,
      conversation_credits bigint not null default 0, contained bigint not null default 0,
      contained_credits bigint not null default 0, handed_off bigint not null default 0,
      handed_off_credits bigint not null default 0, conversations_replied bigint not null default 0,
      conversations_alerted bigint not null default 0, last_message_at bigint not null default 0,
      conversations_booked bigint not null default 0,
      primary key (account_id, day, campaign_id, agent_id, channel, own_identity))`,
    `create table hourly_counts (
      ${account}, hour bigint not null, campaign_id text not null, agent_id text not null, sent bigint not null default 0,
      replied bigint not null default 0, primary key (account_id, hour, campaign_id, agent_id))`,
    // The messages of each contact by hour. No foreign key, which would add a lookup to every message.
    `create table contact_counts (
      contact_id text not null, hour bigint not null, place text not null, ai_sent bigint not null,
      human_sent bigint not null, automated_sent bigint not null, received bigint not null, delivered bigint not null,
      read bigint not null, replied bigint not null, credits_spent bigint not null, last_message_at bigint not null,
      primary key (contact_id, hour, place))${keyed}`,
    `create table ledger_counts (
      ${account}, day bigint not null, campaign_id text not null, agent_id text not null, reason text not null,
      records bigint not null, millionths bigint not null, micro_usd bigint not null,
      primary key (account_id, day, campaign_id, agent_id, reason))`,
    `create table ai_counts (
      ${account}, day bigint not null, provider text not null, calls bigint not null, input_micro_usd bigint not null,
      cache_read_micro_usd bigint not null, output_micro_usd bigint not null, primary key (account_id, day, provider))`,
    `create table country_counts (
      ${account}, day bigint not null, agent_id text not null, country text not null, contacts bigint not null,
      primary key (account_id, day, agent_id, country))`,
    // Days of which counted records were deleted.
    `create table incomplete_days (${account}, day bigint not null, primary key (account_id, day))`,
    // How often a rebuild has changed the counters of an account.
    `create table recounts (account_id text primary key references accounts (id) on delete cascade, revision bigint not null)`,
  ];
}
