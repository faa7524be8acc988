import { iso } from '../../../contract/time/instants.ts';
import { limits } from '../../../contract/limits.ts';
import { maskSecrets } from '../../../contract/secret.ts';
import type { AccountPlan } from '../../../contract/plan.ts';
import { completePlan } from '../../identity/accounts.ts';
import type { Db } from '../../store/database.ts';
import { fillPage } from '../../store/fill-page.ts';
import { insertMany, overwriting } from '../../store/insert.ts';
import { isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import type { Row, StoredRow } from '../../store/table.ts';
import type { DeliveryOutcome } from './outcome.ts';
import { isInherited } from './health.ts';
import { receiverOf } from './rules.ts';
import { idsOfWebhooks, positionsOf } from './subscriptions.ts';
import { deliveries, deliveryAttempts, webhooks } from './table.ts';

/** The current state of a delivery, with everything that an attempt needs. */
export interface Delivery {
  readonly id: string;
  readonly accountId: string;
  /** The internal id of its subscription. */
  readonly webhookId: string | null;
  readonly state: Row<typeof deliveries>['state'];
  readonly firstAttemptAt: number | null;
  readonly scheduledAttempts: number;
  /** The number of the last finished attempt, including those outside of the schedule; 0 without one. */
  readonly lastAttempt: number;
  readonly body: string;
  readonly event: string;
  /** The subscription, or the address of a tagging rule. Undefined when the subscription was deleted. */
  readonly webhook: DeliveryWebhook | undefined;
}

/** The fields of the subscription that an attempt needs. */
export interface DeliveryWebhook {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  readonly receiver: string;
  readonly enabled: boolean;
  readonly appliesToSubAccounts: boolean;
  readonly isAutoDisabled: boolean;
  /** Whether the plan of its account includes webhooks. */
  readonly isIncluded: boolean;
  readonly retriesEnabled: boolean;
  readonly secret: string | null;
}

/** The columns from which the body of a delivery is built. */
export const bodyColumns = [
  'events.id as event_id',
  'events.name as event',
  'events.data',
  'events.occurred_at',
  'accounts.name as account_name',
  'accounts.email as account_email',
] as const;

function deliveryToSend(db: Db, id: string) {
  return (
    db
      .selectFrom('deliveries')
      .innerJoin('events', 'events.id', 'deliveries.event_id')
      .innerJoin('accounts', 'accounts.id', 'deliveries.account_id')
      // In a deleted account, a deleted subscription may still be stored.
      .leftJoin('webhooks', (join) =>
        join.onRef('webhooks.id', '=', 'deliveries.webhook_id').onRef('webhooks.account_id', '=', 'deliveries.webhook_account_id'),
      )
      .leftJoin('accounts as owners', 'owners.id', 'deliveries.webhook_account_id')
      .leftJoin('webhook_health', (join) =>
        join
          .onRef('webhook_health.account_id', '=', 'deliveries.account_id')
          .onRef('webhook_health.receiver', '=', 'webhooks.receiver')
          .on('webhook_health.inherited', '=', isInherited('deliveries.account_id')),
      )
      .select([
        'deliveries.id',
        'deliveries.account_id',
        'deliveries.webhook_id as subscription',
        'deliveries.state',
        'deliveries.first_attempt_at',
        'deliveries.scheduled_attempts',
        'deliveries.url as own_url',
        ...bodyColumns,
        'webhooks.id as webhook_id',
        'webhooks.account_id as webhook_account_id',
        'webhooks.url',
        'webhooks.receiver',
        'webhooks.enabled',
        'webhooks.apply_to_sub_accounts',
        'webhooks.retries_enabled',
        'webhooks.signing_secret',
        'owners.plan as owner_plan',
        'webhook_health.disabled_at',
      ])
      .select((eb) =>
        eb
          .selectFrom('delivery_attempts')
          .select((inner) => inner.fn.max('attempt').as('last'))
          .whereRef('delivery_attempts.delivery_id', '=', 'deliveries.id')
          .as('last_attempt'),
      )
      .where('deliveries.id', '=', id)
      .where('deliveries.state', '!=', 'missed')
      .where('accounts.deleted_at', 'is', null)
  );
}

type SendRow = Awaited<ReturnType<ReturnType<typeof deliveryToSend>['execute']>>[number];

const oneDeliveryToSend = prepared<{ id: string }, SendRow>((db, $) => deliveryToSend(db, $.id));

/** Reads a delivery for an attempt; undefined when there is no such delivery. */
export async function findDelivery(db: Db, id: string): Promise<Delivery | undefined> {
  const [row] = await oneDeliveryToSend(db, { id });
  return (
    row && {
      id: row.id,
      accountId: row.account_id,
      webhookId: row.subscription,
      state: row.state,
      firstAttemptAt: row.first_attempt_at,
      scheduledAttempts: row.scheduled_attempts,
      lastAttempt: row.last_attempt ?? 0,
      body: bodyOf(row),
      event: row.event,
      webhook: webhookOf(row),
    }
  );
}

function webhookOf(row: SendRow): DeliveryWebhook | undefined {
  const isIncluded = completePlan(JSON.parse(row.owner_plan ?? '{}') as Partial<AccountPlan>).webhooks;
  if (row.own_url !== null) return addressOf(row.own_url, row.account_id, isIncluded);
  if (row.webhook_id === null) return undefined;
  const { enabled, apply_to_sub_accounts, retries_enabled } = webhooks.decode({
    enabled: row.enabled as number,
    apply_to_sub_accounts: row.apply_to_sub_accounts as number,
    retries_enabled: row.retries_enabled as number,
  });
  return {
    id: row.webhook_id,
    accountId: row.webhook_account_id as string,
    url: row.url as string,
    receiver: row.receiver as string,
    enabled,
    appliesToSubAccounts: apply_to_sub_accounts,
    isAutoDisabled: row.disabled_at !== null,
    isIncluded,
    retriesEnabled: retries_enabled,
    secret: row.signing_secret,
  };
}

/** A subscription for an address without one, such as that of a tagging rule. It has retries, no secret and no health. */
function addressOf(url: string, accountId: string, isIncluded: boolean): DeliveryWebhook {
  const always = { enabled: true, appliesToSubAccounts: false, isAutoDisabled: false, retriesEnabled: true, secret: null };
  return { id: '', accountId, url, receiver: receiverOf(url), isIncluded, ...always };
}

type BodyRow = Pick<SendRow, 'event' | 'event_id' | 'occurred_at' | 'account_id' | 'account_name' | 'account_email' | 'data'>;

/** The body of a delivery (rules webhooks.38, webhooks.43), which is the same for every attempt. */
export function bodyOf(row: BodyRow): string {
  const head = {
    event: row.event,
    event_id: row.event_id,
    occurred_at: iso(row.occurred_at),
    user: { id: row.account_id, name: row.account_name, email: row.account_email },
  };
  // The data is already JSON.
  return `${JSON.stringify(head).slice(0, -1)},"data":${row.data}}`;
}

/** A finished attempt. */
export interface Attempt {
  /** Its number within the delivery, as it was sent. */
  readonly number: number;
  readonly at: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly durationMs: number;
  readonly outcome: DeliveryOutcome;
}

const numbersOf = prepared<{ deliveries: string }, { delivery_id: string; attempt: number }>((db, $) =>
  db
    .selectFrom('delivery_attempts')
    .select(['delivery_id', 'attempt'])
    .where(isAmong(db, 'delivery_id', $.deliveries)),
);

/** Writes attempts. If the number of an attempt is taken, because another process used it, the next free number is used. */
export async function insertAttempts(db: Db, made: readonly { readonly deliveryId: string; readonly attempt: Attempt }[]): Promise<void> {
  const known = await numbersOf(db, { deliveries: JSON.stringify(made.map(({ deliveryId }) => deliveryId)) });
  const taken = Map.groupBy(known, (row) => row.delivery_id);
  const rows = made.map(({ deliveryId, attempt: { number, at, headers, durationMs, outcome } }) => {
    const numbers = taken.get(deliveryId)?.map(({ attempt }) => attempt) ?? [];
    return {
      delivery_id: deliveryId,
      attempt: numbers.includes(number) ? Math.max(...numbers) + 1 : number,
      at,
      request_headers: headers,
      status_code: outcome.statusCode,
      failure_type: outcome.failureType,
      duration_ms: durationMs,
      response_body: outcome.responseBody,
    };
  });
  await insertMany(db, deliveryAttempts, rows);
}

export type DeliveryRow = Row<typeof deliveries>;

/** The state of a delivery that is shown. One that was missed is not. */
export type ShownState = Exclude<DeliveryRow['state'], 'missed'>;

const deliveriesById = prepared<{ ids: string }, StoredRow<typeof deliveries>>((db, $) =>
  db
    .selectFrom('deliveries')
    .selectAll()
    .where(isAmong(db, 'id', $.ids)),
);

/** Reads the rows of deliveries, by id. */
export async function findDeliveries(db: Db, ids: readonly string[]): Promise<Map<string, DeliveryRow>> {
  const rows = await deliveriesById(db, { ids: JSON.stringify(ids) });
  return new Map(rows.map((row) => [row.id, deliveries.decode(row)]));
}

const updateStates = overwriting(['id'], ['state', 'first_attempt_at', 'scheduled_attempts', 'next_attempt_at']);

/** Writes the states of deliveries. */
export async function updateDeliveries(db: Db, rows: readonly DeliveryRow[]): Promise<void> {
  await insertMany(db, deliveries, rows, updateStates);
}

/** The filters of a list of deliveries. */
interface DeliveryFilter {
  readonly account_id?: string | undefined;
  /** The position or the name of a subscription. */
  readonly webhook_id?: string | undefined;
}

/**
 * Reads deliveries by descending `seq`, below `before`. They are found in the order of an index first, and then read with their events,
 * without those of deleted accounts: for a join, PostgreSQL may read all deliveries.
 */
export async function listDeliveries(
  db: Db,
  { account_id: account, webhook_id: webhook }: DeliveryFilter,
  before: number | undefined,
  limit: number,
) {
  const webhooks = webhook === undefined ? undefined : (await idsOfWebhooks(db, webhook).execute()).map(({ id }) => id);
  if (webhooks?.length === 0) return [];
  const read = async (next: number | undefined) => {
    let query = db.selectFrom('deliveries').select('seq').where('state', '!=', 'missed').orderBy('seq', 'desc').limit(limit);
    if (next !== undefined) query = query.where('seq', '<', next);
    if (account !== undefined) query = query.where('account_id', '=', account);
    if (webhooks !== undefined) query = query.where('webhook_id', 'in', webhooks);
    return await query.execute();
  };
  return await fillPage(before, limit, read, (rows) =>
    readDeliveries(
      db,
      rows.map(({ seq }) => seq),
    ),
  );
}

/** Reads deliveries of accounts that are not deleted, newest first. */
async function readDeliveries(db: Db, seqs: readonly number[]) {
  if (seqs.length === 0) return [];
  return await db
    .selectFrom('deliveries')
    .innerJoin('events', 'events.id', 'deliveries.event_id')
    .innerJoin('accounts', 'accounts.id', 'deliveries.account_id')
    .select([
      'deliveries.seq',
      'deliveries.id',
      'deliveries.account_id',
      'deliveries.webhook_account_id',
      'deliveries.webhook_id',
      'deliveries.state',
      'deliveries.next_attempt_at',
      ...bodyColumns,
    ])
    .where('deliveries.seq', 'in', seqs)
    .where('accounts.deleted_at', 'is', null)
    .orderBy('deliveries.seq', 'desc')
    .execute();
}

type ListedRow = Awaited<ReturnType<typeof listDeliveries>>[number];

/** Deliveries as the sandbox shows them, with their last attempts. The keys and secrets of the service that texts hold are masked. */
export async function deliveryRecords(db: Db, rows: readonly ListedRow[]) {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const stored = await db.selectFrom('delivery_attempts').selectAll().where('delivery_id', 'in', ids).orderBy('attempt').execute();
  const attempts = stored.map(deliveryAttempts.decode);
  const positions = await positionsOf(db, [...new Set(rows.map((row) => row.webhook_account_id))]);
  return rows.map((row) => ({
    id: row.id,
    account_id: row.account_id,
    webhook_account_id: row.webhook_account_id,
    webhook_id: row.webhook_id === null ? null : (positions.get(row.webhook_id) ?? null),
    event: row.event,
    event_id: row.event_id,
    state: row.state as ShownState,
    next_attempt_at: iso(row.next_attempt_at),
    attempts: attempts
      .filter((attempt) => attempt.delivery_id === row.id)
      .slice(-limits.shownAttempts)
      .map((attempt) => ({
        at: iso(attempt.at),
        attempt: attempt.attempt,
        request_headers: { ...attempt.request_headers },
        request_body: maskSecrets(bodyOf(row)),
        status_code: attempt.status_code,
        failure_type: attempt.failure_type,
        duration_ms: attempt.duration_ms,
        response_body: attempt.response_body && maskSecrets(attempt.response_body),
      })),
  }));
}
