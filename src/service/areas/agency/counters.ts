import { sql } from 'kysely';
import { noticeDays } from '../../../contract/areas/agency/endpoints.ts';
import { dayLength } from '../../../contract/time/days.ts';
import { iso } from '../../../contract/time/instants.ts';
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

/** The receivers to which deliveries of an account's own subscriptions failed last: an index has these alone. */
const isTroubled = sql<boolean>`(disabled_at is not null or consecutive_failures > 0)`;

const troubledWebhooks = prepared<Ids, { account_id: string; disabled: number; failing: number }>((db, $) =>
  db
    .selectFrom('webhook_health as health')
    // SQLite keeps the order of a cross join: the subscriptions are looked up for the few receivers.
    .crossJoin('webhooks')
    .select([
      'health.account_id',
      countOf('disabled_at is not null').as('disabled'),
      countOf('enabled = 1 and disabled_at is null').as('failing'),
    ])
    .where(isAmong(db, 'health.account_id', $.ids))
    .where('inherited', '=', sql.lit(0))
    .where(isTroubled)
    .whereRef('webhooks.account_id', '=', 'health.account_id')
    .whereRef('webhooks.receiver', '=', 'health.receiver')
    .groupBy('health.account_id'),
);

const disconnectedChannels = prepared<Ids, Counted>((db, $) =>
  db
    .selectFrom('channels')
    .select(({ fn }) => ['account_id', fn.countAll<number>().as('count')])
    .where(isAmong(db, 'account_id', $.ids))
    .where('status', '=', sql.lit('disconnected'))
    // A widget that somebody disabled is no trouble.
    .where('channel', '<>', sql.lit('chat_widget'))
    .groupBy('account_id'),
);

const webhookTotals = prepared<Ids, { account_id: string; total: number; off: number }>((db, $) =>
  db
    .selectFrom('webhooks')
    .select(({ fn }) => ['account_id', fn.countAll<number>().as('total'), countOf('enabled = 0').as('off')])
    .where(isAmong(db, 'account_id', $.ids))
    .groupBy('account_id'),
);

const channelTotals = prepared<Ids, Counted>((db, $) =>
  db
    .selectFrom('channels')
    .select(({ fn }) => ['account_id', fn.countAll<number>().as('count')])
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

/** Reads what the severity of all sub-accounts of an agency depends on. */
export async function countTroubles(db: Db, agencyId: string, now: number): Promise<Client[]> {
  const accounts = await subAccounts(db, { agency: agencyId });
  const ids = JSON.stringify(accounts.map(({ id }) => id));
  const notice = noticeDays * dayLength;
  const [webhooks, channels, keys, imports, errors, alerts] = await Promise.all([
    troubledWebhooks(db, { ids }),
    disconnectedChannels(db, { ids }),
    expiringKeys(db, { ids, now, until: now + notice }),
    failedImports(db, { ids, since: now - notice }),
    recentErrors(db, { ids, since: now - dayLength }),
    openAlerts(db, { ids }),
  ]);
  const troubled = byAccount(webhooks);
  const counts = [channels, keys, imports, errors, alerts].map((rows) => byAccount(rows));
  return accounts.map(({ seq, id, name, millionths, low_credit_threshold: threshold }) => {
    const { disabled = 0, failing = 0 } = troubled.get(id) ?? {};
    const [disconnected = 0, keys_expiring = 0, imports_failed = 0, errors_24h = 0, alerts_open = 0] = counts.map(
      (rows) => rows.get(id)?.count ?? 0,
    );
    const attention = {
      balance: toCredits(millionths),
      low_balance: isBelowThreshold(millionths, threshold),
      webhooks: { disabled, failing },
      channels: { disconnected },
      keys_expiring,
      imports_failed,
      alerts_open,
      errors_24h,
    };
    return { seq, id, name, millionths, attention };
  });
}

/** Completes some of the sub-accounts with what their severity does not depend on, as answers show them. */
export async function showClients(db: Db, clients: readonly Client[]) {
  const ids = JSON.stringify(clients.map(({ id }) => id));
  const [webhooks, channels, messages] = await Promise.all([
    webhookTotals(db, { ids }),
    channelTotals(db, { ids }),
    newestMessages(db, { ids }),
  ]);
  const totals = { webhooks: byAccount(webhooks), channels: byAccount(channels) };
  const last = new Map(messages.map(({ id, at }) => [id, at]));
  return clients.map(({ id, name, attention: { balance, low_balance, webhooks: ofWebhooks, channels: ofChannels, ...counts } }) => {
    const { total = 0, off = 0 } = totals.webhooks.get(id) ?? {};
    return {
      account_id: id,
      name,
      balance,
      low_balance,
      webhooks: { total, off, ...ofWebhooks },
      channels: { total: totals.channels.get(id)?.count ?? 0, ...ofChannels },
      ...counts,
      last_message_at: iso(last.get(id) ?? null),
    };
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
