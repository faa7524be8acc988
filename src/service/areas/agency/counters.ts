import { sql } from 'kysely';
import { noticeDays } from '../../../contract/areas/agency/endpoints.ts';
import { severityOf } from '../../../contract/areas/agency/severity.ts';
import { dayLength } from '../../../contract/time/days.ts';
import { iso } from '../../../contract/time/instants.ts';
import type { Db } from '../../store/database.ts';
import { isAmong } from '../../store/is-among.ts';
import { toCredits } from '../../store/millionths.ts';
import { prepared, preparedLists } from '../../store/prepared.ts';
import { isBelowThreshold } from '../credits/rules.ts';
import type { Client } from './rules.ts';

// Each statement is for all sub-accounts of an agency, and reads counters, short lists, or what an index holds of little that is
// unusual: never messages, contacts or sources.

interface Ids {
  readonly ids: string;
}

interface Agency {
  readonly agency: string;
}

/** A statement over the sub-accounts of an agency. SQLite keeps the order of a cross join: each account's rows are looked up. */
const clientsOf = (db: Db, agency: string) =>
  db.selectFrom('accounts').where('accounts.parent_id', '=', agency).where('accounts.deleted_at', 'is', null);

const subAccounts = preparedLists<Agency, [seq: number, id: string, name: string, threshold: number | null, millionths: number]>((db, $) =>
  clientsOf(db, $.agency)
    .innerJoin('balances', 'balances.account_id', 'accounts.id')
    .select(['accounts.seq', 'accounts.id', 'accounts.name', 'accounts.low_credit_threshold', 'balances.millionths']),
);

/** How many rows meet a condition. */
const countOf = (condition: string) => sql<number>`count(case when ${sql.raw(condition)} then 1 end)`;

/** The receivers to which deliveries of an account's own subscriptions failed last: an index has these alone. */
const isTroubled = sql<boolean>`(disabled_at is not null or consecutive_failures > 0)`;

const troubledWebhooks = prepared<Agency, { account_id: string; disabled: number; failing: number }>((db, $) =>
  clientsOf(db, $.agency)
    .crossJoin('webhook_health as health')
    .crossJoin('webhooks')
    .select([
      'health.account_id',
      countOf('disabled_at is not null').as('disabled'),
      countOf('enabled = 1 and disabled_at is null').as('failing'),
    ])
    .whereRef('health.account_id', '=', 'accounts.id')
    .where('inherited', '=', sql.lit(0))
    .where(isTroubled)
    .whereRef('webhooks.account_id', '=', 'health.account_id')
    .whereRef('webhooks.receiver', '=', 'health.receiver')
    .groupBy('health.account_id'),
);

const disconnectedChannels = prepared<Agency, Counted>((db, $) =>
  clientsOf(db, $.agency)
    .crossJoin('channels')
    .select(({ fn }) => ['account_id', fn.countAll<number>().as('count')])
    .whereRef('account_id', '=', 'accounts.id')
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

const expiringKeys = prepared<Agency & { now: number; until: number }, Counted>((db, $) =>
  clientsOf(db, $.agency)
    .crossJoin('api_keys')
    .select(({ fn }) => ['account_id', fn.countAll<number>().as('count')])
    .whereRef('account_id', '=', 'accounts.id')
    .where('expires_at', 'is not', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', $.now)
    .where('expires_at', '<=', $.until)
    .groupBy('account_id'),
);

const failedImports = prepared<Agency & { since: number }, Counted>((db, $) =>
  clientsOf(db, $.agency)
    .crossJoin('error_records')
    .select(['account_id', sql<number>`cast(sum(count) as bigint)`.as('count')])
    .whereRef('account_id', '=', 'accounts.id')
    .where('source', '=', sql.lit('import'))
    .where('last_at', '>=', $.since)
    .groupBy('account_id'),
);

const recentErrors = prepared<Agency & { since: number }, Counted>((db, $) =>
  clientsOf(db, $.agency)
    .crossJoin('error_records')
    .select(({ fn }) => ['account_id', fn.countAll<number>().as('count')])
    .whereRef('account_id', '=', 'accounts.id')
    .where('last_at', '>=', $.since)
    .groupBy('account_id'),
);

/** The open conversations that wait for a person. Those of a deleted contact may still be stored. */
const openAlerts = prepared<Agency, Counted>((db, $) =>
  clientsOf(db, $.agency)
    .crossJoin('chat_sessions')
    .innerJoin('contacts', (join) =>
      join.onRef('contacts.id', '=', 'chat_sessions.contact_id').onRef('contacts.account_id', '=', 'chat_sessions.account_id'),
    )
    .select(({ fn }) => ['chat_sessions.account_id', fn.countAll<number>().as('count')])
    .whereRef('chat_sessions.account_id', '=', 'accounts.id')
    .where('concluded_at', 'is', null)
    .where('alerts', '<>', sql.lit('[]'))
    .groupBy('chat_sessions.account_id'),
);

/** Reads what the severity of all sub-accounts of an agency depends on. */
export async function countTroubles(db: Db, agencyId: string, now: number): Promise<Client[]> {
  const agency = { agency: agencyId };
  const notice = noticeDays * dayLength;
  const [accounts, webhooks, disconnected, expiring, failed, errors, alerted] = await Promise.all([
    subAccounts(db, agency),
    troubledWebhooks(db, agency),
    disconnectedChannels(db, agency).then(counter),
    expiringKeys(db, { ...agency, now, until: now + notice }).then(counter),
    failedImports(db, { ...agency, since: now - notice }).then(counter),
    recentErrors(db, { ...agency, since: now - dayLength }).then(counter),
    openAlerts(db, agency).then(counter),
  ]);
  const troubled = byAccount(webhooks);
  return accounts.map(([seq, id, name, threshold, millionths]) => {
    const { disabled = 0, failing = 0 } = troubled.get(id) ?? {};
    const attention = {
      balance: toCredits(millionths),
      low_balance: isBelowThreshold(millionths, threshold),
      webhooks: { disabled, failing },
      channels: { disconnected: disconnected(id) },
      keys_expiring: expiring(id),
      imports_failed: failed(id),
      alerts_open: alerted(id),
      errors_24h: errors(id),
    };
    return { seq, id, name, millionths, attention, severity: severityOf(attention) };
  });
}

/** @returns the count of an account, by its id */
function counter(rows: readonly Counted[]): (id: string) => number {
  const counts = new Map(rows.map(({ account_id: id, count }) => [id, count]));
  return (id) => counts.get(id) ?? 0;
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
  return clients.map(
    ({ id, name, severity, attention: { balance, low_balance, webhooks: ofWebhooks, channels: ofChannels, ...counts } }) => {
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
        severity,
      };
    },
  );
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
