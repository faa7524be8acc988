import type { EventName } from '../../../contract/areas/webhooks/event-names.ts';
import { defaultPlan, type Plan } from '../../../contract/plan.ts';
import { deletedAccounts } from '../../identity/deleted-accounts.ts';
import { enqueue, type NewJob } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';
import { isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import { receiverOf, receiversOf, type Subscription } from './rules.ts';
import { deliveries, events, webhooks } from './table.ts';

/** An event on an account. */
export interface NewEvent {
  readonly accountId: string;
  readonly name: Exclude<EventName, 'Channel Connected'>;
  /** Builds the data of the event: the record under its noun (rule webhooks.31). Called only when a subscription receives the event. */
  readonly data: () => Readonly<Record<string, unknown>>;
  /** The tags of the contact, for `Chat Concluded`. */
  readonly contactTags?: readonly string[];
  /** By the service's clock. */
  readonly at: number;
}

interface StoredSubscription {
  /** The account whose events it receives. */
  acting_id: string;
  id: string;
  account_id: string;
  receiver: string;
  subscribed_to: string;
  subscribed_to_tags: string;
  enabled: number;
  plan: string;
  disabled_at: number | null;
}

/** The subscriptions of some accounts, and those of their agencies that apply to sub-accounts. */
const subscriptionsFor = prepared<{ accounts: string }, StoredSubscription>((db, $) =>
  db
    .selectFrom('accounts as acting')
    .innerJoin('webhooks', (join) => join.on((eb) => eb('webhooks.account_id', 'in', [eb.ref('acting.id'), eb.ref('acting.parent_id')])))
    .innerJoin('accounts', 'accounts.id', 'webhooks.account_id')
    .leftJoin('webhook_health', (join) =>
      join.onRef('webhook_health.receiver', '=', 'webhooks.receiver').onRef('webhook_health.account_id', '=', 'acting.id'),
    )
    .select([
      'acting.id as acting_id',
      'webhooks.id',
      'webhooks.account_id',
      'webhooks.receiver',
      'webhooks.subscribed_to',
      'webhooks.subscribed_to_tags',
      'webhooks.enabled',
      'accounts.plan',
      'webhook_health.disabled_at',
    ])
    .where(isAmong(db, 'acting.id', $.accounts))
    .where((eb) => eb.or([eb('webhooks.account_id', '=', eb.ref('acting.id')), eb('webhooks.apply_to_sub_accounts', '=', 1)]))
    .orderBy('webhooks.seq'),
);

/** Reads the subscriptions that can receive events of some accounts, by the accounts' ids. */
export async function readReceivers(db: Db, accountIds: readonly string[]): Promise<ReadonlyMap<string, readonly Receiver[]>> {
  const rows = Map.groupBy(await subscriptionsFor(db, { accounts: JSON.stringify(accountIds) }), (row) => row.acting_id);
  return new Map(accountIds.map((id) => [id, (rows.get(id) ?? []).map(parseSubscription)]));
}

/**
 * Emits events, in the transaction of the changes that cause them. Each subscription that receives an event gets a
 * delivery and a job. When they are many, jobs queue them part by part (rule webhooks.107).
 * @param known the result of `readReceivers` for the accounts of the events, if the caller has it
 * @returns the events' ids
 */
export async function emitAll(db: Db, emitted: readonly NewEvent[], known?: ReadonlyMap<string, readonly Receiver[]>): Promise<string[]> {
  if (emitted.length === 0) return [];
  const receivers = known ?? (await readReceivers(db, [...new Set(emitted.map(({ accountId }) => accountId))]));
  const all = emitted.map((event) => ({
    id: newId('evt'),
    event,
    receivers: receiversOf(receivers.get(event.accountId) ?? [], event.accountId, event.name, event.contactTags ?? []),
  }));
  const received = all.filter(({ receivers }) => receivers.length > 0);
  const eventRows = received.map(({ id, event }) => ({
    id,
    account_id: event.accountId,
    name: event.name,
    data: JSON.stringify(event.data()),
    occurred_at: event.at,
  }));
  await insertMany(db, events, eventRows);
  const count = received.reduce((sum, { receivers }) => sum + receivers.length, 0);
  if (count > deliveriesAtOnce) await enqueue(db, ...fanOuts(received));
  else await queueDeliveries(db, received);
  return all.map(({ id }) => id);
}

/** The deliveries that a transaction queues. Thousands of them would keep others waiting. */
const deliveriesAtOnce = 500;

/** An event with the subscriptions that receive it. */
interface ReceivedEvent {
  readonly id: string;
  readonly event: Pick<NewEvent, 'accountId' | 'at'>;
  readonly receivers: readonly Pick<Receiver, 'id' | 'account_id' | 'receiver'>[];
}

/** Events whose deliveries are queued after the transaction, and the subscriptions that receive each of them. */
export interface FanOut {
  readonly events: readonly string[];
  readonly webhooks: readonly string[];
}

/** The jobs that queue the deliveries of many events, or of many subscriptions, part by part. */
function fanOuts(received: readonly ReceivedEvent[]): NewJob[] {
  const groups = Map.groupBy(received, ({ event, receivers }) => JSON.stringify([event.accountId, receivers.map(({ id }) => id)]));
  return [...groups.values()].flatMap((group) => {
    const [{ event, receivers }] = group as [ReceivedEvent];
    const ids = group.map(({ id }) => id);
    const parts = slices(
      receivers.map(({ id }) => id),
      deliveriesAtOnce,
    ).flatMap((some) =>
      slices(ids, Math.max(1, Math.floor(deliveriesAtOnce / some.length))).map((part) => ({ events: part, webhooks: some })),
    );
    return parts.map((payload) => ({
      kind: 'webhook_delivery' as const,
      accountId: event.accountId,
      dueAt: event.at,
      payload,
      // By it, trimming knows that events of the account wait for their deliveries.
      key: `${payload.events[0]} ${payload.webhooks[0]}`,
    }));
  });
}

function slices<Item>(items: readonly Item[], size: number): (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));
}

