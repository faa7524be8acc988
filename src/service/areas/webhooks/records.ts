import type { Body } from '../../../contract/endpoint.ts';
import type { createWebhook, FailureType, updateWebhook } from '../../../contract/areas/webhooks/endpoints.ts';
import { iso } from '../../clock/clock.ts';
import { ApiError } from '../../errors.ts';
import { newId } from '../../identity/secrets.ts';
import type { DeliveriesTable, WebhookHealthTable, WebhooksTable } from '../../store/schema.ts';
import { type Db, prepared } from '../../store/store.ts';
import { countDelivery, defaultName, noHealth, type Outcome, receiverOf } from './rules.ts';

/** A subscription with the position that answers show as its id. */
export type Webhook = Omit<WebhooksTable, 'seq'> & { readonly seq: number; readonly position: string };

/** Reads an account's subscriptions in the order of creation, numbered from "1" (1/Webhook subscription, id). */
export async function listWebhooks(db: Db, accountId: string): Promise<Webhook[]> {
  const rows = await db.selectFrom('webhooks').selectAll().where('account_id', '=', accountId).orderBy('seq').execute();
  return rows.map((row, index) => ({ ...row, position: String(index + 1) }));
}

/**
 * Finds a subscription by its position or its name; digits are a position first (ruling, Webhooks).
 * @throws ApiError 404 when the account has none such
 */
export async function requireWebhook(db: Db, accountId: string, idOrName: string): Promise<Webhook> {
  const webhooks = await listWebhooks(db, accountId);
  const found = webhooks.find(({ position }) => position === idOrName) ?? webhooks.find(({ name }) => name === idOrName);
  if (!found) throw new ApiError(404, 'Webhook not found');
  return found;
}

/** A subscription as it is answered when it was just made. */
export function newWebhookRecord(webhook: Webhook) {
  return {
    id: webhook.position,
    name: webhook.name,
    url: webhook.url,
    subscribed_to: JSON.parse(webhook.subscribed_to) as string[],
    subscribed_to_tags: JSON.parse(webhook.subscribed_to_tags) as string[],
    created_at: iso(webhook.created_at),
  };
}

/** A subscription as lists show it; never with its secret. */
export function webhookRecord(webhook: Webhook) {
  return {
    ...newWebhookRecord(webhook),
    signing_enabled: webhook.signing_secret !== null,
    signing_secret_created_at: iso(webhook.signing_secret_created_at),
    retries_enabled: webhook.retries_enabled === 1,
    enabled: webhook.enabled === 1,
    apply_to_sub_accounts: webhook.apply_to_sub_accounts === 1,
  };
}

const flag = (value: boolean) => (value ? 1 : 0);

/** @throws ApiError 409 when the name is taken */
export async function insertWebhook(
  db: Db,
  accountId: string,
  webhook: Body<typeof createWebhook>,
  secret: string | null,
  now: number,
): Promise<Webhook> {
  const names = new Set((await listWebhooks(db, accountId)).map(({ name }) => name));
  const name = webhook.name ?? defaultName(webhook.url, names);
  if (names.has(name)) throw nameTaken(name);
  const id = newId('whk');
  await db
    .insertInto('webhooks')
    .values({
      id,
      account_id: accountId,
      name,
      url: webhook.url,
      receiver: receiverOf(webhook.url),
      subscribed_to: JSON.stringify([...new Set(webhook.subscribed_to)]),
      subscribed_to_tags: JSON.stringify([...new Set(webhook.subscribed_to_tags ?? [])]),
      retries_enabled: flag(webhook.retries_enabled ?? false),
      enabled: flag(webhook.enabled ?? true),
      apply_to_sub_accounts: flag(webhook.apply_to_sub_accounts ?? false),
      signing_secret: secret,
      signing_secret_created_at: secret === null ? null : now,
      created_at: now,
      updated_at: now,
    })
    .execute();
  return await requireWebhookById(db, accountId, id);
}

