import { migration } from '../store/migration.ts';

const hourLength = 3_600_000;

const counters = [
  'ai_sent',
  'human_sent',
  'automated_sent',
  'received',
  'delivered',
  'read',
  'replied',
  'credits_spent',
  'last_message_at',
];

/**
 * The messages of each contact by hour, for reports on contacts with tags. Has no foreign key, which would add a lookup to every
 * message.
 */
export const contactCounts = migration('contact counts', ({ engine }) => [
  `create table contact_counts (
      contact_id text not null, hour bigint not null, place text not null,
      ${counters.map((name) => `${name} bigint not null`).join(', ')},
      primary key (contact_id, hour, place))${engine === 'sqlite' ? ' without rowid' : ''}`,
  `insert into contact_counts (contact_id, hour, place, ${counters.join(', ')})
      select contact_id, created_at / ${hourLength} as hour_of,
        coalesce(campaign_id, '') || '\n' || coalesce(agent_id, '') || '\n' || channel || '\n' || own_identity as place_of,
        sum(case when sender = 'ai' then 1 else 0 end), sum(case when sender = 'human' then 1 else 0 end),
        sum(case when sender = 'automated' then 1 else 0 end), sum(case when direction = 'inbound' then 1 else 0 end),
        sum(case when status in ('delivered', 'read') then 1 else 0 end), sum(case when status = 'read' then 1 else 0 end),
        sum(is_reply), sum(case when status = 'failed' then 0 else millionths end), max(created_at)
      from (
        select contact_id, session_id, seq, created_at, direction, status, sender, campaign_id, agent_id, channel, own_identity, millionths,
          case when direction = 'inbound' and seq > min(case when direction = 'outbound' then seq end)
          over (partition by contact_id, session_id) then 1 else 0 end as is_reply
        from messages) as counted
      group by contact_id, hour_of, place_of`,
]);
