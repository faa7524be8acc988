import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Service } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { insertMany } from '../../store/insert.ts';
import { isAmong } from '../../store/is-among.ts';
import type { AnyTable } from '../../store/table.ts';
import { placeIn } from '../activity/contact-counts.ts';
import { dayLength, hourLength } from '../activity/counts.ts';
import { aiCounts, contactCounts, countryCounts, dailyCounts, hourlyCounts, ledgerCounts } from '../activity/table.ts';

type Counters = Record<string, string | number>;

/** A table of counters: the columns that name a counter, and the queries that count it anew from the records of an account. */
interface Counted {
  readonly table: AnyTable;
  readonly key: readonly string[];
  readonly recount: (accountId: string) => readonly RawBuilder<Counters>[];
  /** The columns that hold the greatest value instead of a sum. */
  readonly greatest?: readonly string[];
}

/** Those that are counted: the sort by contact carries them. */
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

/** The messages of contacts, each with whether it is a reply. The contact links a message to its account. */
const messagesWhere = (isOfContact: RawBuilder<SqlBool>) => sql`(
  select ${messageColumns}, case when direction = 'inbound' and messages.seq > min(case when direction = 'outbound' then messages.seq end)
    over (partition by messages.contact_id, session_id) then 1 else 0 end as is_reply
  from messages join contacts on contacts.id = messages.contact_id where ${isOfContact}) as counted`;

const messagesOf = (accountId: string) => messagesWhere(sql`contacts.account_id = ${accountId}`);

const campaignAndAgent = sql`coalesce(campaign_id, '') as campaign_id, coalesce(agent_id, '') as agent_id`;

/** Counts rows for which a condition holds. */
const countIf = (condition: RawBuilder<unknown>) => sql`sum(case when ${condition} then 1 else 0 end)`;

/** The counters of messages that the daily ones and those of contacts have. */
const messageCounters = sql`
  ${countIf(sql`sender = 'ai'`)} as ai_sent, ${countIf(sql`sender = 'human'`)} as human_sent,
  ${countIf(sql`sender = 'automated'`)} as automated_sent, ${countIf(sql`direction = 'inbound'`)} as received,
  ${countIf(sql`status in ('delivered', 'read')`)} as delivered, ${countIf(sql`status = 'read'`)} as "read",
  sum(is_reply) as replied, max(created_at) as last_message_at`;

const daily: Counted = {
  table: dailyCounts,
  key: ['day', 'campaign_id', 'agent_id', 'channel', 'own_identity'],
  greatest: ['last_message_at'],
  recount: (accountId) => [
    sql`select created_at / ${sql.lit(dayLength)} as day, ${campaignAndAgent}, channel, own_identity, ${messageCounters}
      from ${messagesOf(accountId)} group by 1, 2, 3, 4, 5`,
    sql`select at / ${sql.lit(dayLength)} as day, ${campaignAndAgent}, coalesce(channel, '') as channel, '' as own_identity,
        -sum(millionths) as credits_spent
      from credit_ledger where account_id = ${accountId} and is_adjustment = 0 group by 1, 2, 3, 4`,
    sql`select at / ${sql.lit(dayLength)} as day, '' as campaign_id, '' as agent_id, '' as channel, '' as own_identity,
        sum(millionths) as credits_recharged
      from credit_ledger where account_id = ${accountId} and reason = 'recharge' group by 1`,
    sql`select day, campaign_id, agent_id, channel, own_identity, count(*) as conversations,
        sum(spent_millionths) as conversation_credits, sum(contained) as contained, sum(contained * spent_millionths) as contained_credits,
        sum(handed_off) as handed_off, sum(handed_off * spent_millionths) as handed_off_credits,
        sum(replied) as conversations_replied, sum(alerted) as conversations_alerted, sum(booked) as conversations_booked
      from (select started_at / ${sql.lit(dayLength)} as day, coalesce(campaign_id, '') as campaign_id,
          coalesce(chat_sessions.first_agent_id, '') as agent_id, chat_sessions.channel, chat_sessions.own_identity, spent_millionths, booked,
          case when ai_sent > 0 and alerts = '[]' and human_after_ai = 0 then 1 else 0 end as contained,
          case when alerts <> '[]' or human_after_ai = 1 then 1 else 0 end as handed_off,
          case when replied > 0 then 1 else 0 end as replied, case when alerts <> '[]' then 1 else 0 end as alerted
        from chat_sessions join contacts on contacts.id = chat_sessions.contact_id where contacts.account_id = ${accountId}) as counted
      group by 1, 2, 3, 4, 5`,
    sql`select created_at / ${sql.lit(dayLength)} as day, '' as campaign_id, coalesce(first_agent_id, '') as agent_id, channel,
        '' as own_identity, count(*) as contact_created
      from contacts where account_id = ${accountId} group by 1, 3, 4`,
    sql`select created_at / ${sql.lit(dayLength)} as day, ${campaignAndAgent}, coalesce(channel, '') as channel, '' as own_identity,
        count(*) as booked
      from appointments where account_id = ${accountId} and imported = 0 group by 1, 2, 3, 4`,
  ],
};

