import { getLedger } from '../../../contract/areas/analytics/endpoints.ts';
import { metricNames } from '../../../contract/areas/analytics/names.ts';
import { listAgents } from '../../../contract/areas/agents/endpoints.ts';
import { listAppointments } from '../../../contract/areas/appointments/endpoints.ts';
import { listBroadcasts, listRecipients } from '../../../contract/areas/broadcasts/endpoints.ts';
import { listContacts } from '../../../contract/areas/contacts/endpoints.ts';
import { getCredits } from '../../../contract/areas/credits/endpoints.ts';
import { listDeals } from '../../../contract/areas/deals/endpoints.ts';
import { listErrors } from '../../../contract/areas/errors/endpoints.ts';
import { listFaqs } from '../../../contract/areas/faqs/endpoints.ts';
import { searchMessages } from '../../../contract/areas/messages/endpoints.ts';
import { listSessions } from '../../../contract/areas/sessions/endpoints.ts';
import { listTemplates } from '../../../contract/areas/templates/endpoints.ts';
import { listWebhookDeliveries } from '../../../contract/areas/webhooks/endpoints.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { fieldDescriptions } from '../../../contract/openapi-glossary.ts';
import type { ResultRow } from '../../output/result.ts';
import { accountColumns, column, type ReadColumn, recordColumns } from './columns.ts';
import type { Dataset, Reading, Step } from './dataset.ts';
import { readDeliveries } from './deliveries.ts';
import { readAiCost, readConversationCosts, readOutcomes, readSeries } from './figures.ts';
import { changesFrom, newsFrom, readAtOnce, readLedger, readList } from './lists.ts';
import { readRecipients } from './recipients.ts';

/** The version of the datasets: it changes when a column, a key or the meaning of one does. */
export const schemaVersion = 1;

/** A dataset of the records of an endpoint. */
interface Records {
  readonly name: string;
  readonly description: string;
  readonly endpoint: Endpoint;
  /** The list of records in the answer; by default, its rows. */
  readonly field?: string;
  readonly key?: readonly string[];
  /** Further columns before those of the records. */
  readonly further?: readonly ReadColumn[];
  /** The fields that are left out. */
  readonly omitted?: readonly string[];
  readonly isReadAnew?: boolean;
  readonly read: (reading: Reading) => AsyncGenerator<Step>;
}

function records({
  name,
  description,
  endpoint,
  field = endpoint.rows ?? '',
  key = ['id'],
  further = [],
  omitted = [],
  isReadAnew = false,
  read,
}: Records): Dataset {
  // Made on first use, because schemas take long.
  const columns = () => (made ??= [...accountColumns, ...further, ...recordColumns(endpoint, field, [...omitted, 'account_id'])]);
  let made: readonly ReadColumn[] | undefined;
  return { name, description, key, columns, isReadAnew, feature: endpoint.feature, read };
}

interface FiguresOf {
  readonly name: string;
  readonly description: string;
  readonly key: readonly string[];
  readonly columns: readonly ReadColumn[];
  readonly isReadAnew?: boolean;
  readonly read: Dataset['read'];
}

function figures({ columns, isReadAnew = false, ...dataset }: FiguresOf): Dataset {
  const all = [...accountColumns, ...columns];
  return { ...dataset, isReadAnew, columns: () => all };
}

const described = (name: string) => fieldDescriptions[name] ?? '';
const date = column('date', 'date', 'the day, in UTC');
const channel = column('channel', 'text', 'the channel; null for what belongs to none', true);

/** What a figure of a series counts. */
const metricDescriptions: Readonly<Record<(typeof metricNames)[number], string>> = {
  sent: 'how many messages were sent',
  ai_sent: 'how many messages agents sent',
  human_sent: 'how many messages people on the team sent',
  automated_sent: 'how many messages rules, broadcasts and templates sent',
  delivered: 'how many messages were delivered',
  read: 'how many messages were read',
  replied: 'how many messages were replied to',
  booked: 'how many appointments were booked',
  contact_created: 'how many contacts were created',
  credits_spent: 'the credits that were spent',
  conversations: 'how many conversations began',
  conversation_credits: 'the credits that these conversations cost',
};

/** The account itself: its record, and its balance. */
async function readAccount({ client, account }: Reading): Promise<ResultRow[]> {
  return [{ ...account, balance: account.balance ?? (await client.call(getCredits, {})).balance }];
}

