import type { Fragments } from '../../store/migration.ts';

/** Webhooks, events and their deliveries. */
export function webhooks({ account, seq, times }: Fragments): string[] {
  return [
    `create table webhooks (
      ${seq}, id text not null unique, ${account}, name text not null, url text not null, receiver text not null,
      subscribed_to text not null, subscribed_to_tags text not null, retries_enabled bigint not null, enabled bigint not null,
      apply_to_sub_accounts bigint not null, signing_secret text, signing_secret_created_at bigint, ${times},
      unique (account_id, name))`,
    'create index webhooks_by_account on webhooks (account_id, seq)',
    `create table webhook_health (
      ${account}, receiver text not null, consecutive_failures bigint not null, total_failures bigint not null,
      total_successes bigint not null, disabled_at bigint, disabled_reason text, last_failure text, last_success_at bigint,
      ${times}, primary key (account_id, receiver))`,
    `create table events (
      ${seq}, id text not null unique, ${account}, name text not null, data text not null, occurred_at bigint not null)`,
    'create index events_by_account on events (account_id, seq)',
    // A delivery without a subscription, for a tagging rule, has the address in `url`.
    `create table deliveries (
      ${seq}, id text not null unique, event_id text not null references events (id) on delete cascade, ${account},
      webhook_account_id text not null references accounts (id) on delete cascade,
      webhook_id text references webhooks (id) on delete set null, state text not null, first_attempt_at bigint,
      scheduled_attempts bigint not null, next_attempt_at bigint, url text)`,
    'create index deliveries_by_account on deliveries (account_id, seq)',
    'create index deliveries_by_event on deliveries (event_id)',
    'create index deliveries_by_webhook on deliveries (webhook_id, seq)',
    'create index deliveries_by_webhook_account on deliveries (webhook_account_id)',
    `create table delivery_attempts (
      delivery_id text not null references deliveries (id) on delete cascade, attempt bigint not null, at bigint not null,
      request_headers text not null, status_code bigint, failure_type text, duration_ms bigint not null, response_body text,
      primary key (delivery_id, attempt))`,
  ];
}