const hourly: Counted = {
  table: hourlyCounts,
  key: ['hour', 'campaign_id', 'agent_id'],
  recount: (accountId) => [
    sql`select created_at / ${sql.lit(hourLength)} as hour, ${campaignAndAgent}, ${countIf(sql`direction = 'outbound'`)} as sent,
        sum(is_reply) as replied
      from ${messagesOf(accountId)} group by 1, 2, 3`,
  ],
};

const ledger: Counted = {
  table: ledgerCounts,
  key: ['day', 'campaign_id', 'agent_id', 'reason'],
  recount: (accountId) => [
    sql`select at / ${sql.lit(dayLength)} as day, ${campaignAndAgent}, reason, count(*) as records, -sum(millionths) as millionths
      from credit_ledger where account_id = ${accountId} and is_adjustment = 0 group by 1, 2, 3, 4`,
    ...[
      sql`credit_ledger.id = ai_calls.ledger_id`,
      sql`credit_ledger.message_id = ai_calls.message_id and credit_ledger.reason = 'ai_reply'`,
    ].map(
      (isCharged) => sql<Counters>`select credit_ledger.at / ${sql.lit(dayLength)} as day,
          coalesce(credit_ledger.campaign_id, '') as campaign_id, coalesce(credit_ledger.agent_id, '') as agent_id, credit_ledger.reason,
          sum(input_micro_usd + cache_read_micro_usd + output_micro_usd) as micro_usd
        from ai_calls join credit_ledger on ${isCharged}
        where ai_calls.account_id = ${accountId} and credit_ledger.account_id = ${accountId} and has_own_key = 1 group by 1, 2, 3, 4`,
    ),
  ],
};

const calls: Counted = {
  table: aiCounts,
  key: ['day', 'provider'],
  recount: (accountId) => [
    sql`select at / ${sql.lit(dayLength)} as day, provider, count(*) as calls, sum(has_own_key * input_micro_usd) as input_micro_usd,
        sum(has_own_key * cache_read_micro_usd) as cache_read_micro_usd, sum(has_own_key * output_micro_usd) as output_micro_usd
      from ai_calls where account_id = ${accountId} group by 1, 2`,
  ],
};

const countries: Counted = {
  table: countryCounts,
  key: ['day', 'country'],
  recount: (accountId) => [
    sql`select created_at / ${sql.lit(dayLength)} as day, coalesce(country, '') as country, count(*) as contacts
      from contacts where account_id = ${accountId} group by 1, 2`,
  ],
};

/** The counters of some contacts. */
const ofContacts = (isOfContact: RawBuilder<SqlBool>): Counted => ({
  table: contactCounts,
  key: ['contact_id', 'hour', 'place'],
  greatest: ['last_message_at'],
  recount: () => [
    sql`select contact_id, created_at / ${sql.lit(hourLength)} as hour, ${placeIn({ campaign: 'campaign_id', agent: 'agent_id', channel: 'channel', own: 'own_identity' })} as place, ${messageCounters},
        sum(case when status = 'failed' then 0 else millionths end) as credits_spent
      from ${messagesWhere(isOfContact)} group by 1, 2, 3`,
  ],
});

