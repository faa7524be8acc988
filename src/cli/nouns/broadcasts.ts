import * as contract from '../../contract/areas/broadcasts/endpoints.ts';
import { listContacts } from '../../contract/areas/contacts/endpoints.ts';
import { listLists } from '../../contract/areas/lists/endpoints.ts';
import { lookup } from '../command/lookup.ts';
import { callVerb, deleteVerb } from '../command/call-verb.ts';
import type { Noun, Verb } from '../command/noun.ts';
import { InvalidValue, parseDuration } from '../command/values.ts';

/** The statuses that `--for` takes. */
const awaitable = ['draft', 'pending-approval', 'scheduled', 'sending', 'paused', 'sent', 'failed'];

/** @throws InvalidValue unless it is a status, in any case */
function parseStatus(text: string): string {
  const word = text.trim().toLowerCase().replaceAll(/[ _]/g, '-');
  if (!awaitable.includes(word)) throw new InvalidValue(`must be one of ${awaitable.join(', ')}`);
  return word;
}

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
] as const;

const ids = lookup(contract.listBroadcasts, 'broadcasts', 'name');

const contactIds = lookup(listContacts, 'contacts', 'phone_number');

const listIds = lookup(listLists, 'lists', 'name');

const shared = { arguments: [{ param: 'id', summary: 'the id of a broadcast', completes: ids }] } as const;

const shown = { field: 'broadcast', columns } as const;

const fields = [
  'body',
  { field: 'template_id', flag: 'template' },
  { field: 'contact_ids', flag: 'contacts', completes: contactIds },
  { field: 'list_ids', flag: 'lists', completes: listIds },
  { field: 'agent_id', flag: 'agent' },
  'scheduled_at',
] as const;

type StepEndpoint =
  | typeof contract.submitBroadcast
  | typeof contract.approveBroadcast
  | typeof contract.pauseBroadcast
  | typeof contract.resumeBroadcast
  | typeof contract.cancelBroadcast;

/** A verb that moves a broadcast to another status. */
const stepVerb = (name: string, endpoint: StepEndpoint, purpose: string, confirm?: Verb['confirm']) =>
  callVerb({ ...shared, name, endpoint, examples: [[`msgctl broadcasts ${name} brd_1`, purpose]], shown, confirm });

export const broadcasts: Noun = {
  name: 'broadcasts',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listBroadcasts,
      examples: [['msgctl broadcasts list', 'the 50 newest broadcasts with their counts']],
      shown: { columns: ['id', 'name', 'status', 'channel', 'counts.total', 'counts.sent', 'counts.failed', 'scheduled_at'] },
    }),
    {
      ...callVerb({
        ...shared,
        name: 'get',
        endpoint: contract.getBroadcast,
        examples: [
          ['msgctl broadcasts get brd_1 --query broadcast.counts', 'the progress of a broadcast'],
          ['msgctl broadcasts get brd_1 --watch', 'again every five seconds, until Ctrl-C'],
        ],
        shown,
      }),
      watches: true,
    },
    {
      ...shared,
      name: 'wait',
      summary: 'Wait until a broadcast is sent, or has another status',
      examples: [
        ['msgctl broadcasts wait brd_1', 'exits 0 once it is sent, and 1 when that can no longer happen'],
        ['msgctl broadcasts wait brd_1 --for sending --timeout 10m', 'exits 1 after ten minutes'],
      ],
      options: [
        { flags: '--for <status>', summary: 'the status to wait for (default: sent)', parse: parseStatus, completes: awaitable },
        { flags: '--timeout <duration>', summary: 'give up after this time, such as 10m; exits 1', parse: parseDuration },
      ],
      endpoint: contract.getBroadcast,
      shown,
      isForOneAccount: true,
      run: async (session, [id = ''], options) => await (await import('./broadcasts/wait.ts')).waitFor(session, id, options),
    },
    callVerb({
      name: 'create',
      endpoint: contract.createBroadcast,
      examples: [
        ["msgctl broadcasts create 'Spring offer' --lists lst_1 --body '10 % off this week'", 'create a draft; nothing is sent yet'],
        [
          "msgctl broadcasts create Reminder --contacts con_1,con_2 --body 'Tomorrow at 9' --scheduled-at 2027-03-02T08:00:00Z",
          'create a draft for later',
        ],
      ],
      arguments: [{ field: 'name' }],
      fields: [{ field: 'channel', default: 'chatapp' }, ...fields],
      shown,
    }),
    callVerb({
      ...shared,
      name: 'update',
      endpoint: contract.updateBroadcast,
      examples: [["msgctl broadcasts update brd_1 --body '20 % off'", 'only a draft can be changed']],
      fields: ['name', 'channel', ...fields],
      shown,
    }),
    stepVerb('submit', contract.submitBroadcast, 'submit a draft for approval'),
    stepVerb(
      'approve',
      contract.approveBroadcast,
      'asks for confirmation; sent messages cannot be recalled',
      ([id]) => `Send the broadcast ${id}, now or at its scheduled time?`,
    ),
    stepVerb('pause', contract.pauseBroadcast, 'stop sending; the remaining contacts wait'),
    stepVerb('resume', contract.resumeBroadcast, 'continue with the remaining contacts'),
    stepVerb('cancel', contract.cancelBroadcast, 'return to draft before anything is sent'),
    deleteVerb('broadcast', {
      ...shared,
      endpoint: contract.deleteBroadcast,
      examples: [['msgctl broadcasts delete brd_1 --yes', 'skip the confirmation']],
    }),
  ],
};
