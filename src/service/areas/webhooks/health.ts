import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely';
import { iso } from '../../../contract/time/instants.ts';
import { limits } from '../../../contract/limits.ts';
import { deletedAccounts } from '../../identity/deleted-accounts.ts';
import type { Database, Db } from '../../store/database.ts';
import { insertMany, overwriting } from '../../store/insert.ts';
import { isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import type { Row, StoredRow } from '../../store/table.ts';
import type { DeliveryOutcome } from './outcome.ts';
import { countDelivery, noHealth } from './rules.ts';
import { type LastFailure, type WebhookHealth, webhookHealth, type webhooks } from './table.ts';

/** The part of a subscription that decides which health it has. */
type Receiving = Pick<Row<typeof webhooks>, 'id' | 'account_id' | 'receiver' | 'apply_to_sub_accounts'>;

/** Whether the delivery of a subscription is inherited, in a join with it. @param account the column with the account of the event */
export function isInherited(account: string): RawBuilder<number> {
  return sql<number>`case when webhooks.account_id = ${sql.ref(account)} then 0 else 1 end`;
}

const ownHealth = prepared<{ account: string; receivers: string }, StoredRow<typeof webhookHealth>>((db, $) =>
  db
    .selectFrom('webhook_health')
    .selectAll()
    .where('account_id', '=', $.account)
    .where(isAmong(db, 'receiver', $.receivers))
    .where('inherited', '=', 0),
);

/** The health of inherited deliveries of the accounts that an agency manages. */
function inheritedHealth(db: Db, agencyId: string) {
  return db
    .selectFrom('webhook_health')
    .innerJoin('accounts', 'accounts.id', 'webhook_health.account_id')
    .where('webhook_health.inherited', '=', sql.lit(1))
    .where('accounts.parent_id', '=', agencyId)
    .where('accounts.deleted_at', 'is', null);
}

/** The joined health of an agency's clients, by receiver. */
async function joinedHealth(db: Db, agencyId: string, receivers: readonly string[]) {
  if (receivers.length === 0) return new Map<string, never>();
  const among = isAmong(db, 'webhook_health.receiver', JSON.stringify(receivers));
  const sums = await inheritedHealth(db, agencyId)
    .where(among)
    .select(({ fn }) => [
      'webhook_health.receiver',
      fn.sum<number>('total_failures').as('total_failures'),
      fn.sum<number>('total_successes').as('total_successes'),
      fn.max('consecutive_failures').as('consecutive_failures'),
      fn.max('last_success_at').as('last_success_at'),
      fn.min('webhook_health.created_at').as('created_at'),
      fn.max('webhook_health.updated_at').as('updated_at'),
      fn.count<number>('disabled_at').as('paused_count'),
    ])
    .groupBy('webhook_health.receiver')
    .execute();
  const ranked = inheritedHealth(db, agencyId)
    .where(among)
    .where('last_failure_at', 'is not', null)
    .select([
      'webhook_health.receiver',
      'last_failure',
      sql<number>`row_number() over (partition by receiver order by last_failure_at desc)`.as('place'),
    ]);
  const failures = await db.selectFrom(ranked.as('ranked')).select(['receiver', 'last_failure']).where('place', '=', 1).execute();
  const failureOf = new Map(failures.map((row) => [row.receiver, webhookHealth.decode({ last_failure: row.last_failure }).last_failure]));
  return new Map(sums.map((row) => [row.receiver, { ...row, last_failure: failureOf.get(row.receiver) ?? null }]));
}

/** The counters and times of a receiver. */
type Health = Pick<
  WebhookHealth,
  'consecutive_failures' | 'total_failures' | 'total_successes' | 'last_failure' | 'last_success_at' | 'created_at' | 'updated_at'
>;

/** Joins the health of a receiver on the agency's own account and on its clients (rule webhooks.63). */
function join(own: Health, clients: Health): Health {
  const latest = (one: number | null, other: number | null) => (one === null || other === null ? (one ?? other) : Math.max(one, other));
  const isOwnLater = (own.last_failure?.at ?? 0) >= (clients.last_failure?.at ?? 0);
  return {
    consecutive_failures: Math.max(own.consecutive_failures, clients.consecutive_failures),
    total_failures: own.total_failures + clients.total_failures,
    total_successes: own.total_successes + clients.total_successes,
    last_failure: isOwnLater ? own.last_failure : clients.last_failure,
    last_success_at: latest(own.last_success_at, clients.last_success_at),
    created_at: Math.min(own.created_at, clients.created_at),
    updated_at: Math.max(own.updated_at, clients.updated_at),
  };
}

/**
 * The health of an account's subscriptions as answers show it, null before the first attempt, with the number of clients whose
 * deliveries are paused. The health of one that applies to sub-accounts joins all accounts.
 * @param subscriptions of one account
 * @returns in the order of the subscriptions
 */
export async function healthRecords(db: Db, accountId: string, subscriptions: readonly Receiving[]) {
  const receivers = (some: readonly Receiving[]) => [...new Set(some.map(({ receiver }) => receiver))];
  const rows = await ownHealth(db, { account: accountId, receivers: JSON.stringify(receivers(subscriptions)) });
  const owns = new Map(rows.map((row) => [row.receiver, webhookHealth.decode(row)]));
  const clients = await joinedHealth(db, accountId, receivers(subscriptions.filter((each) => each.apply_to_sub_accounts)));
  const all = subscriptions.map(({ receiver, apply_to_sub_accounts: isShared }) => {
    const own = owns.get(receiver);
    const joined = isShared ? clients.get(receiver) : undefined;
    return { own, health: own && joined ? join(own, joined) : (own ?? joined), pausedCount: joined?.paused_count ?? 0 };
  });
  const next = await readNextAttempts(
    db,
    all.map(({ health }) => health),
  );
  return all.map(({ own, health, pausedCount }) => ({
    health: health ? healthRecord(health, own, next) : null,
    paused_count: pausedCount,
  }));
}

function healthRecord(health: Health, own: WebhookHealth | undefined, next: ReadonlyMap<string, number | null>) {
  const { consecutive_failures, total_failures, total_successes, last_failure: failure } = health;
  const disabledAt = own?.disabled_at ?? null;
  return {
    consecutive_failures,
    total_failures,
    total_successes,
    is_disabled: disabledAt !== null,
    disabled_at: iso(disabledAt),
    disabled_reason: own?.disabled_reason ?? null,
    last_failure: failure && failureRecord(failure, next),
    last_success_at: iso(health.last_success_at),
    created_at: iso(health.created_at),
    updated_at: iso(health.updated_at),
  };
}

/** The health of one subscription, as `healthRecords`. */
export async function healthOfOne(db: Db, accountId: string, subscription: Receiving) {
  const [record = { health: null, paused_count: 0 }] = await healthRecords(db, accountId, [subscription]);
  return record;
}

/** The clients of an agency whose deliveries to a receiver are paused, longest first, as many as answers show. */
export async function pausedAccounts(db: Db, agencyId: string, receiver: string) {
  const rows = await inheritedHealth(db, agencyId)
    .where('webhook_health.receiver', '=', receiver)
    .where('disabled_at', 'is not', null)
    .select(['account_id', 'accounts.name', 'disabled_at', 'disabled_reason'])
    .orderBy('disabled_at')
    .orderBy('accounts.seq')
    .limit(limits.pausedAccounts)
    .execute();
  return rows.map(({ disabled_at: at, ...account }) => ({
    account_id: account.account_id,
    name: account.name,
    disabled_at: iso(at as number),
    disabled_reason: account.disabled_reason,
  }));
}

const nextAttempts = prepared<{ ids: string }, { id: string; next_attempt_at: number | null }>((db, $) =>
  db
    .selectFrom('deliveries')
    .select(['id', 'next_attempt_at'])
    .where(isAmong(db, 'id', $.ids)),
);

/** The times of the next attempts of deliveries, by id. */
async function readNextAttempts(db: Db, healths: readonly (Health | undefined)[]): Promise<ReadonlyMap<string, number | null>> {
  const ids = healths.flatMap((health) => health?.last_failure?.delivery_id ?? []);
  if (ids.length === 0) return new Map();
  return new Map((await nextAttempts(db, { ids: JSON.stringify(ids) })).map((row) => [row.id, row.next_attempt_at]));
}

/** The last failed attempt as answers show it, with the time of the delivery's next attempt, if any (rule webhooks.104). */
function failureRecord({ attempt = 1, delivery_id: id = '', at, ...failure }: LastFailure, next: ReadonlyMap<string, number | null>) {
  return { at: iso(at), ...failure, attempt, next_attempt_at: iso(next.get(id) ?? null) };
}

/** A scheduled attempt of a delivery. */
export interface HealthAttempt {
  readonly deliveryId: string;
  readonly event: string;
  /** Its number within the delivery. */
  readonly number: number;
  readonly outcome: DeliveryOutcome;
  /** By the service's clock, in epoch milliseconds. */
  readonly at: number;
  /** Whether it ended the delivery. */
  readonly isLast: boolean;
}

/** The subscription of a delivery. */
interface DeliveryReceiver {
  readonly id: string;
  /** The account of the subscription. */
  readonly accountId: string;
  readonly receiver: string;
}

const healthOf = prepared<{ accounts: string; receivers: string }, StoredRow<typeof webhookHealth>>((db, $) =>
  db
    .selectFrom('webhook_health')
    .selectAll()
    .where(isAmong(db, 'account_id', $.accounts))
    .where(isAmong(db, 'receiver', $.receivers)),
);

const webhooksById = prepared<{ ids: string }, { id: string }>((db, $) =>
  db
    .selectFrom('webhooks')
    .select('id')
    .where(isAmong(db, 'id', $.ids))
    .where('account_id', 'not in', deletedAccounts(db)),
);

/** The health of some receivers, within a transaction. Attempts are added to it. */
export class HealthRecords {
  readonly #known: Map<string, WebhookHealth>;
  readonly #webhooks: ReadonlySet<string>;
  readonly #changed = new Map<string, WebhookHealth>();

  private constructor(known: Map<string, WebhookHealth>, webhookIds: ReadonlySet<string>) {
    this.#known = known;
    this.#webhooks = webhookIds;
  }

  static async load(
    db: Db,
    receiving: readonly { readonly accountId: string; readonly webhook: DeliveryReceiver }[],
  ): Promise<HealthRecords> {
    const unique = (values: readonly string[]) => JSON.stringify([...new Set(values)]);
    const accounts = unique(receiving.map(({ accountId }) => accountId));
    const receivers = unique(receiving.map(({ webhook }) => webhook.receiver));
    const ids = unique(receiving.map(({ webhook }) => webhook.id));
    const [rows, existing] = await Promise.all([healthOf(db, { accounts, receivers }), webhooksById(db, { ids })]);
    const known = rows.map((row) => webhookHealth.decode(row));
    return new HealthRecords(new Map(known.map((health) => [keyOf(health), health])), new Set(existing.map(({ id }) => id)));
  }

  /** Adds an attempt. The counters only count deliveries that have ended. @returns whether it has disabled the receiver */
  add(accountId: string, webhook: DeliveryReceiver, { deliveryId, event, number, outcome, at, isLast }: HealthAttempt): boolean {
    // A subscription that was deleted in the meantime must not get a new health record.
    if (!this.#webhooks.has(webhook.id)) return false;
    const identified = { account_id: accountId, receiver: webhook.receiver, inherited: webhook.accountId !== accountId };
    const key = keyOf(identified);
    const known = this.#known.get(key);
    const failure = outcome.failureType && {
      at,
      event,
      failure_type: outcome.failureType,
      status_code: outcome.statusCode,
      error_message: outcome.errorMessage,
      attempt: number,
      delivery_id: deliveryId,
    };
    const health = {
      ...identified,
      ...(isLast ? countDelivery(known ?? noHealth, outcome, at) : { ...noHealth, ...known }),
      last_failure: failure ?? known?.last_failure ?? null,
      last_failure_at: failure ? at : (known?.last_failure_at ?? null),
      last_success_at: outcome.delivered ? at : (known?.last_success_at ?? null),
      created_at: known?.created_at ?? at,
      updated_at: at,
    };
    this.#known.set(key, health);
    this.#changed.set(key, health);
    return health.disabled_at !== null && (known?.disabled_at ?? null) === null;
  }

  /** Writes the changes. */
  async save(db: Db): Promise<void> {
    await insertMany(db, webhookHealth, [...this.#changed.values()], replaceHealth);
  }
}

function keyOf({ account_id: account, receiver, inherited }: Pick<WebhookHealth, 'account_id' | 'receiver' | 'inherited'>): string {
  return `${account} ${receiver} ${Number(inherited)}`;
}

const identity = ['account_id', 'receiver', 'inherited'];

const replaced = webhookHealth.insertedColumns.filter((column) => ![...identity, 'created_at'].includes(column));

const replaceHealth = overwriting(identity, replaced);

/** The health of an account's own deliveries to a receiver, and of those that its clients inherit from it. */
export function isOf(accountId: string, receiver: string) {
  return (eb: ExpressionBuilder<Database, 'webhook_health'>) => {
    const managed = eb.selectFrom('accounts').select('id').where('parent_id', '=', accountId);
    const own = eb.and([eb('account_id', '=', accountId), eb('inherited', '=', 0)]);
    const inherited = eb.and([eb('account_id', 'in', managed), eb('inherited', '=', 1)]);
    return eb.and([eb('receiver', '=', receiver), eb.or([own, inherited])]);
  };
}

/** Re-enables a receiver, for an account and the accounts that inherit from it. */
export async function clearDisabled(
  db: Db,
  accountId: string,
  receiver: string,
  now: number,
  counters: Partial<Pick<WebhookHealth, 'consecutive_failures' | 'total_failures'>>,
): Promise<void> {
  await db
    .updateTable('webhook_health')
    .set({ disabled_at: null, disabled_reason: null, updated_at: now, ...counters })
    .where(isOf(accountId, receiver))
    .execute();
}

/** Deletes the health of a receiver. What managed accounts have of their own stays. */
export async function deleteHealth(db: Db, accountId: string, receiver: string): Promise<void> {
  await db.deleteFrom('webhook_health').where(isOf(accountId, receiver)).execute();
}
