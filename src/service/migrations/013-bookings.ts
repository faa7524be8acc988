import { migration } from '../store/migration.ts';

const dayLength = 86_400_000;

/** The dimensions under which a booking is counted, and the conversations during which an appointment was booked. */
export const bookings = migration('bookings', () => [
  'alter table appointments add column campaign_id text',
  'alter table appointments add column agent_id text',
  'alter table appointments add column channel text',
  `update appointments set agent_id = (select contacts.agent_id from contacts where contacts.id = appointments.contact_id),
      channel = (select contacts.channel from contacts where contacts.id = appointments.contact_id)
    where imported = 0`,
  'alter table chat_sessions add column booked bigint not null default 0',
  `update chat_sessions set booked = 1 where id in (
      select (select talked.id from chat_sessions as talked
        where talked.contact_id = appointments.contact_id and talked.started_at <= appointments.created_at
          and appointments.created_at < coalesce(talked.concluded_at, talked.last_message_at + ${dayLength})
        order by talked.started_at desc limit 1)
      from appointments where imported = 0)`,
  'alter table daily_counts add column conversations_booked bigint not null default 0',
  `insert into daily_counts (account_id, day, campaign_id, agent_id, channel, own_identity, conversations_booked)
      select account_id, started_at / ${dayLength} as day, coalesce(campaign_id, '') as campaign, coalesce(first_agent_id, '') as agent,
        channel, own_identity, count(*)
      from chat_sessions where booked = 1 group by account_id, day, campaign, agent, channel, own_identity
      on conflict (account_id, day, campaign_id, agent_id, channel, own_identity) do update set
        conversations_booked = excluded.conversations_booked`,
]);
