import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { dayLength } from '../../../../contract/time/days.ts';
import type { Db } from '../../../store/database.ts';
import { hasValue } from '../../../store/index-order.ts';
import { engineOf } from '../../../store/prepared.ts';
import { hourLength } from '../../activity/counts.ts';
import type { AccountCounted } from './counted.ts';
import type { CounterRow } from './sums.ts';

/** A condition of a statement, for example that a record belongs to certain contacts or to a time range. */
export type Condition = RawBuilder<SqlBool>;

/** A query for the counters of some records, with the table that they are added to. */
export type RecordQuery = readonly [counted: AccountCounted, rows: RawBuilder<CounterRow>];

/** Only the columns needed for counting, because the sort by contact carries all of them. */
const messageColumns = sql.join(
  [
    'contact_id',
    'session_id',
    'seq',
    'created_at',
    'direction',
    'status',
    'sender',
    'campaign_id',
    'agent_id',
    'channel',
    'own_identity',
    'millionths',
  ].map((name) => sql.ref(`messages.${name}`)),
);

/** The messages of contacts, each with whether it is a reply. A message is linked to its account through the contact. */
export const messagesWhere = (db: Db, isOfContact: Condition) => sql`(
  select ${messageColumns}, case when direction = 'inbound' and messages.seq > min(case when direction = 'outbound' then messages.seq end)
    over (partition by messages.contact_id, session_id) then 1 else 0 end as is_reply
  from ${withMessages(db, isOfContact)}) as counted`;

/** Contacts with their messages, except those that tell of calls. PostgreSQL looks up those of each contact: for a join, it may read the whole table. */
function withMessages(db: Db, isOfContact: Condition): RawBuilder<unknown> {
  if (engineOf(db) === 'sqlite')
    return sql`messages join contacts on contacts.id = messages.contact_id
    where ${isOfContact} and messages.type <> 'tool_use'`;
  return sql`(select * from contacts where ${isOfContact} offset 0) as contacts
    cross join lateral (select * from messages where ${hasValue(db, 'contact_id', sql.ref('contacts.id'))}
      and type <> 'tool_use' offset 0) as messages`;
}

/** Counts rows for which a condition holds. */
const countIf = (condition: RawBuilder<unknown>) => sql`sum(case when ${condition} then 1 else 0 end)`;

/** The counters of messages. */
export const messageCounters = sql`
  ${countIf(sql`sender = 'ai'`)} as ai_sent, ${countIf(sql`sender = 'human'`)} as human_sent,
  ${countIf(sql`sender = 'automated'`)} as automated_sent, ${countIf(sql`direction = 'inbound'`)} as received,
  ${countIf(sql`status in ('delivered', 'read')`)} as delivered, ${countIf(sql`status = 'read'`)} as "read",
  sum(is_reply) as replied, max(created_at) as last_message_at`;

const campaignAndAgent = sql`coalesce(campaign_id, '') as campaign_id, coalesce(agent_id, '') as agent_id`;
const day = (time: string) => sql`${sql.ref(time)} / ${sql.lit(dayLength)} as day`;

/** The messages of contacts, by hour. */
export const messagesByHour = (db: Db, isOfContact: Condition) => sql<CounterRow>`
  select created_at / ${sql.lit(hourLength)} as hour, ${campaignAndAgent}, channel, own_identity, ${messageCounters}
  from ${messagesWhere(db, isOfContact)} group by 1, 2, 3, 4, 5`;

