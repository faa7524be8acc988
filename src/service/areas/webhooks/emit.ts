import type { EventName } from '../../../contract/areas/webhooks/event-names.ts';
import { defaultPlan, type Plan } from '../../../contract/plan.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';
import { prepared } from '../../store/prepared.ts';
import { receiversOf, type Subscription } from './rules.ts';
import { deliveries, events, webhooks } from './table.ts';

/** An event on an account. */
export interface NewEvent {
  readonly name: Exclude<EventName, 'Channel Connected'>;
  /** Builds the data of the event: the record under its noun (rule webhooks.31). Called only when a subscription receives the event. */
  readonly data: () => Readonly<Record<string, unknown>>;
  /** The tags of the contact, for `Chat Concluded`. */
  readonly contactTags?: readonly string[];
  /** By the service's clock. */
  readonly at: number;
}

interface StoredSubscription {
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
const subscriptionsFor = prepared<{ account: string }, StoredSubscription>((db, $) =>
  db
    .selectFrom('webhooks')
    .innerJoin('accounts', 'accounts.id', 'webhooks.account_id')
    .leftJoin('webhook_health', (join) =>
      join.onRef('webhook_health.receiver', '=', 'webhooks.receiver').on('webhook_health.account_id', '=', $.account),
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
        eb('webhooks.account_id', '=', $.account),
        eb.and([
          eb('webhooks.account_id', '=', eb.selectFrom('accounts as client').select('client.parent_id').where('client.id', '=', $.account)),
          eb('webhooks.apply_to_sub_accounts', '=', 1),
        ]),
      ]),
    )
    .orderBy('webhooks.seq'),
);

/**
 * Emits events of an account, in the transaction of the change that causes them. Each subscription that receives an event
 * gets a delivery and a job. @returns the events' ids
 */
export async function emitAll(db: Db, accountId: string, emitted: readonly NewEvent[]): Promise<string[]> {
  if (emitted.length === 0) return [];
  const subscriptions = (await subscriptionsFor(db, { account: accountId })).map(parseSubscription);
  const all = emitted.map((event) => ({
    id: newId('evt'),
    event,
    receivers: receiversOf(subscriptions, accountId, event.name, event.contactTags ?? []),
  }));
  const received = all.filter(({ receivers }) => receivers.length > 0);
  const eventRows = received.map(({ id, event }) => ({
    id,
    account_id: accountId,
    name: event.name,
    data: JSON.stringify(event.data()),
    occurred_at: event.at,
  }));
  const sent = received.flatMap(({ id, event, receivers }) =>
    receivers.map((receiver) => ({ id: newId('dlv'), eventId: id, receiver, at: event.at })),
  );
  const deliveryRows = sent.map(({ id, eventId, receiver, at }) => ({
    id,
    event_id: eventId,
    account_id: accountId,
    webhook_account_id: receiver.account_id,
    webhook_id: receiver.id,
    state: 'queued' as const,
    next_attempt_at: at,
  }));
  await insertMany(db, events, eventRows);
  await insertMany(db, deliveries, deliveryRows);
  await enqueue(db, ...sent.map(({ id, receiver, at }) => deliveryJob(id, accountId, receiver.receiver, at)));
  return all.map(({ id }) => id);
}

type Receiver = Subscription & { readonly id: string };

function parseSubscription({ plan: storedPlan, disabled_at: disabledAt, ...stored }: StoredSubscription): Receiver {
  const plan = { ...defaultPlan, ...(JSON.parse(storedPlan) as Partial<Plan>) };
  return { ...webhooks.decode(stored), isAutoDisabled: disabledAt !== null, isIncluded: plan.webhooks };
}

/** The job that makes the next attempt of a delivery. */
export function deliveryJob(deliveryId: string, accountId: string, receiver: string, dueAt: number) {
  return { kind: 'webhook_delivery', lane: receiver, accountId, payload: { delivery: deliveryId }, dueAt } as const;
}