/** The datasets, in the order in which they are read. */
export const datasets: readonly Dataset[] = [
  figures({
    name: 'accounts',
    description: 'the accounts that are exported',
    key: ['account_id'],
    columns: [
      column('email', 'text', described('email'), true),
      column('kind', 'text', 'whether it is an agency, a sub-account (sub_account) or neither (standard)'),
      column('balance', 'number', described('balance')),
      column('created_at', 'timestamp', described('created_at')),
      column('updated_at', 'timestamp', described('updated_at')),
    ],
    isReadAnew: true,
    read: (reading) => readAtOnce(readAccount(reading), reading),
  }),
  records({
    name: 'contacts',
    description: 'the contacts, with their tags and lists',
    endpoint: listContacts,
    isReadAnew: true,
    read: (reading) => readList(listContacts, {}, reading),
  }),
  records({
    name: 'messages',
    description: 'the messages in both directions',
    endpoint: searchMessages,
    // The address of a file is another one with each answer, and opens the file.
    omitted: ['media.url'],
    read: (reading) => readList(searchMessages, fromOf(changesFrom(reading)), reading),
  }),
  records({
    name: 'sessions',
    description: 'the conversations',
    endpoint: listSessions,
    read: (reading) => readList(listSessions, fromOf(changesFrom(reading)), reading),
  }),
  records({
    name: 'ledger',
    description: 'what credits were spent on, and how they were added',
    endpoint: getLedger,
    read: readLedger,
  }),
  figures({
    name: 'series',
    description: 'the figures of each day and channel; what is 0 has no row',
    key: ['account_id', 'date', 'channel'],
    columns: [
      date,
      channel,
      ...metricNames.map((name) => column(name, name.includes('credits') ? 'number' : 'integer', metricDescriptions[name])),
    ],
    read: readSeries,
  }),
  figures({
    name: 'outcomes',
    description:
      'how many conversations began on each day with contacts that carry a tag now; of the 20 tags with the most, if a day has more',
    key: ['account_id', 'date', 'tag_id'],
    columns: [
      date,
      column('tag_id', 'text', 'the id of the tag; null for contacts without a tag', true),
      column('tag', 'text', 'the name of the tag', true),
      column('conversations', 'integer', 'how many conversations there were'),
    ],
    isReadAnew: true,
    read: readOutcomes,
  }),
  figures({
    name: 'conversation_costs',
    description: 'what the conversations of each month cost, by who handled them',
    key: ['account_id', 'month', 'handling'],
    columns: [
      column('month', 'date', 'the first day of the month; the first month begins on the first exported day'),
      column('handling', 'text', 'contained: agents alone; handed_off: a person too; no_ai: without an agent'),
      column('sessions', 'integer', 'how many conversations there were'),
      column('credits', 'number', 'the credits in all'),
      column('avg_credits', 'number', described('avg_credits')),
      column('sessions_truncated', 'boolean', 'whether there are more conversations than were counted'),
    ],
    read: readConversationCosts,
  }),
  figures({
    name: 'ai_cost',
    description: 'what the calls of models cost on each day; a day without calls has no row',
    key: ['account_id', 'date'],
    columns: [
      date,
      ...['total_usd', 'byok_usd', 'platform_usd', 'input_usd', 'output_usd', 'cache_creation_usd', 'cache_read_usd'].map((name) =>
        column(name, 'number', described(name)),
      ),
      column('calls', 'integer', described('calls')),
      column('by_provider', 'json', described('by_provider')),
    ],
    read: readAiCost,
  }),
  records({
    name: 'appointments',
    description: 'the appointments',
    endpoint: listAppointments,
    isReadAnew: true,
    read: (reading) => readList(listAppointments, {}, reading),
  }),
  records({
    name: 'broadcasts',
    description: 'the broadcasts, with how far they came',
    endpoint: listBroadcasts,
    isReadAnew: true,
    read: (reading) => readList(listBroadcasts, {}, reading),
  }),
  records({
    name: 'recipients',
    description: 'the recipients of broadcasts; names and addresses are those of the moment when the broadcast last changed',
    endpoint: listRecipients,
    key: ['broadcast_id', 'position'],
    further: [
      column('broadcast_id', 'text', 'the id of the broadcast'),
      column('position', 'integer', 'the place in the order of sending, from 1'),
    ],
    read: readRecipients,
  }),
  records({
    name: 'templates',
    description: 'the message templates',
    endpoint: listTemplates,
    field: 'data',
    isReadAnew: true,
    read: (reading) =>
      readAtOnce(
        reading.client.call(listTemplates, {}).then(({ data }) => data),
        reading,
      ),
  }),
  records({
    name: 'agents',
    description: 'the agents, with their configuration',
    endpoint: listAgents,
    field: 'agents',
    isReadAnew: true,
    read: (reading) =>
      readAtOnce(
        reading.client.call(listAgents, {}).then(({ agents }) => agents),
        reading,
      ),
  }),
  records({
    name: 'faqs',
    description: 'the FAQs',
    endpoint: listFaqs,
    isReadAnew: true,
    read: (reading) => readList(listFaqs, {}, reading),
  }),
  records({
    name: 'deliveries',
    description: 'the deliveries to webhooks',
    endpoint: listWebhookDeliveries,
    further: [
      column(
        'webhook_account_id',
        'text',
        'the id of the account whose webhook it is: the agency of the account, for an inherited delivery',
      ),
      column('webhook', 'text', 'the name of the webhook'),
    ],
    read: readDeliveries,
  }),
  records({
    name: 'deals',
    description: 'the deals',
    endpoint: listDeals,
    isReadAnew: true,
    read: (reading) => readList(listDeals, {}, reading),
  }),
  records({
    name: 'errors',
    description: 'what failed where no caller saw it',
    endpoint: listErrors,
    read: (reading) => readList(listErrors, fromOf(newsFrom(reading)), reading),
  }),
];

function fromOf(from: string | null): object {
  return from === null ? {} : { from };
}