async function requireWebhookById(db: Db, accountId: string, id: string): Promise<Webhook> {
  const webhook = (await listWebhooks(db, accountId)).find((each) => each.id === id);
  if (!webhook) throw new ApiError(404, 'Webhook not found');
  return webhook;
}

const nameTaken = (name: string) => new ApiError(409, `There is a webhook named '${name}' already`);

/**
 * Changes a subscription; what is given replaces what was.
 * @throws ApiError 404, or 409 when another has the name
 */
export async function changeWebhook(db: Db, webhook: Webhook, change: Body<typeof updateWebhook>, now: number): Promise<Webhook> {
  const { account_id: accountId, id } = webhook;
  if (change.name !== undefined) {
    const taken = (await listWebhooks(db, accountId)).some((other) => other.id !== id && other.name === change.name);
    if (taken) throw nameTaken(change.name);
  }
  await db
    .updateTable('webhooks')
    .set({
      updated_at: now,
      ...(change.name !== undefined && { name: change.name }),
      ...(change.url !== undefined && { url: change.url, receiver: receiverOf(change.url) }),
      ...(change.subscribed_to && { subscribed_to: JSON.stringify([...new Set(change.subscribed_to)]) }),
      ...(change.subscribed_to_tags && { subscribed_to_tags: JSON.stringify([...new Set(change.subscribed_to_tags)]) }),
      ...(change.retries_enabled !== undefined && { retries_enabled: flag(change.retries_enabled) }),
      ...(change.enabled !== undefined && { enabled: flag(change.enabled) }),
      ...(change.apply_to_sub_accounts !== undefined && { apply_to_sub_accounts: flag(change.apply_to_sub_accounts) }),
    })
    .where('id', '=', id)
    .execute();
  // It was the old receiver that failed: the new one is delivered to.
  const receiver = change.url === undefined ? webhook.receiver : receiverOf(change.url);
  if (receiver !== webhook.receiver) await clearDisabled(db, accountId, receiver, now, { consecutive_failures: 0 });
  return await requireWebhookById(db, accountId, id);
}

/** Sets the signing secret, or with null removes it. */
export async function setSigningSecret(db: Db, webhook: Webhook, secret: string | null, now: number): Promise<void> {
  const createdAt = secret === null ? null : now;
  await db
    .updateTable('webhooks')
    .set({ signing_secret: secret, signing_secret_created_at: createdAt, updated_at: now })
    .where('id', '=', webhook.id)
    .execute();
}

/** The accounts for which a subscription's receiver has a health: its own, and those that its account manages. */
function accountsBehind(db: Db, accountId: string) {
  return db
    .selectFrom('accounts')
    .select('id')
    .where((eb) => eb.or([eb('id', '=', accountId), eb('parent_id', '=', accountId)]));
}

async function clearDisabled(
  db: Db,
  accountId: string,
  receiver: string,
  now: number,
  counters: Partial<WebhookHealthTable>,
): Promise<void> {
  await db
    .updateTable('webhook_health')
    .set({ disabled_at: null, disabled_reason: null, updated_at: now, ...counters })
    .where('receiver', '=', receiver)
    .where('account_id', 'in', accountsBehind(db, accountId))
    .execute();
}

/** Delivers again to a receiver: its failures are forgotten, its successes are not (ruling, Webhooks). */
export async function reenable(db: Db, webhook: Webhook, now: number): Promise<void> {
  await clearDisabled(db, webhook.account_id, webhook.receiver, now, { consecutive_failures: 0, total_failures: 0 });
}

/** Deletes a subscription and the health of its receiver, for client accounts as far as they have no subscription to it. */
export async function deleteWebhook(db: Db, webhook: Webhook): Promise<void> {
  await db.deleteFrom('webhooks').where('id', '=', webhook.id).execute();
  await db
    .deleteFrom('webhook_health')
    .where('receiver', '=', webhook.receiver)
    .where((eb) =>
      eb.or([
        eb('account_id', '=', webhook.account_id),
        eb.and([
          eb('account_id', 'in', accountsBehind(db, webhook.account_id)),
          eb('account_id', 'not in', eb.selectFrom('webhooks').select('account_id').where('receiver', '=', webhook.receiver)),
        ]),
      ]),
    )
    .execute();
}

