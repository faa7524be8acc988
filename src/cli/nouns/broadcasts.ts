import * as contract from '../../contract/areas/broadcasts/endpoints.ts';
import { channelNames } from '../../contract/areas/channels/names.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import {
  type CallSpec,
  callVerb,
  clearable,
  deleteVerb,
  given,
  type Lookup,
  type Noun,
  type OptionSpec,
  type Options,
  parseList,
} from '../command/command.ts';

const columns = [
  'id',
  'name',
  'status',
  'channel',
  'counts.total',
  'counts.sent',
  'counts.delivered',
  'counts.read',
  'counts.replied',
  'counts.failed',
  'scheduled_at',
  'body',
  'template_id',
  'agent_id',
  'list_ids',
  'created_at',
];

const listColumns = ['id', 'name', 'status', 'channel', 'counts.total', 'counts.sent', 'counts.failed', 'scheduled_at'];

const ids: Lookup = { endpoint: contract.listBroadcasts, rows: 'broadcasts', label: 'name' };

const shared = { arguments: [['<id>', 'the id of a broadcast', ids]], params: ['id'] } as const;

const shown = { field: 'broadcast', columns };

const fieldOptions: readonly OptionSpec[] = [
  { flags: '--channel <channel>', summary: 'the channel; chatapp for a new one', completes: channelNames },
  { flags: '--body <text>', summary: 'the text; or --template' },
  { flags: '--template <id>', summary: 'the template to send' },
  { flags: '--contacts <ids>', summary: 'whom it goes to', parse: parseList },
  { flags: '--lists <ids>', summary: 'whose contacts it goes to', parse: parseList },
  { flags: '--agent <id>', summary: 'the agent that answers replies' },
  { flags: '--scheduled-at <instant>', summary: 'when it begins, as ISO 8601; once it is approved when left out' },
];

const fields = ({ body, template, contacts, lists, agent, scheduledAt }: Options) =>
  given({
    body: clearable(body),
    template_id: clearable(template),
    contact_ids: contacts,
    list_ids: lists,
    agent_id: clearable(agent),
    scheduled_at: clearable(scheduledAt),
  });

/** A step in the life of a broadcast. */
const stepVerb = (name: string, endpoint: Endpoint, purpose: string, more: Partial<CallSpec> = {}) =>
  callVerb({ ...shared, name, endpoint, examples: [[`msgctl broadcasts ${name} brd_1`, purpose]], shown, ...more });

export const broadcasts: Noun = {
  name: 'broadcasts',
  summary: 'Send a message to many, and watch what comes back',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listBroadcasts,
      examples: [['msgctl broadcasts list', 'the newest 50, with their counts']],
      shown: { columns: listColumns },
    }),
    callVerb({
      ...shared,
      name: 'get',
      endpoint: contract.getBroadcast,
      examples: [['msgctl broadcasts get brd_1 --query broadcast.counts', 'how far it is']],
      shown,
    }),
    callVerb({
      name: 'create',
      endpoint: contract.createBroadcast,
      examples: [
        ["msgctl broadcasts create 'Spring offer' --lists lst_1 --body '10 % off this week'", 'a draft; nothing is sent'],
        [
          "msgctl broadcasts create Reminder --contacts con_1,con_2 --body 'Tomorrow at 9' --scheduled-at 2027-03-02T08:00:00Z",
          'for later',
        ],
      ],
      arguments: [['<name>', 'the name of the broadcast']],
      options: fieldOptions,
      body: (options, [name], { input }) => given({ name, channel: options.channel ?? input.channel ?? 'chatapp', ...fields(options) }),
      shown,
    }),
    callVerb({
      ...shared,
      name: 'update',
      endpoint: contract.updateBroadcast,
      examples: [["msgctl broadcasts update brd_1 --body '20 % off'", 'a draft alone can be changed']],
      options: [{ flags: '--name <text>', summary: 'the new name' }, ...fieldOptions],
      body: (options) => given({ name: options.name, channel: options.channel, ...fields(options) }),
      shown,
    }),
    stepVerb('submit', contract.submitBroadcast, 'somebody must approve it'),
    stepVerb('approve', contract.approveBroadcast, 'asks first: what is sent is sent', {
      confirm: ([id]) => `Send the broadcast ${id}, now or when it is scheduled?`,
    }),
    stepVerb('pause', contract.pauseBroadcast, 'the rest waits'),
    stepVerb('resume', contract.resumeBroadcast, 'goes on where it was'),
    stepVerb('cancel', contract.cancelBroadcast, 'a draft again, as long as nothing is sent'),
    deleteVerb('broadcast', {
      ...shared,
      endpoint: contract.deleteBroadcast,
      examples: [['msgctl broadcasts delete brd_1 --yes', 'without being asked']],
    }),
  ],
};
