import { migration } from '../store/migration.ts';

/**
 * Replays of deliveries: the event and its time beside each delivery, by which lists and replays find it, since when a subscription
 * misses events, and the replays. What was missed before was not kept.
 */
export const replays = migration('0.3.0 replays', ({ account, seq }) => [
  "alter table deliveries add column event text not null default ''",
  'alter table deliveries add column occurred_at bigint not null default 0',
  'alter table deliveries add column replay_id text',
  'update deliveries set event = events.name, occurred_at = events.occurred_at from events where events.id = deliveries.event_id',
  'create index deliveries_by_time on deliveries (webhook_id, occurred_at, seq)',
  `create index deliveries_to_replay on deliveries (webhook_id, state, occurred_at, seq)
    where state in ('failed', 'dropped', 'missed')`,
  `create index deliveries_replayed on deliveries (replay_id, next_attempt_at, occurred_at, seq)
    where replay_id is not null and state = 'queued'`,
  'alter table webhooks add column interrupted_at bigint',
  'alter table webhooks add column interrupted_after bigint not null default 0',
  `update webhooks set interrupted_at = (
    select max(disabled_at) from webhook_health where webhook_health.receiver = webhooks.receiver and (
      inherited = 0 and webhook_health.account_id = webhooks.account_id
      or inherited = 1 and apply_to_sub_accounts = 1
        and webhook_health.account_id in (select id from accounts where parent_id = webhooks.account_id)))`,
  'update webhooks set interrupted_at = updated_at where enabled = 0 and interrupted_at is null',
  `create table webhook_replays (
    ${seq}, id text not null unique, ${account}, webhook_id text not null references webhooks (id) on delete cascade,
    status text not null, queued bigint not null, delivered bigint not null, failed bigint not null, created_at bigint not null)`,
  'create index webhook_replays_by_webhook on webhook_replays (webhook_id, seq)',
  'create index webhook_replays_by_account on webhook_replays (account_id)',
]);
