import { hasKeywords } from '../../../../contract/areas/routing/decide.ts';
import type { ChannelName } from '../../../../contract/areas/channels/names.ts';
import type { Account } from '../../../identity/accounts.ts';
import type { Db } from '../../../store/database.ts';
import { dayLength } from '../../../../contract/time/days.ts';
import { agents } from '../../agents/table.ts';
import { campaigns } from '../../campaigns/table.ts';
import { connectChannel, readConnectedChannels } from '../../channels/records.ts';
import { type EventType, eventTypes } from '../../events/table.ts';
import { prepareNow } from '../../faqs/preparation.ts';
import { insertFaqs, linkFaqs } from '../../faqs/records.ts';
import { questionKey } from '../../faqs/rules.ts';
import { type Faq, faqs } from '../../faqs/table.ts';
import { embedLater } from '../../faqs/vectors.ts';
import { wordingKey } from '../../gaps/joining.ts';
import { lists } from '../../lists/table.ts';
import { createEntryPoint, findDefault } from '../../routing/records.ts';
import { type EntryPoint, entryPoints } from '../../routing/table.ts';
import { createTag, findTagByName } from '../../tags/records.ts';
import { createSubscription, listWebhooks, type Webhook } from '../../webhooks/subscriptions.ts';
import type { Business, Receiver } from './businesses.ts';
import type { HistoryPlan } from './conversations.ts';
import * as names from './names.ts';

/** The records of an account that a history refers to, by their index in its business and in `names.ts`. */
export interface HistoryRecords {
  readonly agents: readonly string[];
  readonly campaigns: readonly string[];
  /** The FAQs of the topics. */
  readonly faqs: readonly TopicFaq[];
  /** The routing rules and defaults of the agents. */
  readonly rules: readonly EntryPoint[];
  /** Whether the account has an answer to what is unknown to the business. */
  readonly isKnown: boolean;
  /** The account's own number or name on each channel. */
  readonly identities: readonly string[];
  readonly tags: readonly string[];
  readonly lists: readonly string[];
  readonly eventType: EventType;
  readonly subscriptions: readonly (readonly [Receiver, Webhook])[];
  /** The index of the address of the first contact. */
  readonly firstAddress: number;
}

/** The FAQ of a topic. */
export type TopicFaq = Pick<Faq, 'id' | 'question' | 'answer'>;

