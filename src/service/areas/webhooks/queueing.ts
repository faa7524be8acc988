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

/** A subscription that an event is for. One that is not on misses the event. */
interface Recipient {
  readonly id: string;
  readonly account_id: string;
  readonly receiver: string;
  readonly isOn: boolean;
}

/** An event with the subscriptions that it is for. */
interface ReceivedEvent {
  readonly id: string;
  readonly event: { readonly accountId: string; readonly name: string; readonly at: number };
  readonly recipients: readonly Recipient[];
}

/**
 * Queues a delivery for each event and each subscription that receives it, and writes down which miss it. If there are many, jobs do
 * it (rule webhooks.107).
 */
export async function queueDeliveries(db: Db, received: readonly ReceivedEvent[]): Promise<void> {
  const count = received.reduce((sum, { recipients }) => sum + recipients.length, 0);
  if (count > deliveriesAtOnce) await enqueue(db, ...fanOuts(received));
  else await insertDeliveries(db, received);
}

/** Events whose deliveries are queued after the transaction, and the subscriptions that all of them are for. */
export interface FanOut {
  readonly events: readonly string[];
  readonly webhooks: readonly string[];
  /** Those of them that miss the events. Jobs of earlier versions lack this field. */
  readonly missing?: readonly string[];
}

/** The jobs that queue the deliveries of many events or subscriptions, part by part. */
function fanOuts(received: readonly ReceivedEvent[]): NewJob[] {
  const groups = Map.groupBy(received, ({ event, recipients }) =>
    JSON.stringify([event.accountId, recipients.map(({ id, isOn }) => [id, isOn])]),
  );
  return [...groups.values()].flatMap((group) => {
    const [{ event, recipients }] = group as [ReceivedEvent];
    const ids = group.map(({ id }) => id);
    const parts = slices(recipients, deliveriesAtOnce).flatMap((some) =>
      slices(ids, Math.max(1, Math.floor(deliveriesAtOnce / some.length))).map((part) => ({
        events: part,
        webhooks: some.map(({ id }) => id),
        missing: some.filter(({ isOn }) => !isOn).map(({ id }) => id),
      })),
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
export async function fanOut(db: Db, { events: eventIds, webhooks: webhookIds, missing = [] }: FanOut): Promise<void> {
  const emitted = await eventsById(db, { ids: JSON.stringify(eventIds) });
  const subscriptions = await subscriptionsById(db, { ids: JSON.stringify(webhookIds) });
  const recipients = subscriptions.map((each) => ({ ...each, isOn: !missing.includes(each.id) }));
  const received = emitted.map(({ id, account_id: accountId, name, occurred_at: at }) => ({
    id,
    event: { accountId, name, at },
    recipients,
  }));
  await insertDeliveries(db, received);
}

const eventsById = prepared<{ ids: string }, { id: string; account_id: string; name: string; occurred_at: number }>((db, $) =>
  db
    .selectFrom('events')
    .select(['id', 'account_id', 'name', 'occurred_at'])
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

/** Writes a delivery for each event and each subscription that it is for, with a job unless the subscription misses it. */
async function insertDeliveries(db: Db, received: readonly ReceivedEvent[]): Promise<void> {
  const all = received.flatMap(({ id, event, recipients }) =>
    recipients.map((recipient) => ({ id: newId('dlv'), eventId: id, event, recipient })),
  );
  const deliveryRows = all.map(({ id, eventId, event, recipient }) => ({
    id,
    event_id: eventId,
    event: event.name,
    occurred_at: event.at,
    account_id: event.accountId,
    webhook_account_id: recipient.account_id,
    webhook_id: recipient.id,
    state: recipient.isOn ? ('queued' as const) : ('missed' as const),
    next_attempt_at: recipient.isOn ? event.at : null,
  }));
  await insertMany(db, deliveries, deliveryRows);
  const queued = all.filter(({ recipient }) => recipient.isOn);
  await enqueue(
    db,
    ...queued.map(({ id, event, recipient }) =>
      deliveryJob(id, event.accountId, { ownerId: recipient.account_id, receiver: recipient.receiver }, event.at),
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