/** Queues the deliveries of a part. Subscriptions that were deleted in the meantime get none. */
export async function fanOut(db: Db, { events: eventIds, webhooks: webhookIds }: FanOut): Promise<void> {
  const emitted = await eventsById(db, { ids: JSON.stringify(eventIds) });
  const receivers = await receiversById(db, { ids: JSON.stringify(webhookIds) });
  const received = emitted.map(({ id, account_id: accountId, occurred_at: at }) => ({ id, event: { accountId, at }, receivers }));
  await queueDeliveries(db, received);
}

const eventsById = prepared<{ ids: string }, { id: string; account_id: string; occurred_at: number }>((db, $) =>
  db
    .selectFrom('events')
    .select(['id', 'account_id', 'occurred_at'])
    .where(isAmong(db, 'id', $.ids))
    .orderBy('seq'),
);

const receiversById = prepared<{ ids: string }, { id: string; account_id: string; receiver: string }>((db, $) =>
  db
    .selectFrom('webhooks')
    .select(['id', 'account_id', 'receiver'])
    .where(isAmong(db, 'id', $.ids))
    // One with many deliveries is deleted with an account of its own.
    .where('account_id', 'not in', deletedAccounts(db))
    .orderBy('seq'),
);

/** Queues a delivery with a job for each event and each subscription that receives it. */
async function queueDeliveries(db: Db, received: readonly ReceivedEvent[]): Promise<void> {
  const sent = received.flatMap(({ id, event, receivers }) =>
    receivers.map((receiver) => ({ id: newId('dlv'), eventId: id, accountId: event.accountId, receiver, at: event.at })),
  );
  const deliveryRows = sent.map(({ id, eventId, accountId, receiver, at }) => ({
    id,
    event_id: eventId,
    account_id: accountId,
    webhook_account_id: receiver.account_id,
    webhook_id: receiver.id,
    state: 'queued' as const,
    next_attempt_at: at,
  }));
  await insertMany(db, deliveries, deliveryRows);
  await enqueue(db, ...sent.map(({ id, accountId, receiver, at }) => deliveryJob(id, accountId, receiver.receiver, at)));
}

/**
 * Sends an event to an address without a subscription (rule webhooks.105).
 * @param event its name, and its data under their nouns
 */
export async function emitToAddress(
  db: Db,
  url: string,
  { accountId, name, data, at }: { readonly accountId: string; readonly name: string; readonly data: object; readonly at: number },
): Promise<void> {
  const [eventId, id] = [newId('evt'), newId('dlv')];
  await insertMany(db, events, [{ id: eventId, account_id: accountId, name, data: JSON.stringify(data), occurred_at: at }]);
  const delivery = { id, event_id: eventId, account_id: accountId, webhook_account_id: accountId, webhook_id: null, url };
  await insertMany(db, deliveries, [{ ...delivery, state: 'queued', next_attempt_at: at }]);
  await enqueue(db, deliveryJob(id, accountId, receiverOf(url), at));
}

/** A subscription that can receive events of an account. */
export type Receiver = Subscription & { readonly id: string };

function parseSubscription({ acting_id: _, plan: storedPlan, disabled_at: disabledAt, ...stored }: StoredSubscription): Receiver {
  const plan = { ...defaultPlan, ...(JSON.parse(storedPlan) as Partial<Plan>) };
  return { ...webhooks.decode(stored), isAutoDisabled: disabledAt !== null, isIncluded: plan.webhooks };
}

/** The job that makes the next attempt of a delivery. */
export function deliveryJob(deliveryId: string, accountId: string, receiver: string, dueAt: number) {
  return { kind: 'webhook_delivery', lane: receiver, accountId, payload: { delivery: deliveryId }, dueAt } as const;
}
