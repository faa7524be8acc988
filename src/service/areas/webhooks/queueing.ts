import { deletedAccounts } from '../../identity/deleted-accounts.ts';
import { laneOf } from '../../jobs/lanes.ts';
import { enqueue, type NewJob } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';
import { isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import { deliveries } from './table.ts';

/** The maximum number of deliveries that a transaction queues. Thousands of them would block other requests. */
const deliveriesAtOnce = 500;

/** An event with the subscriptions that receive it. */
interface ReceivedEvent {
  readonly id: string;
  readonly event: { readonly accountId: string; readonly at: number };
  readonly subscriptions: readonly { readonly id: string; readonly account_id: string; readonly receiver: string }[];
}

/**
 * Queues a delivery for each event and each subscription that receives it. If there are many, jobs queue them (rule
 * webhooks.107).
 */
export async function queueDeliveries(db: Db, received: readonly ReceivedEvent[]): Promise<void> {
  const count = received.reduce((sum, { subscriptions }) => sum + subscriptions.length, 0);
  if (count > deliveriesAtOnce) await enqueue(db, ...fanOuts(received));
  else await insertDeliveries(db, received);
}

/** Events whose deliveries are queued after the transaction, and the subscriptions that receive all of them. */
export interface FanOut {
  readonly events: readonly string[];
  readonly webhooks: readonly string[];
}

/** The jobs that queue the deliveries of many events or subscriptions, part by part. */
function fanOuts(received: readonly ReceivedEvent[]): NewJob[] {
  const groups = Map.groupBy(received, ({ event, subscriptions }) => JSON.stringify([event.accountId, subscriptions.map(({ id }) => id)]));
  return [...groups.values()].flatMap((group) => {
    const [{ event, subscriptions }] = group as [ReceivedEvent];
    const ids = group.map(({ id }) => id);
    const parts = slices(
      subscriptions.map(({ id }) => id),
      deliveriesAtOnce,
    ).flatMap((some) =>
      slices(ids, Math.max(1, Math.floor(deliveriesAtOnce / some.length))).map((part) => ({ events: part, webhooks: some })),
    );
    return parts.map((payload) => ({
      kind: 'webhook_delivery' as const,
      accountId: event.accountId,
      dueAt: event.at,
      payload,
      // The key makes these jobs visible to trimming, which keeps events that are waiting for their deliveries.
      key: `${payload.events[0]} ${payload.webhooks[0]}`,
    }));
  });
}

function slices<Item>(items: readonly Item[], size: number): (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));
}

/** Queues the deliveries of a part. Skips subscriptions that were deleted in the meantime. */
export async function fanOut(db: Db, { events: eventIds, webhooks: webhookIds }: FanOut): Promise<void> {
  const emitted = await eventsById(db, { ids: JSON.stringify(eventIds) });
  const subscriptions = await subscriptionsById(db, { ids: JSON.stringify(webhookIds) });
  const received = emitted.map(({ id, account_id: accountId, occurred_at: at }) => ({ id, event: { accountId, at }, subscriptions }));
  await insertDeliveries(db, received);
}

const eventsById = prepared<{ ids: string }, { id: string; account_id: string; occurred_at: number }>((db, $) =>
  db
    .selectFrom('events')
    .select(['id', 'account_id', 'occurred_at'])
    .where(isAmong(db, 'id', $.ids))
    .orderBy('seq'),
);

const subscriptionsById = prepared<{ ids: string }, { id: string; account_id: string; receiver: string }>((db, $) =>
  db
    .selectFrom('webhooks')
    .select(['id', 'account_id', 'receiver'])
    .where(isAmong(db, 'id', $.ids))
    // Skips deleted subscriptions with many deliveries: they are moved to a deleted account until their rows are gone.
    .where('account_id', 'not in', deletedAccounts(db))
    .orderBy('seq'),
);

/** Writes a delivery with a job for each event and each subscription that receives it. */
async function insertDeliveries(db: Db, received: readonly ReceivedEvent[]): Promise<void> {
  const sent = received.flatMap(({ id, event, subscriptions }) =>
    subscriptions.map((subscription) => ({ id: newId('dlv'), eventId: id, accountId: event.accountId, subscription, at: event.at })),
  );
  const deliveryRows = sent.map(({ id, eventId, accountId, subscription, at }) => ({
    id,
    event_id: eventId,
    account_id: accountId,
    webhook_account_id: subscription.account_id,
    webhook_id: subscription.id,
    state: 'queued' as const,
    next_attempt_at: at,
  }));
  await insertMany(db, deliveries, deliveryRows);
  await enqueue(
    db,
    ...sent.map(({ id, accountId, subscription, at }) =>
      deliveryJob(id, accountId, { ownerId: subscription.account_id, receiver: subscription.receiver }, at),
    ),
  );
}

/**
 * The job that makes the next attempt of a delivery.
 * @param accountId the account of the event
 * @param to the account that chose the receiver, and the receiver
 */
export function deliveryJob(deliveryId: string, accountId: string, to: { ownerId: string; receiver: string }, dueAt: number) {
  return { kind: 'webhook_delivery', lane: laneOf(to.ownerId, to.receiver), accountId, payload: { delivery: deliveryId }, dueAt } as const;
}
