import { migration } from '../store/migration.ts';

/** The statuses of recipients that delivery reports and replies give: few rows, beside those that were sent or wait. */
const isReported = "state not in ('waiting', 'sent')";

/**
 * How far each recipient of a broadcast came, with its message and its error, how many stand where, and the contacts that a
 * broadcast names repeatedly. Of older broadcasts, it is what their messages and the error log still tell. And what the overview of an
 * agency looks up.
 */
export const statusesOfRecipients = migration('0.3.0 statuses of recipients, overview', () => [
  'alter table broadcast_recipients add column message_id text',
  'alter table broadcast_recipients add column at bigint',
  'alter table broadcast_recipients add column code text',
  `create table recipient_counts (
    broadcast_id text not null references broadcasts (id) on delete cascade, state text not null, recipients bigint not null,
    primary key (broadcast_id, state))`,
  // It comes after the contacts, which a list does not read either.
  "alter table broadcasts add column repeated_ids text not null default '[]'",
  `update broadcast_recipients set message_id = messages.id, at = messages.created_at,
      state = case when messages.status in ('delivered', 'read', 'failed') then messages.status else 'sent' end,
      code = case when messages.status = 'failed' then 'delivery_failed' end
    from messages join contacts on contacts.id = messages.contact_id
    where messages.broadcast_id is not null and messages.broadcast_id = broadcast_recipients.broadcast_id
      and contacts.seq = broadcast_recipients.contact_seq`,
  "update broadcast_recipients set state = 'replied' where replied = 1 and state <> 'failed'",
  `update broadcast_recipients set code = (
      select error_records.code from error_records
      where error_records.account_id = (select account_id from broadcasts where broadcasts.id = broadcast_recipients.broadcast_id)
        and error_records.contact_id = broadcast_recipients.contact_id and error_records.entity_id = broadcast_recipients.broadcast_id
      order by error_records.seq desc limit 1)
    where state = 'failed' and code is null`,
  `update broadcast_recipients set at = (select updated_at from broadcasts where broadcasts.id = broadcast_recipients.broadcast_id)
    where state <> 'waiting' and at is null`,
  // Those of a broadcast that is beginning are counted when it has begun.
  `insert into recipient_counts (broadcast_id, state, recipients)
    select broadcast_id, state, count(*) from broadcast_recipients
    where broadcast_id not in (select broadcast_id from audiences) group by broadcast_id, state`,
  `create index reported_recipients on broadcast_recipients (broadcast_id, state, contact_seq) where ${isReported}`,
  'create index recent_errors on error_records (account_id, last_at)',
  "create index failed_imports on error_records (account_id, last_at) where source = 'import'",
  "create index disconnected_channels on channels (account_id) where status = 'disconnected'",
  'create index troubled_webhooks on webhook_health (account_id, inherited, receiver) where (disabled_at is not null or consecutive_failures > 0)',
  // Of the conversations that were alerted, those that are not concluded come together.
  "create index open_alerts on chat_sessions (account_id, concluded_at, contact_id) where alerts <> '[]'",
  'create index expiring_keys on api_keys (account_id, expires_at) where expires_at is not null and revoked_at is null',
]);
