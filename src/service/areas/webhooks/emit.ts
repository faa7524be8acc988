import type { EventName } from '../../../contract/areas/webhooks/event-names.ts';
import { defaultPlan, type Plan } from '../../../contract/areas/accounts/plan.ts';
import { insertMany } from '../../store/bulk.ts';
import { newId } from '../../identity/secrets.ts';
import { enqueueAll } from '../../jobs/jobs.ts';
import { type Db, prepared } from '../../store/store.ts';
import { receiversOf, type Subscription } from './rules.ts';

/** What happened on an account. */
export interface NewEvent {
  readonly name: Exclude<EventName, 'Channel Connected'>;
  /** The record concerned, under its noun (Document 4, Events and their data); made when somebody receives it. */
  readonly data: () => Readonly<Record<string, unknown>>;
  /** The tags of the contact, where a chat with one concluded. */
  readonly contactTags?: readonly string[];
  /** By the service's clock. */
  readonly at: number;
}

interface SubscriptionRow {
  id: string;
  account_id: string;
  receiver: string;
  subscribed_to: string;
  subscribed_to_tags: string;
  enabled: number;
  plan: string;
  disabled_at: number | null;
}

/** The subscriptions of an account, and those of its agency that apply to sub-accounts. */
const subscriptionsFor = prepared<SubscriptionRow>((db) =>
  db
    .selectFrom('webhooks')
    .innerJoin('accounts', 'accounts.id', 'webhooks.account_id')
    .leftJoin('webhook_health', (join) =>
      join.onRef('webhook_health.receiver', '=', 'webhooks.receiver').on('webhook_health.account_id', '=', ''),
    )
    .select([
      'webhooks.id',
      'webhooks.account_id',
      'webhooks.receiver',
      'webhooks.subscribed_to',
      'webhooks.subscribed_to_tags',
      'webhooks.enabled',
      'accounts.plan',
      'webhook_health.disabled_at',
    ])
    .where((eb) =>
      eb.or([
        eb('webhooks.account_id', '=', ''),
        eb.and([
          eb('webhooks.account_id', '=', eb.selectFrom('accounts as client').select('client.parent_id').where('client.id', '=', '')),
          eb('webhooks.apply_to_sub_accounts', '=', 1),
        ]),
      ]),
    )
    .orderBy('webhooks.seq'),
);

/**
 * Emits events of an account, in the transaction of the change that causes them: with a delivery and a job for everyone
 * who receives one. Every area calls this one function, most by their journal. Returns the events' ids.
 */
export async function emitAll(db: Db, accountId: string, events: readonly NewEvent[]): Promise<string[]> {
  if (events.length === 0) return [];
  const subscriptions = (await subscriptionsFor(db, [accountId, accountId, accountId, 1])).map(parseSubscription);
  const emitted = events.map((event) => ({
    id: newId('evt'),
    event,
    receivers: receiversOf(subscriptions, accountId, event.name, event.contactTags ?? []),
  }));
  const received = emitted.filter(({ receivers }) => receivers.length > 0);
  const eventRows = received.map(({ id, event }) => ({
    id,
    account_id: accountId,
    name: event.name,
    data: JSON.stringify(event.data()),
    occurred_at: event.at,
  }));
  const deliveries = received.flatMap(({ id, event, receivers }) =>
    receivers.map((receiver) => ({ id: newId('dlv'), eventId: id, receiver, at: event.at })),
  );
  await insertMany(db, 'events', eventRows);
  await insertMany(
    db,
    'deliveries',
    deliveries.map(({ id, eventId, receiver, at }) => ({
      id,
      event_id: eventId,
      account_id: accountId,
      webhook_account_id: receiver.account_id,
      webhook_id: receiver.id,
      state: 'queued' as const,
      first_attempt_at: null,
      scheduled_attempts: 0,
      next_attempt_at: at,
    })),
  );
  await enqueueAll(
    db,
    deliveries.map(({ id, receiver, at }) => deliveryJob(id, accountId, receiver.receiver, at)),
  );
  return emitted.map(({ id }) => id);
}

type Receiver = Subscription & { readonly id: string };

function parseSubscription(row: SubscriptionRow): Receiver {
  const plan = { ...defaultPlan, ...(JSON.parse(row.plan) as Partial<Plan>) };
  return {
    id: row.id,
    account_id: row.account_id,
    receiver: row.receiver,
    subscribed_to: JSON.parse(row.subscribed_to) as string[],
    subscribed_to_tags: JSON.parse(row.subscribed_to_tags) as string[],
    enabled: row.enabled === 1,
    isAutoDisabled: row.disabled_at !== null,
    isIncluded: plan.webhooks,
  };
}

/** The job that makes the next attempt of a delivery. */
export function deliveryJob(deliveryId: string, accountId: string, receiver: string, dueAt: number) {
  return { kind: 'webhook_delivery', lane: receiver, accountId, payload: { delivery: deliveryId }, dueAt };
}
