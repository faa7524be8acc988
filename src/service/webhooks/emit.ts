import type { EventName } from '../../contract/event-names.ts';
import { defaultPlan, type Plan } from '../../contract/plan.ts';
import { newId } from '../core/ids.ts';
import { enqueue } from '../core/jobs.ts';
import { type Db, prepared } from '../core/store.ts';
import { receiversOf, type Subscription } from './rules.ts';

/** What happened on an account. */
export interface NewEvent {
  readonly accountId: string;
  readonly name: Exclude<EventName, 'Channel Connected'>;
  /** The record concerned, under its noun (Document 4, Events and their data). */
  readonly data: Readonly<Record<string, unknown>>;
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
 * Emits an event, in the transaction of the change that causes it: with a delivery and a job for everyone who receives
 * it. Every area calls this one function. Returns the event's id.
 */
export async function emit(db: Db, event: NewEvent): Promise<string> {
  const { accountId, name, data, at } = event;
  const id = newId('evt');
  const rows = await subscriptionsFor(db, [accountId, accountId, accountId, 1]);
  const receivers = receiversOf(rows.map(parseSubscription), accountId, name, event.contactTags ?? []);
  if (receivers.length === 0) return id;
  await db
    .insertInto('events')
    .values({ id, account_id: accountId, name, data: JSON.stringify(data), occurred_at: at })
    .execute();
  for (const receiver of receivers) await queueDelivery(db, id, accountId, receiver, at);
  return id;
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

async function queueDelivery(db: Db, eventId: string, accountId: string, receiver: Receiver, at: number): Promise<void> {
  const id = newId('dlv');
  await db
    .insertInto('deliveries')
    .values({
      id,
      event_id: eventId,
      account_id: accountId,
      webhook_account_id: receiver.account_id,
      webhook_id: receiver.id,
      state: 'queued',
      first_attempt_at: null,
      scheduled_attempts: 0,
      next_attempt_at: at,
    })
    .execute();
  await enqueue(db, deliveryJob(id, accountId, receiver.receiver, at));
}

/** The job that makes the next attempt of a delivery. */
export function deliveryJob(deliveryId: string, accountId: string, receiver: string, dueAt: number) {
  return { kind: 'webhook_delivery', lane: receiver, accountId, payload: { delivery: deliveryId }, dueAt };
}
