import { sql } from 'kysely';
import { noticeDays } from '../../../contract/areas/agency/endpoints.ts';
import { dayLength } from '../../../contract/time/days.ts';
import type { Db } from '../../store/database.ts';
import { isAmong } from '../../store/is-among.ts';
import { toCredits } from '../../store/millionths.ts';
import { prepared } from '../../store/prepared.ts';
import { isBelowThreshold } from '../credits/rules.ts';
import type { Client } from './rules.ts';

// Each statement is for all sub-accounts of an agency, and reads counters, short lists, or what an index holds of little that is
// unusual: never messages, contacts or sources.

interface Ids {
  readonly ids: string;
}

const subAccounts = prepared<
  { agency: string },
  { seq: number; id: string; name: string; low_credit_threshold: number | null; millionths: number }
>((db, $) =>
  db
    .selectFrom('accounts')
    .innerJoin('balances', 'balances.account_id', 'accounts.id')
    .select(['accounts.seq', 'accounts.id', 'accounts.name', 'accounts.low_credit_threshold', 'balances.millionths'])
    .where('accounts.parent_id', '=', $.agency)
    .where('accounts.deleted_at', 'is', null),
);

/** How many rows meet a condition. */
const countOf = (condition: string) => sql<number>`count(case when ${sql.raw(condition)} then 1 end)`;

const webhookCounts = prepared<Ids, { account_id: string; total: number; off: number; disabled: number; failing: number }>((db, $) =>
  db
    .selectFrom('webhooks')
    .leftJoin('webhook_health as health', (join) =>
      join
        .onRef('health.account_id', '=', 'webhooks.account_id')
        .onRef('health.receiver', '=', 'webhooks.receiver')
        .on('health.inherited', '=', 0),
    )
    .select(({ fn }) => [
      'webhooks.account_id',
      fn.countAll<number>().as('total'),
      countOf('enabled = 0').as('off'),
      countOf('disabled_at is not null').as('disabled'),
      countOf('enabled = 1 and disabled_at is null and consecutive_failures > 0').as('failing'),
    ])
    .where(isAmong(db, 'webhooks.account_id', $.ids))
    .groupBy('webhooks.account_id'),
);

const channelCounts = prepared<Ids, { account_id: string; total: number; disconnected: number }>((db, $) =>
  db
    .selectFrom('channels')
    .select(({ fn }) => ['account_id', fn.countAll<number>().as('total'), countOf("status = 'disconnected'").as('disconnected')])
    .where(isAmong(db, 'account_id', $.ids))
    .groupBy('account_id'),
);

interface Counted {
  readonly account_id: string;
  readonly count: number;
}

const expiringKeys = prepared<Ids & { now: number; until: number }, Counted>((db, $) =>
  db
    .selectFrom('api_keys')
    .select(({ fn }) => ['account_id', fn.countAll<number>().as('count')])
    .where(isAmong(db, 'account_id', $.ids))
    .where('expires_at', 'is not', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', $.now)
    .where('expires_at', '<=', $.until)
    .groupBy('account_id'),
);

const failedImports = prepared<Ids & { since: number }, Counted>((db, $) =>
  db
    .selectFrom('error_records')
    .select(['account_id', sql<number>`cast(sum(count) as bigint)`.as('count')])
    .where(isAmong(db, 'account_id', $.ids))
    .where('source', '=', sql.lit('import'))
    .where('last_at', '>=', $.since)
    .groupBy('account_id'),
);

const recentErrors = prepared<Ids & { since: number }, Counted>((db, $) =>
  db
    .selectFrom('error_records')
    .select(({ fn }) => ['account_id', fn.countAll<number>().as('count')])
    .where(isAmong(db, 'account_id', $.ids))
    .where('last_at', '>=', $.since)
    .groupBy('account_id'),
);

/** The open conversations that wait for a person. Those of a deleted contact may still be stored. */
const openAlerts = prepared<Ids, Counted>((db, $) =>
  db
    .selectFrom('chat_sessions')
    .innerJoin('contacts', (join) =>
      join.onRef('contacts.id', '=', 'chat_sessions.contact_id').onRef('contacts.account_id', '=', 'chat_sessions.account_id'),
    )
    .select(({ fn }) => ['chat_sessions.account_id', fn.countAll<number>().as('count')])
    .where(isAmong(db, 'chat_sessions.account_id', $.ids))
    .where('concluded_at', 'is', null)
    .where('alerts', '<>', sql.lit('[]'))
    .groupBy('chat_sessions.account_id'),
);

/** Reads the counters of all sub-accounts of an agency. */
export async function countOverview(db: Db, agencyId: string, now: number): Promise<Client[]> {
  const accounts = await subAccounts(db, { agency: agencyId });
  const ids = JSON.stringify(accounts.map(({ id }) => id));
  const notice = noticeDays * dayLength;
  const [webhooks, channels, keys, imports, errors, alerts] = await Promise.all([
    webhookCounts(db, { ids }),
    channelCounts(db, { ids }),
    expiringKeys(db, { ids, now, until: now + notice }),
    failedImports(db, { ids, since: now - notice }),
    recentErrors(db, { ids, since: now - dayLength }),
    openAlerts(db, { ids }),
  ]);
  const of = { webhooks: byAccount(webhooks), channels: byAccount(channels) };
  const counts = { keys: byAccount(keys), imports: byAccount(imports), errors: byAccount(errors), alerts: byAccount(alerts) };
  return accounts.map(({ seq, id, name, millionths, low_credit_threshold: threshold }) => {
    const { total = 0, off = 0, disabled = 0, failing = 0 } = of.webhooks.get(id) ?? {};
    const { total: channelsTotal = 0, disconnected = 0 } = of.channels.get(id) ?? {};
    const shown = {
      account_id: id,
      name,
      balance: toCredits(millionths),
      low_balance: isBelowThreshold(millionths, threshold),
      webhooks: { total, off, disabled, failing },
      channels: { total: channelsTotal, disconnected },
      keys_expiring: counts.keys.get(id)?.count ?? 0,
      imports_failed: counts.imports.get(id)?.count ?? 0,
      alerts_open: counts.alerts.get(id)?.count ?? 0,
      errors_24h: counts.errors.get(id)?.count ?? 0,
    };
    return { seq, millionths, shown };
  });
}

function byAccount<Row extends { readonly account_id: string }>(rows: readonly Row[]): Map<string, Partial<Row>> {
  return new Map(rows.map((row) => [row.account_id, row]));
}

const newestMessages = prepared<Ids, { id: string; at: number | null }>((db, $) =>
  db
    .selectFrom('accounts')
    .select([
      'id',
      sql<number | null>`(
        select max(last_message_at) from daily_counts where account_id = accounts.id and day = (
          select day from daily_counts where account_id = accounts.id and last_message_at > 0 order by day desc limit 1))`.as('at'),
    ])
    .where(isAmong(db, 'id', $.ids)),
);

/** When each of these accounts sent or received its last message, by account id, from the counters of its days. */
export async function lastMessages(db: Db, ids: readonly string[]): Promise<Map<string, number | null>> {
  return new Map((await newestMessages(db, { ids: JSON.stringify(ids) })).map(({ id, at }) => [id, at]));
}
