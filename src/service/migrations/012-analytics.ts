import { migration } from '../store/migration.ts';

const dayLength = 86_400_000;

const handlings = ['contained', 'contained_credits', 'handed_off', 'handed_off_credits', 'conversations_replied', 'conversations_alerted'];

/** Counters for analytics, and the indexes by time that their queries need. */
export const analytics = migration('analytics', ({ account }) => [
  'alter table contacts add column first_agent_id text',
  'update contacts set first_agent_id = agent_id',
  'alter table credit_ledger add column channel text',
  'update credit_ledger set channel = (select channel from messages where messages.id = credit_ledger.message_id)',
  "update credit_ledger set channel = 'chatapp_web' where reason = 'channel_charge'",
  'alter table chat_sessions add column human_after_ai bigint not null default 0',
  'alter table chat_sessions add column first_inbound_at bigint',
  'alter table chat_sessions add column first_response_ms bigint',
  `update chat_sessions set human_after_ai = 1 where human_sent > 0 and ai_sent > 0 and exists (
      select 1 from messages as human join messages as ai on ai.session_id = human.session_id and ai.contact_id = human.contact_id
      where human.contact_id = chat_sessions.contact_id and human.session_id = chat_sessions.id
        and human.sender = 'human' and ai.sender = 'ai' and ai.seq < human.seq)`,
  `update chat_sessions set first_inbound_at = (
      select min(created_at) from messages
      where contact_id = chat_sessions.contact_id and session_id = chat_sessions.id and direction = 'inbound')`,
  `update chat_sessions set first_response_ms = (
      select min(answer.created_at) - chat_sessions.first_inbound_at from messages as answer
      where answer.contact_id = chat_sessions.contact_id and answer.session_id = chat_sessions.id and answer.direction = 'outbound'
        and answer.seq > (
          select min(seq) from messages as question
          where question.contact_id = chat_sessions.contact_id and question.session_id = chat_sessions.id
            and question.direction = 'inbound'))`,
  ...handlings.map((name) => `alter table daily_counts add column ${name} bigint not null default 0`),
  'alter table daily_counts add column last_message_at bigint not null default 0',
  `create table ledger_counts (
      ${account}, day bigint not null, campaign_id text not null, agent_id text not null, reason text not null,
      records bigint not null, millionths bigint not null, micro_usd bigint not null,
      primary key (account_id, day, campaign_id, agent_id, reason))`,
  `create table ai_counts (
      ${account}, day bigint not null, provider text not null, calls bigint not null, input_micro_usd bigint not null,
      cache_read_micro_usd bigint not null, output_micro_usd bigint not null, primary key (account_id, day, provider))`,
  `create table country_counts (
      ${account}, day bigint not null, country text not null, contacts bigint not null, primary key (account_id, day, country))`,
  ...counted(),
  'create index chat_sessions_by_start on chat_sessions (account_id, started_at)',
  `create index chat_sessions_by_response on chat_sessions (account_id, started_at, first_response_ms)
      where first_response_ms is not null`,
  // The ledger is read by time. The index of an account's records by `seq` is no longer used.
  'drop index credit_ledger_by_account',
  'create index credit_ledger_by_time on credit_ledger (account_id, at, seq)',
  'create index credit_ledger_by_campaign on credit_ledger (account_id, campaign_id, at, seq) where campaign_id is not null',
  'create index credit_ledger_by_agent on credit_ledger (account_id, agent_id, at, seq) where agent_id is not null',
]);

/** Fills the new counters of a store that already has records. */
function counted(): string[] {
  const ofSession = `coalesce(campaign_id, '') as campaign, coalesce(first_agent_id, '') as agent, channel, own_identity`;
  const isHandedOff = `(alerts <> '[]' or human_after_ai = 1)`;
  return [
    `insert into daily_counts (account_id, day, campaign_id, agent_id, channel, own_identity, ${handlings.join(', ')})
      select account_id, day, campaign, agent, channel, own_identity, sum(contained), sum(contained * spent_millionths),
        sum(handed_off), sum(handed_off * spent_millionths), sum(replied), sum(alerted)
      from (select account_id, started_at / ${dayLength} as day, ${ofSession}, spent_millionths,
          case when ai_sent > 0 and not ${isHandedOff} then 1 else 0 end as contained,
          case when ${isHandedOff} then 1 else 0 end as handed_off, case when replied > 0 then 1 else 0 end as replied,
          case when alerts <> '[]' then 1 else 0 end as alerted
        from chat_sessions) as conversations
      where true group by account_id, day, campaign, agent, channel, own_identity
      on conflict (account_id, day, campaign_id, agent_id, channel, own_identity) do update set
        ${handlings.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    `insert into daily_counts (account_id, day, campaign_id, agent_id, channel, own_identity, last_message_at)
      select contacts.account_id, messages.created_at / ${dayLength} as day, coalesce(messages.campaign_id, '') as campaign,
        coalesce(messages.agent_id, '') as agent, messages.channel, messages.own_identity, max(messages.created_at)
      from messages join contacts on contacts.id = messages.contact_id
      where true group by contacts.account_id, day, campaign, agent, messages.channel, messages.own_identity
      on conflict (account_id, day, campaign_id, agent_id, channel, own_identity) do update set
        last_message_at = excluded.last_message_at`,
    `insert into ledger_counts (account_id, day, campaign_id, agent_id, reason, records, millionths, micro_usd)
      select ledger.account_id, ledger.at / ${dayLength} as day, coalesce(ledger.campaign_id, '') as campaign,
        coalesce(ledger.agent_id, '') as agent, ledger.reason, count(*), -sum(ledger.millionths),
        coalesce(sum(ai_calls.input_micro_usd + ai_calls.cache_read_micro_usd + ai_calls.output_micro_usd), 0)
      from credit_ledger as ledger left join ai_calls on ai_calls.has_own_key = 1
        and (ai_calls.ledger_id = ledger.id or (ledger.reason = 'ai_reply' and ai_calls.message_id = ledger.message_id))
      where ledger.is_adjustment = 0 group by ledger.account_id, day, campaign, agent, ledger.reason`,
    `insert into ai_counts (account_id, day, provider, calls, input_micro_usd, cache_read_micro_usd, output_micro_usd)
      select account_id, at / ${dayLength} as day, provider, count(*), sum(has_own_key * input_micro_usd),
        sum(has_own_key * cache_read_micro_usd), sum(has_own_key * output_micro_usd)
      from ai_calls group by account_id, day, provider`,
    `insert into country_counts (account_id, day, country, contacts)
      select account_id, created_at / ${dayLength} as day, coalesce(country, '') as country_of, count(*)
      from contacts group by account_id, day, country_of`,
  ];
}
