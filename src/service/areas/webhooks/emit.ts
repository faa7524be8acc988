import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { EventName } from '../../../contract/areas/webhooks/event-names.ts';
import type { AccountPlan } from '../../../contract/plan.ts';
import { completePlan } from '../../identity/accounts.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';
import { isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import type { StoredRow } from '../../store/table.ts';
import { isInherited } from './health.ts';
import { deliveryJob, queueDeliveries } from './queueing.ts';
import { matchingSubscriptions, receiverOf, type Subscription } from './rules.ts';
import { deliveries, events, webhooks } from './table.ts';

/** An event of an account. */
export interface NewEvent {
  readonly accountId: string;
  readonly name: Exclude<EventName, 'Channel Connected'>;
  /**
   * Builds the data of the event: the record, with its noun as the key (rule webhooks.31). Called only if the event is for a
   * subscription.
   */
  readonly data: () => Readonly<Record<string, unknown>>;
  /** Reads the ids of the contact's tags, for `Chat Concluded`. Called only if a subscription is limited to tags. */
  readonly contactTags?: () => Promise<readonly string[]>;
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
  /** Whether it is limited to contacts with some tags. The tags themselves are only read for an event that needs them. */
  has_tags: number;
  enabled: number;
  plan: string;
  disabled_at: number | null;
}

/** The subscriptions of the accounts that a condition names, and the subscriptions of their agencies that apply to sub-accounts. */
function subscriptionsOf<Asked extends object>(isAsked: (db: Db, $: Asked) => RawBuilder<SqlBool>) {
  return prepared<Asked, StoredSubscription>((db, $) =>
    db
      .selectFrom('accounts as acting')
      .innerJoin('webhooks', (join) => join.on((eb) => eb('webhooks.account_id', 'in', [eb.ref('acting.id'), eb.ref('acting.parent_id')])))
      .innerJoin('accounts', 'accounts.id', 'webhooks.account_id')
      .leftJoin('webhook_health', (join) =>
        join
          .onRef('webhook_health.receiver', '=', 'webhooks.receiver')
          .onRef('webhook_health.account_id', '=', 'acting.id')
          .on('webhook_health.inherited', '=', isInherited('acting.id')),
      )
      .select([
        'acting.id as acting_id',
        'webhooks.id',
        'webhooks.account_id',
        'webhooks.receiver',
        'webhooks.subscribed_to',
        sql<number>`case when webhooks.subscribed_to_tags = '[]' then 0 else 1 end`.as('has_tags'),
        'webhooks.enabled',
        'accounts.plan',
        'webhook_health.disabled_at',
      ])
      .where(isAsked(db, $))
      .where((eb) => eb.or([eb('webhooks.account_id', '=', eb.ref('acting.id')), eb('webhooks.apply_to_sub_accounts', '=', 1)]))
      .orderBy('webhooks.seq'),
  );
}

const subscriptionsOfMany = subscriptionsOf<{ accounts: string }>((db, $) => isAmong(db, 'acting.id', $.accounts));

/** PostgreSQL plans this statement once, which for a set of accounts takes longer than running it. */
const subscriptionsOfOne = subscriptionsOf<{ account: string }>((_, $) => sql`acting.id = ${$.account}`);

/** Reads the subscriptions that can receive events of some accounts, by account id. */
export async function readSubscriptions(
  db: Db,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, readonly AccountSubscription[]>> {
  const [account = '', ...others] = accountIds;
  const found =
    others.length === 0
      ? await subscriptionsOfOne(db, { account })
      : await subscriptionsOfMany(db, { accounts: JSON.stringify(accountIds) });
  const rows = Map.groupBy(found, (row) => row.acting_id);
  return new Map(accountIds.map((id) => [id, (rows.get(id) ?? []).map(parseSubscription)]));
}

const tagsOfSubscriptions = prepared<{ ids: string }, Pick<StoredRow<typeof webhooks>, 'id' | 'subscribed_to_tags'>>((db, $) =>
  db
    .selectFrom('webhooks')
    .select(['id', 'subscribed_to_tags'])
    .where(isAmong(db, 'id', $.ids)),
);

/**
 * Leaves out the account's own subscriptions that are limited to tags of which the contact has none (rule webhooks.96). Only
 * `Chat Concluded` is limited so.
 */
async function withTagsOf(
  db: Db,
  { accountId, name, contactTags = async () => [] }: NewEvent,
  matching: readonly AccountSubscription[],
): Promise<readonly AccountSubscription[]> {
  const limited = matching.filter((subscription) => subscription.hasTags && subscription.account_id === accountId);
  if (name !== 'Chat Concluded' || limited.length === 0) return matching;
  const contact = new Set(await contactTags());
  const rows = await tagsOfSubscriptions(db, { ids: JSON.stringify(limited.map(({ id }) => id)) });
  const left = new Set(rows.flatMap((row) => (webhooks.decode(row).subscribed_to_tags.some((tag) => contact.has(tag)) ? [] : [row.id])));
  return matching.filter(({ id }) => !left.has(id));
}

/**
 * Emits events, in the transaction of the changes that cause them. Each subscription that an event is for gets a delivery, with a job
 * unless it misses the event. If there are many, jobs queue them part by part (rule webhooks.107).
 * @param known the result of `readSubscriptions` for the accounts of the events, if the caller has it
 * @returns the ids of the events
 */
export async function emitAll(
  db: Db,
  emitted: readonly NewEvent[],
  known?: ReadonlyMap<string, readonly AccountSubscription[]>,
): Promise<string[]> {
  if (emitted.length === 0) return [];
  const subscriptions = known ?? (await readSubscriptions(db, [...new Set(emitted.map(({ accountId }) => accountId))]));
  const all: { id: string; event: NewEvent; recipients: readonly AccountSubscription[] }[] = [];
  for (const event of emitted) {
    const matching = matchingSubscriptions(subscriptions.get(event.accountId) ?? [], event.accountId, event.name);
    all.push({ id: newId('evt'), event, recipients: await withTagsOf(db, event, matching) });
  }
  const received = all.filter(({ recipients }) => recipients.length > 0);
  const eventRows = received.map(({ id, event }) => ({
    id,
    account_id: event.accountId,
    name: event.name,
    data: JSON.stringify(event.data()),
    occurred_at: event.at,
  }));
  await insertMany(db, events, eventRows);
  await queueDeliveries(db, received);
  return all.map(({ id }) => id);
}

/** An event for an address without a subscription: the address, and the data with their nouns as keys. */
interface AddressedEvent {
  readonly url: string;
  readonly data: object;
}

/**
 * Sends events to addresses without a subscription (rule webhooks.105).
 */
export async function emitToAddresses(
  db: Db,
  { accountId, name, at }: { readonly accountId: string; readonly name: string; readonly at: number },
  addressed: readonly AddressedEvent[],
): Promise<void> {
  const sent = addressed.map(({ url, data }) => ({ eventId: newId('evt'), id: newId('dlv'), url, data: JSON.stringify(data) }));
  await insertMany(
    db,
    events,
    sent.map(({ eventId, data }) => ({ id: eventId, account_id: accountId, name, data, occurred_at: at })),
  );
  const common = { account_id: accountId, webhook_account_id: accountId, webhook_id: null, event: name, occurred_at: at };
  await insertMany(
    db,
    deliveries,
    sent.map(({ eventId, id, url }) => ({ ...common, id, event_id: eventId, url, state: 'queued' as const, next_attempt_at: at })),
  );
  await enqueue(db, ...sent.map(({ id, url }) => deliveryJob(id, accountId, { ownerId: accountId, receiver: receiverOf(url) }, at)));
}

/** A subscription that can receive events of an account. */
export type AccountSubscription = Subscription & { readonly id: string; readonly hasTags: boolean; readonly isOn: boolean };

function parseSubscription({
  acting_id: _,
  plan: storedPlan,
  disabled_at: disabledAt,
  has_tags: hasTags,
  ...stored
}: StoredSubscription): AccountSubscription {
  const plan = completePlan(JSON.parse(storedPlan) as Partial<AccountPlan>);
  const webhook = webhooks.decode(stored);
  return { ...webhook, hasTags: hasTags === 1, isOn: webhook.enabled && disabledAt === null, isIncluded: plan.webhooks };
}