/** The counters from contacts and their conversations, without the messages. */
export const ofContacts = (isOfContact: Condition): readonly RecordQuery[] => [
  [
    'daily',
    sql`select day, campaign_id, agent_id, channel, own_identity, count(*) as conversations,
        sum(spent_millionths) as conversation_credits, sum(contained) as contained, sum(contained * spent_millionths) as contained_credits,
        sum(handed_off) as handed_off, sum(handed_off * spent_millionths) as handed_off_credits,
        sum(replied) as conversations_replied, sum(alerted) as conversations_alerted, sum(booked) as conversations_booked
      from (select ${day('started_at')}, coalesce(campaign_id, '') as campaign_id,
          coalesce(chat_sessions.first_agent_id, '') as agent_id, chat_sessions.channel, chat_sessions.own_identity, spent_millionths, booked,
          case when ai_sent > 0 and alerts = '[]' and human_sent = 0 then 1 else 0 end as contained,
          case when alerts <> '[]' or (ai_sent > 0 and human_sent > 0) then 1 else 0 end as handed_off,
          case when replied > 0 then 1 else 0 end as replied, case when alerts <> '[]' then 1 else 0 end as alerted
        from chat_sessions join contacts on contacts.id = chat_sessions.contact_id where ${isOfContact}) as counted
      group by 1, 2, 3, 4, 5`,
  ],
  [
    'daily',
    sql`select ${day('created_at')}, '' as campaign_id, coalesce(first_agent_id, '') as agent_id, channel, '' as own_identity,
        count(*) as contact_created
      from contacts where ${isOfContact} group by 1, 3, 4`,
  ],
  [
    'countries',
    sql`select ${day('created_at')}, coalesce(first_agent_id, '') as agent_id, coalesce(country, '') as country, count(*) as contacts
      from contacts where ${isOfContact} group by 1, 2, 3`,
  ],
];

/** The counters from ledger records. */
export const ofLedger = (isCounted: Condition): readonly RecordQuery[] => [
  [
    'daily',
    sql`select ${day('at')}, ${campaignAndAgent}, coalesce(channel, '') as channel, '' as own_identity, -sum(millionths) as credits_spent
      from credit_ledger where ${isCounted} and is_adjustment = 0 group by 1, 2, 3, 4`,
  ],
  [
    'daily',
    sql`select ${day('at')}, '' as campaign_id, '' as agent_id, '' as channel, '' as own_identity, sum(millionths) as credits_recharged
      from credit_ledger where ${isCounted} and reason = 'recharge' group by 1`,
  ],
  [
    'ledger',
    sql`select ${day('at')}, ${campaignAndAgent}, reason, count(*) as records, -sum(millionths) as millionths
      from credit_ledger where ${isCounted} and is_adjustment = 0 group by 1, 2, 3, 4`,
  ],
  ...[
    sql`ai_calls.ledger_id = credit_ledger.id`,
    sql`ai_calls.message_id = credit_ledger.message_id and credit_ledger.reason = 'ai_reply'`,
  ].map((isCharged): RecordQuery => [
    'ledger',
    sql`select ${day('credit_ledger.at')}, coalesce(credit_ledger.campaign_id, '') as campaign_id,
          coalesce(credit_ledger.agent_id, '') as agent_id, credit_ledger.reason,
          sum(input_micro_usd + cache_read_micro_usd + output_micro_usd) as micro_usd
        from credit_ledger join ai_calls on ${isCharged}
        where ${isCounted} and has_own_key = 1 group by 1, 2, 3, 4`,
  ]),
];

/** The counters from AI calls. */
export const ofCalls = (isCounted: Condition): readonly RecordQuery[] => [
  [
    'calls',
    sql`select ${day('at')}, provider, count(*) as calls, sum(has_own_key * input_micro_usd) as input_micro_usd,
        sum(has_own_key * cache_read_micro_usd) as cache_read_micro_usd, sum(has_own_key * output_micro_usd) as output_micro_usd
      from ai_calls where ${isCounted} group by 1, 2`,
  ],
];

/** The counters from appointments. */
export const ofAppointments = (isCounted: Condition): readonly RecordQuery[] => [
  [
    'daily',
    sql`select ${day('created_at')}, ${campaignAndAgent}, coalesce(channel, '') as channel, '' as own_identity, count(*) as booked
      from appointments where ${isCounted} and imported = 0 group by 1, 2, 3, 4`,
  ],
];