/** Finds the records of a history by name, and creates those that the account does not have. Existing records are not changed. */
export async function findOrCreateRecords(db: Db, account: Account, business: Business, plan: HistoryPlan): Promise<HistoryRecords> {
  const at = plan.now - plan.days * dayLength;
  const { id: accountId } = account;
  const records = { agents: [] as string[], campaigns: [] as string[], tags: [] as string[], lists: [] as string[] };
  for (const { name, goal } of business.agents)
    records.agents.push(
      (await findNamed(db, 'agents', accountId, name)) ?? (await agents.create(db, accountId, { name, goal, language: 'en' }, at)).id,
    );
  const fresh: string[] = [];
  for (const { name, agent } of business.campaigns) {
    const known = await findNamed(db, 'campaigns', accountId, name);
    const id = known ?? (await campaigns.create(db, accountId, { name, agent_id: records.agents[agent] ?? null }, at)).id;
    if (known === undefined) fresh.push(id);
    records.campaigns.push(id);
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
  const identities = await connectAll(db, accountId, business, records.agents[0] ?? '', at);
  await makeRules(db, accountId, business, records.agents, at);
  return {
    ...records,
    faqs: await makeFaqs(db, accountId, business, records.campaigns, fresh, at),
    rules: await rulesOf(db, accountId, records.agents),
    isKnown: await isAnswered(db, accountId, business),
    identities,
    eventType: await makeEventType(db, accountId, business.appointment, plan, at),
    subscriptions: await makeSubscriptions(db, accountId, business, at),
    firstAddress: business.firstAddress + known,
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
async function connectAll(db: Db, accountId: string, business: Business, agentId: string, at: number): Promise<string[]> {
  const connected = (await readConnectedChannels(db, [accountId])).get(accountId);
  const identities: string[] = [];
  for (const [index, { channel }] of names.channels.entries()) {
    const identity = business.identities[index] ?? '';
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

/** Makes the rules by which those who write a keyword get its agent, unless the agent has a rule. */
async function makeRules(db: Db, accountId: string, business: Business, agentIds: readonly string[], at: number): Promise<void> {
  for (const [index, { keywords }] of business.agents.entries()) {
    const agentId = agentIds[index] ?? '';
    const known = db.selectFrom('entry_points').select('id').where('account_id', '=', accountId).where('agent_id', '=', agentId);
    if (keywords.length === 0 || (await known.where('type', '=', 'keyword').executeTakeFirst())) continue;
    const channels = names.channels.flatMap(({ channel }) => (hasKeywords(channel) ? channel : []));
    const fields = {
      type: 'keyword',
      channels,
      agent_id: agentId,
      match_config: { keywords: [...keywords], fuzzy_match: true },
      enabled: true,
    } as const;
    await createEntryPoint(db, accountId, fields, at);
  }
}

/** The enabled rules and defaults that name one of some agents. */
async function rulesOf(db: Db, accountId: string, agentIds: readonly string[]): Promise<EntryPoint[]> {
  const own = db.selectFrom('entry_points').selectAll().where('account_id', '=', accountId).where('enabled', '=', 1);
  return (await own.where('agent_id', 'in', agentIds).execute()).map((row) => entryPoints.decode(row));
}

/** Finds or creates the FAQs that answer the topics. All campaigns have new ones, and new campaigns have all. */
async function makeFaqs(
  db: Db,
  accountId: string,
  { topics }: Business,
  campaignIds: readonly string[],
  freshCampaigns: readonly string[],
  at: number,
): Promise<TopicFaq[]> {
  const found = new Map<string, Faq>();
  const questions = topics.map(({ question }) => question);
  for (const faq of await findFaqs(db, accountId, questions)) found.set(faq.question_key, faq);
  const known = [...found.values()].map(({ seq }) => seq);
  const missing = topics.filter(({ question }) => !found.has(questionKey(question)));
  const fields = missing.map(({ question, answer }) => ({ question, answer }));
  const made = (missing.length === 0 ? [] : await insertFaqs(db, accountId, fields, at)).map(({ seq }) => seq);
  for (const campaign of campaignIds) await linkFaqs(db, campaign, freshCampaigns.includes(campaign) ? [...known, ...made] : made);
  const changed = freshCampaigns.length > 0 ? [...known, ...made] : made;
  if (changed.length > 0) {
    await prepareNow(db, accountId, changed);
    await embedLater(db, accountId, at);
  }
  for (const faq of await findFaqs(db, accountId, questions)) found.set(faq.question_key, faq);
  return questions.map((question) => found.get(questionKey(question)) as Faq);
}

/** The FAQs with some questions, the oldest of each last. */
async function findFaqs(db: Db, accountId: string, questions: readonly string[]): Promise<Faq[]> {
  const own = db.selectFrom('faqs').selectAll().where('account_id', '=', accountId);
  const rows = await own.where('question_key', 'in', questions.map(questionKey)).execute();
  return rows.toSorted((one, other) => other.seq - one.seq).map((row) => faqs.decode(row));
}

/** Whether the question that the business does not know is no open gap any more, or a FAQ answers it. */
async function isAnswered(db: Db, accountId: string, { unknown }: Business): Promise<boolean> {
  if (!unknown) return true;
  if ((await findFaqs(db, accountId, unknown.wordings)).length > 0) return true;
  const closed = db
    .selectFrom('gap_wordings')
    .innerJoin('knowledge_gaps', 'knowledge_gaps.id', 'gap_wordings.gap_id')
    .select('knowledge_gaps.id')
    .where('gap_wordings.account_id', '=', accountId)
    .where('gap_wordings.key', 'in', unknown.wordings.map(wordingKey))
    .where('status', '<>', 'open');
  return (await closed.executeTakeFirst()) !== undefined;
}

/** The event type, with several times as many places as the plan books on average. */
async function makeEventType(db: Db, accountId: string, name: string, { messages, days }: HistoryPlan, at: number): Promise<EventType> {
  const { slotMinutes, firstHour, lastHour } = names.appointmentTimes;
  const window = { start_time: `${String(firstHour).padStart(2, '0')}:00`, end_time: `${lastHour}:00` };
  const availability = { monday: window, tuesday: window, wednesday: window, thursday: window, friday: window };
  const places = Math.min(10_000, 2 + Math.floor(messages / days / 250));
  const id = await findNamed(db, 'event_types', accountId, name);
  const found = id === undefined ? undefined : await eventTypes.find(db, accountId, id);
  if (found) return found;
  const fields = { name, slot_minutes: slotMinutes, availability, max_bookings_per_slot: places, longest: slotMinutes * 60_000 };
  return await eventTypes.create(db, accountId, fields, at);
}

/**
 * The subscriptions for the deliveries. One that works again is switched off, so that nothing is sent to a receiver that does not exist. A
 * subscription of that name with another address is the user's, and gets none.
 */
async function makeSubscriptions(db: Db, accountId: string, business: Business, at: number): Promise<[Receiver, Webhook][]> {
  const known = await listWebhooks(db, accountId);
  const found: [Receiver, Webhook][] = [];
  for (const receiver of business.webhooks) {
    const { name, url, events } = receiver;
    const isRetried = receiver.fails === 'in the bad week';
    const fields = { name, url, subscribed_to: [...events], retries_enabled: isRetried, enabled: !isRetried };
    const named = known.find((webhook) => webhook.name === name);
    if (named && named.url !== url) continue;
    found.push([receiver, named ?? (await createSubscription(db, accountId, fields, null, at))]);
  }
  return found;
}
