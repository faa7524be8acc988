import type { ChannelName } from '../../../../contract/areas/channels/names.ts';
import type { Account } from '../../../identity/accounts.ts';
import type { Db } from '../../../store/database.ts';
import { dayLength } from '../../../../contract/time/days.ts';
import { agents } from '../../agents/table.ts';
import { campaigns } from '../../campaigns/table.ts';
import { connectChannel, readConnectedChannels } from '../../channels/records.ts';
import { type EventType, eventTypes } from '../../events/table.ts';
import { lists } from '../../lists/table.ts';
import { createEntryPoint, findDefault } from '../../routing/records.ts';
import { createTag, findTagByName } from '../../tags/records.ts';
import { createSubscription, listWebhooks, type Webhook } from '../../webhooks/subscriptions.ts';
import type { HistoryPlan } from './conversations.ts';
import * as names from './names.ts';

/** The records of an account that a history refers to, by their index in `names.ts`. */
export interface HistoryRecords {
  readonly agents: readonly string[];
  readonly campaigns: readonly string[];
  /** The account's own number or name on each channel. */
  readonly identities: readonly string[];
  readonly tags: readonly string[];
  readonly lists: readonly string[];
  readonly eventType: EventType;
  readonly webhook: Webhook;
  /** The number of contacts that the account had before. */
  readonly known: number;
}

/** Finds the records of a history by name, and creates those that the account does not have. Existing records are not changed. */
export async function findOrCreateRecords(db: Db, account: Account, plan: HistoryPlan): Promise<HistoryRecords> {
  const at = plan.now - plan.days * dayLength;
  const { id: accountId } = account;
  const records = { agents: [] as string[], campaigns: [] as string[], tags: [] as string[], lists: [] as string[] };
  for (const name of names.agentNames)
    records.agents.push((await findNamed(db, 'agents', accountId, name)) ?? (await agents.create(db, accountId, { name }, at)).id);
  for (const [index, { name }] of names.campaigns.entries()) {
    const fields = { name, agent_id: records.agents[index % records.agents.length] ?? null };
    records.campaigns.push((await findNamed(db, 'campaigns', accountId, name)) ?? (await campaigns.create(db, accountId, fields, at)).id);
  }
  for (const { name, description } of names.tags)
    records.tags.push(((await findTagByName(db, accountId, name)) ?? (await createTag(db, accountId, name, description, at))).id);
  for (const { name } of names.lists)
    records.lists.push((await findNamed(db, 'lists', accountId, name)) ?? (await lists.create(db, accountId, { name }, at)).id);
  const { known } = await db
    .selectFrom('contacts')
    .select((eb) => eb.fn.countAll<number>().as('known'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return {
    ...records,
    identities: await connectAll(db, accountId, records.agents[0] ?? '', at),
    eventType: await makeEventType(db, accountId, plan, at),
    webhook: await makeWebhook(db, accountId, at),
    known,
  };
}

/** The id of the first record with a name; undefined when there is no such record. */
async function findNamed(
  db: Db,
  table: 'agents' | 'campaigns' | 'lists' | 'event_types',
  accountId: string,
  name: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom(table as 'agents')
    .select('id')
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .orderBy('seq')
    .executeTakeFirst();
  return row?.id;
}

/** The account's own number or name on each channel. Connects channels that have none, and lets an agent answer them. */
async function connectAll(db: Db, accountId: string, agentId: string, at: number): Promise<string[]> {
  const connected = (await readConnectedChannels(db, [accountId])).get(accountId);
  const identities: string[] = [];
  for (const { channel, identity } of names.channels) {
    const present = connected?.choose(channel, []);
    if (!present) await connectChannel(db, accountId, { channel, identity, name: 'Front desk' }, at);
    if (!present && !(await findDefault(db, accountId, channel, ''))) await makeDefault(db, accountId, channel, agentId, at);
    identities.push(present || identity);
  }
  return identities;
}

/** Lets an agent answer the new contacts of a channel, as it did in the history. */
async function makeDefault(db: Db, accountId: string, channel: ChannelName, agentId: string, at: number): Promise<void> {
  const fields = { type: 'channel_default', channels: [channel], agent_id: agentId, match_config: {}, enabled: true } as const;
  await createEntryPoint(db, accountId, fields, at);
}

/** The event type, with several times as many places as the plan books on average. */
async function makeEventType(db: Db, accountId: string, { messages, days }: HistoryPlan, at: number): Promise<EventType> {
  const { name, slotMinutes, firstHour, lastHour } = names.consultation;
  const window = { start_time: `${String(firstHour).padStart(2, '0')}:00`, end_time: `${lastHour}:00` };
  const availability = { monday: window, tuesday: window, wednesday: window, thursday: window, friday: window };
  const places = Math.min(10_000, 2 + Math.floor(messages / days / 250));
  const id = await findNamed(db, 'event_types', accountId, name);
  const found = id === undefined ? undefined : await eventTypes.find(db, accountId, id);
  if (found) return found;
  const fields = { name, slot_minutes: slotMinutes, availability, max_bookings_per_slot: places, longest: slotMinutes * 60_000 };
  return await eventTypes.create(db, accountId, fields, at);
}

/** The subscription for the deliveries. It is disabled, so that nothing is sent to a receiver that does not exist. */
async function makeWebhook(db: Db, accountId: string, at: number): Promise<Webhook> {
  const { name, url, events } = names.webhook;
  const found = (await listWebhooks(db, accountId)).find((webhook) => webhook.name === name);
  if (found) return found;
  return await createSubscription(
    db,
    accountId,
    { name, url, subscribed_to: [...events], retries_enabled: true, enabled: false },
    null,
    at,
  );
}