/** What is kept of a receiver's last failure. */
interface LastFailure {
  readonly at: number;
  readonly event: string;
  readonly failure_type: FailureType;
  readonly status_code: number | null;
  readonly error_message: string;
}

/** Reads the health of a receiver; null when nothing was delivered to it yet. */
export async function readHealth(db: Db, accountId: string, receiver: string) {
  const row = await healthRow(db, accountId, receiver);
  if (!row) return null;
  const last = row.last_failure === null ? null : (JSON.parse(row.last_failure) as LastFailure);
  return {
    consecutive_failures: row.consecutive_failures,
    total_failures: row.total_failures,
    total_successes: row.total_successes,
    is_disabled: row.disabled_at !== null,
    disabled_at: iso(row.disabled_at),
    disabled_reason: row.disabled_reason,
    last_failure: last && { ...last, at: iso(last.at) },
    last_success_at: iso(row.last_success_at),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

const oneHealth = prepared<WebhookHealthTable>((db) =>
  db.selectFrom('webhook_health').selectAll().where('account_id', '=', '').where('receiver', '=', ''),
);

async function healthRow(db: Db, accountId: string, receiver: string): Promise<WebhookHealthTable | undefined> {
  const [row] = await oneHealth(db, [accountId, receiver]);
  return row;
}

/** Counts a whole delivery in the health of its receiver. */
export async function recordHealth(
  db: Db,
  accountId: string,
  receiver: string,
  event: string,
  outcome: Outcome,
  now: number,
): Promise<void> {
  const known = await healthRow(db, accountId, receiver);
  const { consecutive_failures, total_failures, total_successes, disabled_at, disabled_reason } = countDelivery(
    known ?? noHealth,
    outcome,
    now,
  );
  const failure: LastFailure | null = outcome.failureType && {
    at: now,
    event,
    failure_type: outcome.failureType,
    status_code: outcome.statusCode,
    error_message: outcome.errorMessage,
  };
  const counters = {
    consecutive_failures,
    total_failures,
    total_successes,
    disabled_at,
    disabled_reason,
    last_failure: failure ? JSON.stringify(failure) : (known?.last_failure ?? null),
    last_success_at: outcome.delivered ? now : (known?.last_success_at ?? null),
    updated_at: now,
  };
  if (known)
    await db.updateTable('webhook_health').set(counters).where('account_id', '=', accountId).where('receiver', '=', receiver).execute();
  else
    await db
      .insertInto('webhook_health')
      .values({ account_id: accountId, receiver, created_at: now, ...counters })
      .execute();
}

/** A delivery with all that an attempt of it needs, as it stands now. */
export interface Delivery {
  readonly id: string;
  readonly accountId: string;
  readonly state: DeliveriesTable['state'];
  readonly firstAttemptAt: number | null;
  readonly scheduledAttempts: number;
  /** How many attempts ended, those outside of the schedule included. */
  readonly attempts: number;
  readonly body: string;
  readonly event: string;
  /** The subscription; null once it is deleted. */
  readonly webhook: DeliveryWebhook | null;
}

/** What an attempt must know of the subscription. */
export interface DeliveryWebhook {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  readonly receiver: string;
  readonly enabled: boolean;
  readonly appliesToSubAccounts: boolean;
  readonly isAutoDisabled: boolean;
  readonly retriesEnabled: boolean;
  readonly secret: string | null;
}

/** What the body of a delivery is made of. */
const bodyColumns = [
  'events.id as event_id',
  'events.name as event',
  'events.data',
  'events.occurred_at',
  'accounts.name as account_name',
  'accounts.email as account_email',
] as const;

function deliveriesToSend(db: Db) {
  return db
    .selectFrom('deliveries')
    .innerJoin('events', 'events.id', 'deliveries.event_id')
    .innerJoin('accounts', 'accounts.id', 'deliveries.account_id')
    .leftJoin('webhooks', 'webhooks.id', 'deliveries.webhook_id')
    .leftJoin('webhook_health', (join) =>
      join.onRef('webhook_health.account_id', '=', 'deliveries.account_id').onRef('webhook_health.receiver', '=', 'webhooks.receiver'),
    )
    .select([
      'deliveries.id',
      'deliveries.account_id',
      'deliveries.state',
      'deliveries.first_attempt_at',
      'deliveries.scheduled_attempts',
      ...bodyColumns,
      'webhooks.id as webhook_id',
      'webhooks.account_id as webhook_account_id',
      'webhooks.url',
      'webhooks.receiver',
      'webhooks.enabled',
      'webhooks.apply_to_sub_accounts',
      'webhooks.retries_enabled',
      'webhooks.signing_secret',
      'webhook_health.disabled_at',
    ])
    .select((eb) =>
      eb
        .selectFrom('delivery_attempts')
        .select((inner) => inner.fn.countAll<number>().as('count'))
        .whereRef('delivery_attempts.delivery_id', '=', 'deliveries.id')
        .as('attempts'),
    )
    .where('deliveries.id', '=', '');
}

type DeliveryRowToSend = Awaited<ReturnType<ReturnType<typeof deliveriesToSend>['execute']>>[number];

const oneToSend = prepared<DeliveryRowToSend>(deliveriesToSend);

/** Reads a delivery for an attempt; undefined when there is none. */
export async function findDelivery(db: Db, id: string): Promise<Delivery | undefined> {
  const [row] = await oneToSend(db, [id]);
  if (!row) return undefined;
  return {
    id: row.id,
    accountId: row.account_id,
    state: row.state,
    firstAttemptAt: row.first_attempt_at,
    scheduledAttempts: row.scheduled_attempts,
    attempts: row.attempts ?? 0,
    body: bodyOf(row),
    event: row.event,
    webhook:
      row.webhook_id === null
        ? null
        : {
            id: row.webhook_id,
            accountId: row.webhook_account_id as string,
            url: row.url as string,
            receiver: row.receiver as string,
            enabled: row.enabled === 1,
            appliesToSubAccounts: row.apply_to_sub_accounts === 1,
            isAutoDisabled: row.disabled_at !== null,
            retriesEnabled: row.retries_enabled === 1,
            secret: row.signing_secret,
          },
  };
}

/** The body of a delivery (ruling, Webhooks): the same at every attempt. */
function bodyOf(row: {
  event: string;
  event_id: string;
  occurred_at: number;
  account_id: string;
  account_name: string;
  account_email: string | null;
  data: string;
}): string {
  const head = {
    event: row.event,
    event_id: row.event_id,
    occurred_at: iso(row.occurred_at),
    user: { id: row.account_id, name: row.account_name, email: row.account_email },
  };
  // The data is JSON already.
  return `${JSON.stringify(head).slice(0, -1)},"data":${row.data}}`;
}

/** What is kept of an attempt. */
export interface Attempt {
  readonly at: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly durationMs: number;
  readonly outcome: Outcome;
}

const lastAttempt = prepared<{ last: number | null }>((db) =>
  db
    .selectFrom('delivery_attempts')
    .select((eb) => eb.fn.max('attempt').as('last'))
    .where('delivery_id', '=', ''),
);

/** Writes an attempt down, with the next free number. */
export async function insertAttempt(db: Db, deliveryId: string, { at, headers, durationMs, outcome }: Attempt): Promise<void> {
  const [{ last } = { last: 0 }] = await lastAttempt(db, [deliveryId]);
  await db
    .insertInto('delivery_attempts')
    .values({
      delivery_id: deliveryId,
      attempt: (last ?? 0) + 1,
      at,
      request_headers: JSON.stringify(headers),
      status_code: outcome.statusCode,
      failure_type: outcome.failureType,
      duration_ms: durationMs,
      response_body: outcome.responseBody,
    })
    .execute();
}

const webhookWithId = prepared<{ id: string }>((db) => db.selectFrom('webhooks').select('id').where('id', '=', ''));

/** Whether there is a subscription of that inner id. */
export async function webhookExists(db: Db, id: string): Promise<boolean> {
  return (await webhookWithId(db, [id])).length > 0;
}

/** Changes a delivery's state; one that is over has no next attempt. */
export async function updateDelivery(
  db: Db,
  id: string,
  change: Partial<Pick<DeliveriesTable, 'state' | 'first_attempt_at' | 'scheduled_attempts' | 'next_attempt_at'>>,
): Promise<void> {
  await db.updateTable('deliveries').set(change).where('id', '=', id).execute();
}

/** Reads deliveries by descending `seq`, below `before`. */
export async function listDeliveries(
  db: Db,
  filter: { account_id?: string | undefined; webhook_id?: string | undefined },
  before: number | undefined,
  take: number,
) {
  let query = db
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
    .orderBy('deliveries.seq', 'desc')
    .limit(take);
  if (before !== undefined) query = query.where('deliveries.seq', '<', before);
  if (filter.account_id !== undefined) query = query.where('deliveries.account_id', '=', filter.account_id);
  if (filter.webhook_id !== undefined) query = query.where('deliveries.webhook_id', 'in', idsAt(db, filter.webhook_id));
  return await query.execute();
}

type DeliveryRow = Awaited<ReturnType<typeof listDeliveries>>[number];

/** The inner ids of the subscriptions that stand at a position of their account, or have that name. */
function idsAt(db: Db, positionOrName: string) {
  const position = /^\d{1,9}$/.test(positionOrName) ? Number(positionOrName) : -1;
  return db
    .selectFrom('webhooks')
    .select('webhooks.id')
    .where((eb) =>
      eb.or([
        eb('webhooks.name', '=', positionOrName),
        eb(
          eb
            .selectFrom('webhooks as earlier')
            .select((inner) => inner.fn.countAll<number>().as('count'))
            .whereRef('earlier.account_id', '=', 'webhooks.account_id')
            .whereRef('earlier.seq', '<=', 'webhooks.seq'),
          '=',
          position,
        ),
      ]),
    );
}

/** Deliveries as the control surface shows them, with their attempts (5/A2). */
export async function deliveryRecords(db: Db, rows: readonly DeliveryRow[]) {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const attempts = await db.selectFrom('delivery_attempts').selectAll().where('delivery_id', 'in', ids).orderBy('attempt').execute();
  const positions = await positionsOf(db, [...new Set(rows.map((row) => row.webhook_account_id))]);
  return rows.map((row) => ({
    id: row.id,
    account_id: row.account_id,
    webhook_account_id: row.webhook_account_id,
    webhook_id: row.webhook_id === null ? null : (positions.get(row.webhook_id) ?? null),
    event: row.event,
    event_id: row.event_id,
    state: row.state,
    next_attempt_at: iso(row.next_attempt_at),
    attempts: attempts
      .filter((attempt) => attempt.delivery_id === row.id)
      .map((attempt) => ({
        at: iso(attempt.at),
        attempt: attempt.attempt,
        request_headers: JSON.parse(attempt.request_headers) as Record<string, string>,
        request_body: bodyOf(row),
        status_code: attempt.status_code,
        failure_type: attempt.failure_type as FailureType | null,
        duration_ms: attempt.duration_ms,
        response_body: attempt.response_body,
      })),
  }));
}

/** The present positions of the subscriptions of some accounts, by their inner ids. */
async function positionsOf(db: Db, accountIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.selectFrom('webhooks').select(['id', 'account_id']).where('account_id', 'in', accountIds).orderBy('seq').execute();
  const counts = new Map<string, number>();
  return new Map(
    rows.map(({ id, account_id: account }) => {
      const position = (counts.get(account) ?? 0) + 1;
      counts.set(account, position);
      return [id, String(position)];
    }),
  );
}