/** The contacts whose counters are made anew in a transaction. Each can have many messages. */
const contactsOfStep = 100;

/**
 * Makes the counters of an account anew from its records, each table in a transaction and a turn of its own, and those of
 * contacts in several.
 * @returns how many counters had another value
 */
export async function recount({ store, turns }: Service, accountId: string): Promise<number> {
  const step = <Result>(work: (db: Db) => Promise<Result>) => turns.run(() => store.write(work, { accounts: [accountId] }));
  const own = { isStored: sql<SqlBool>`account_id = ${accountId}`, owner: { account_id: accountId } };
  let changed = 0;
  for (const counted of [daily, hourly, ledger, calls, countries])
    changed += await step((db) => recountTable(db, counted, counted.recount(accountId), own));
  for (let after: number | undefined = 0; after !== undefined;) {
    const from: number = after;
    const { differences: more, end } = await step((db) => recountContacts(db, accountId, from));
    changed += more;
    after = end;
  }
  return changed;
}

/** Makes the counters of the next contacts anew. @returns where the next step begins; undefined at the end */
async function recountContacts(db: Db, accountId: string, after: number) {
  const contacts = await db
    .selectFrom('contacts')
    .select(['seq', 'id'])
    .where('account_id', '=', accountId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(contactsOfStep)
    .execute();
  const ids = JSON.stringify(contacts.map(({ id }) => id));
  const counted = ofContacts(isAmong(db, 'contacts.id', ids));
  const own = { isStored: isAmong(db, 'contact_id', ids), owner: {} };
  const differences = await recountTable(db, counted, counted.recount(accountId), own);
  return { differences, end: contacts.length < contactsOfStep ? undefined : contacts.at(-1)?.seq };
}

/** The counters of a table that are made anew. */
interface Own {
  /** Which rows are stored. */
  readonly isStored: RawBuilder<SqlBool>;
  /** The columns of every row besides the key and the counters. */
  readonly owner: Readonly<Record<string, string>>;
}

async function recountTable(
  db: Db,
  { table, key, greatest = [] }: Counted,
  queries: readonly RawBuilder<Counters>[],
  { isStored, owner }: Own,
): Promise<number> {
  const counters = Object.keys(table.columns).filter((column) => column !== 'account_id' && !key.includes(column));
  const { rows: stored } = await sql<Counters>`select * from ${sql.table(table.name)} where ${isStored}`.execute(db);
  const before = new Map(stored.map((row) => [keyOf(row, key), row]));
  const after = new Map<string, Counters>();
  const add = (row: Counters) => {
    const name = keyOf(row, key);
    const place = { ...owner, ...Object.fromEntries(key.map((column) => [column, row[column] ?? ''])) };
    const sums = after.get(name) ?? { ...place, ...Object.fromEntries(counters.map((column) => [column, 0])) };
    for (const column of counters) {
      const [sum, value] = [Number(sums[column]), Number(row[column] ?? 0)];
      sums[column] = greatest.includes(column) ? Math.max(sum, value) : sum + value;
    }
    after.set(name, sums);
  };
  for (const query of queries) for (const row of (await query.execute(db)).rows) add(row);
  const changed = differences(before, after, counters);
  if (changed === 0) return 0;
  await sql`delete from ${sql.table(table.name)} where ${isStored}`.execute(db);
  await insertMany(db, table, [...after.values()] as never);
  return changed;
}

function keyOf(row: Counters, key: readonly string[]): string {
  return key.map((column) => row[column]).join('\n');
}

/** How many counters have another value. A missing row is all zero. */
function differences(before: ReadonlyMap<string, Counters>, after: ReadonlyMap<string, Counters>, counters: readonly string[]): number {
  let changed = 0;
  for (const name of new Set([...before.keys(), ...after.keys()]))
    for (const column of counters) if ((before.get(name)?.[column] ?? 0) !== (after.get(name)?.[column] ?? 0)) changed++;
  return changed;
}
