import * as contract from '../../contract/areas/broadcasts/endpoints.ts';
import type { Answer } from '../../contract/endpoint.ts';
import { broadcastLookup } from '../lookups/broadcasts.ts';
import { callVerb } from '../verb/call-verb.ts';
import { sameTarget } from '../verb/same-target.ts';
import { shellWord } from '../output/shell-word.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import { agentLookup } from '../lookups/agents.ts';
import type { Invocation, Noun, Question, Session, Verb } from '../verb/noun.ts';
import { contactLookup } from '../lookups/contacts.ts';
import { listLookup } from '../lookups/lists.ts';
import { agentField, contactField, listsField, templateField, withNamedFields } from '../lookups/named.ts';
import { templateLookup } from '../lookups/templates.ts';
import { limits } from '../../contract/limits.ts';
import { counted, digits } from '../../contract/text/counted.ts';
import { localTime } from '../output/times.ts';
import { iso, parseInstant } from '../../contract/time/instants.ts';
import { invalidValueError, parseChoice } from '../invalid-value.ts';
import { screenOf } from '../output/screen.ts';
import { parseDuration, splitList } from '../verb/values.ts';
import type { Preview } from './broadcasts/check.ts';
import { statusWord } from './broadcasts/status-word.ts';

/** The statuses that `--for` accepts. */
const awaitable = contract.broadcastStatuses.map(statusWord);

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
  'contact_count',
  'list_ids',
  'created_at',
] as const;

const shared = { arguments: [{ param: 'id', summary: 'the id or the name of a broadcast', lookup: broadcastLookup }] } as const;

const shown = { field: 'broadcast', columns } as const;

const fields = [
  'body',
  { field: 'template_id', flag: 'template', lookup: templateLookup },
  { field: 'contact_ids', flag: 'contacts', lookup: contactLookup },
  { field: 'list_ids', flag: 'lists', lookup: listLookup },
  { field: 'agent_id', flag: 'agent', lookup: agentLookup },
  'scheduled_at',
] as const;

type StepEndpoint =
  | typeof contract.submitBroadcast
  | typeof contract.approveBroadcast
  | typeof contract.pauseBroadcast
  | typeof contract.resumeBroadcast
  | typeof contract.cancelBroadcast;

/** A verb that moves a broadcast to another status. */
const stepVerb = (name: string, endpoint: StepEndpoint, purpose: string, asks: Pick<Verb, 'confirm' | 'wantsName'> = {}) =>
  callVerb({ ...shared, name, endpoint, examples: [[`msgctl broadcasts ${name} 'Spring offer'`, purpose]], shown, ...asks });

/** The verb that approves. On each of several accounts, it refuses a broadcast that reaches nobody; on one, its question does. */
const approveVerb = (verb: Verb): Verb => ({
  ...verb,
  run: async (session, values, options) => {
    if (session.accounts && !options.dryRun) await checkedPreview(await session.names.record(broadcastLookup, values[0] ?? ''), session);
    return await verb.run(session, values, options);
  },
});

/** The verb that lists recipients, from a service without that list too. It is a data set: who passes it on wants all of them. */
const recipientsVerb = (verb: Verb): Verb => ({
  ...verb,
  isDataset: true,
  run: async (session, values, options) => {
    const result = await verb.run(session, values, options);
    if (result.kind !== 'list') return result;
    const { orComputed } = await import('./broadcasts/recipients.ts');
    const id = await session.names.id(broadcastLookup, values[0] ?? '');
    return { ...result, pages: orComputed(result.pages, session, id, options.status as string | undefined) };
  },
});

/** With more recipients than this, the user must type the name of the broadcast to confirm. */
const manyRecipients = 100;

/** Maximum length of the broadcast's text in the prompt, in characters. */
const shownText = 60;

/**
 * The confirmation prompt for sending a broadcast: the number of recipients, the time, and the text.
 * @param isNamed whether the command line has the name of the broadcast, which answers it
 */
async function askToSend([word = '']: readonly string[], session: Session | null, isNamed: boolean): Promise<Question> {
  if (!session) return { text: `Send the broadcast ${word} in each of these accounts?`, name: word };
  const broadcast = await session.names.record(broadcastLookup, word);
  const { name, channel, scheduled_at: at } = broadcast;
  checkApprovable(broadcast, session);
  const preview = await checkedPreview(broadcast, session);
  const recipients = preview?.reachable ?? broadcast.counts.total;
  const isAnswered = isNamed || (session.globals.yes && recipients <= manyRecipients);
  if (preview && !isAnswered) await showPreview(broadcast, preview, session);
  const of = preview && preview.recipients > recipients ? `${recipients} of ` : '';
  const when = await sendingTime(at, session);
  const body = await textOf(broadcast, session);
  const said = body === null ? '' : ` "${body.length > shownText ? `${body.slice(0, shownText)}…` : body}"`;
  const text = `Send "${name}" on ${channel} to ${of}${counted(preview?.recipients ?? recipients, 'contact')} ${when}?${said}`;
  return { text, name, yesSuffices: recipients <= manyRecipients };
}

/**
 * What approving a broadcast would do; null if the service does not tell.
 * @throws CliError 1 if nobody can be reached
 */
async function checkedPreview(broadcast: Broadcast, session: Session): Promise<Preview | null> {
  const { readPreview, checkReach } = await import('./broadcasts/check.ts');
  const preview = await readPreview(session, broadcast.id);
  if (preview) checkReach(broadcast, preview);
  return preview;
}

/** Shows what approving a broadcast would do, above the question. */
async function showPreview(broadcast: Broadcast, preview: Preview, { notes, serviceTime, world }: Session): Promise<void> {
  const { previewLines } = await import('./broadcasts/check.ts');
  const screen = { ...screenOf(world.stderr, world), color: false };
  const lines = await previewLines(broadcast, preview, await serviceTime(), screen);
  notes.beforeQuestion([...lines.flatMap((line) => line.split('\n')), '']);
}

/** When an approved broadcast is sent. */
async function sendingTime(scheduledAt: string | null, { serviceTime, world }: Session): Promise<string> {
  if (scheduledAt === null) return 'now';
  const at = Date.parse(scheduledAt);
  const shown = localTime(at, world.env.TZ || undefined);
  return at > (await serviceTime()) ? `at ${shown}` : `now (${shown} has passed)`;
}

/** @throws CliError 2 if a broadcast would begin in the past: it would be sent as soon as it is approved */
async function withStartAhead<Fields extends { readonly scheduled_at?: string | null | undefined }>(
  body: Fields,
  { session: { input, serviceTime } }: Invocation,
): Promise<Fields> {
  const start = body.scheduled_at === undefined ? input.scheduled_at : body.scheduled_at;
  const instant = typeof start === 'string' ? parseInstant(start) : undefined;
  const now = instant === undefined ? 0 : await serviceTime();
  if (instant === undefined || instant >= now) return body;
  const reason = `is in the past: the clock of the service is at ${iso(now)}`;
  throw invalidValueError('--scheduled-at', start, reason, 'Give a time in the future, or omit it to send on approval.');
}

/** Reads a comma-separated list of statuses of recipients. */
function parseStatuses(text: string): contract.RecipientStatus[] {
  const parse = parseChoice(contract.recipientStatuses);
  return splitList(text).map((word) => parse(statusWord(word)) as contract.RecipientStatus);
}

/**
 * Adds the recipients of another broadcast to the contacts.
 * @throws CliError 2 if `--status` is given alone, or there are more than a broadcast can name; 5 if there are none
 */
async function withRecipientsOf<Fields extends { readonly contact_ids?: readonly string[] | undefined }>(
  body: Fields,
  { session, options }: Invocation,
): Promise<Fields> {
  const { recipientsOf: word, status: statuses } = options as { recipientsOf?: string; status?: contract.RecipientStatus[] };
  if (word === undefined && statuses !== undefined) throw usageError('--status goes with --recipients-of');
  if (word === undefined) return body;
  const { contactsAmong } = await import('./broadcasts/recipients.ts');
  const found = await contactsAmong(session, await session.names.id(broadcastLookup, word), statuses ?? contract.recipientStatuses);
  if (found.length === 0) {
    const which = statuses === undefined ? '' : ` with the status ${statuses.join(' or ')}`;
    throw new CliError(exitCodes.notFound, 'not_found', `The broadcast '${word}' has no recipients${which} that are still contacts`);
  }
  const ids = [...new Set([...(body.contact_ids ?? []), ...found])];
  if (ids.length > limits.listContacts)
    throw usageError(`A broadcast names at most ${digits(limits.listContacts)} contacts`, 'Put the contacts on a list, and use --lists.');
  session.notes.say(`${counted(found.length, 'recipient')} of '${word}' will get it.`);
  return { ...body, contact_ids: ids };
}

/** @throws CliError 6 for a draft, which must be submitted first, and for a broadcast that was approved already */
function checkApprovable({ name, status }: Broadcast, session: Session): void {
  if (status === 'Draft')
    throw new CliError(exitCodes.conflict, 'conflict', `The broadcast '${name}' is a draft`, {
      hint: `Submit it first: \`msgctl broadcasts submit ${shellWord(name)}${sameTarget(session)}\`.`,
    });
  if (status !== 'Pending Approval')
    throw new CliError(exitCodes.conflict, 'conflict', `The broadcast '${name}' is ${status}: it cannot be approved`);
}

/** The text of a broadcast, or of its template; null if the key may not read templates. */
async function textOf({ body, template_id: id }: Broadcast, { names }: Session): Promise<string | null> {
  if (body !== null || id === null) return body;
  return await names.record(templateLookup, id).then(
    (template) => template.body,
    () => null,
  );
}

type Broadcast = Answer<typeof contract.getBroadcast>['broadcast'];

export const broadcasts: Noun = {
  name: 'broadcasts',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listBroadcasts,
      examples: [['msgctl broadcasts list', 'the 50 newest broadcasts with their counts']],
      shown: {
        columns: ['id', 'name', 'status', 'channel', 'counts.total', 'counts.sent', 'counts.failed', 'scheduled_at'],
        table: ['name', 'status', 'counts.total', 'counts.sent', 'counts.failed', 'id', 'channel', 'scheduled_at'],
      },
    }),
    {
      ...withNamedFields(
        callVerb({
          ...shared,
          name: 'get',
          endpoint: contract.getBroadcast,
          examples: [
            ["msgctl broadcasts get 'Spring offer' --query broadcast.counts", 'the progress of a broadcast'],
            ["msgctl broadcasts get 'Spring offer' --watch", 'again every five seconds, until Ctrl-C'],
          ],
          shown,
        }),
        [templateField, agentField, listsField],
      ),
      watches: true,
    },
    recipientsVerb(
      callVerb({
        ...shared,
        name: 'recipients',
        endpoint: contract.listRecipients,
        examples: [
          ["msgctl broadcasts recipients 'Spring offer' --status failed", 'who did not get it, and why'],
          ["msgctl broadcasts recipients 'Spring offer' -o csv > recipients.csv", 'everybody, to hand on'],
        ],
        fields: [{ field: 'status', isList: true, placeholder: 'statuses' }],
        shown: {
          columns: ['name', 'address', 'status', 'at', 'error.text', 'error.code', 'contact_id', 'message_id'],
          table: ['name', 'address', 'status', 'at', 'error.text'],
        },
      }),
    ),
    {
      ...shared,
      name: 'check',
      summary: 'Show what approving a broadcast would do: whom it reaches, what it costs, when it starts',
      examples: [
        ["msgctl broadcasts check 'Spring offer'", 'before it is submitted or approved; changes nothing'],
        ["msgctl broadcasts check 'Spring offer' --query preview.reachable", 'how many contacts get it'],
      ],
      endpoint: contract.previewBroadcast,
      shown: {
        field: 'preview',
        columns: ['recipients', 'reachable', 'unreachable', 'duplicates', 'credits', 'balance', 'affordable', 'starts_at'],
      },
      run: async (session, [id = '']) =>
        await (await import('./broadcasts/check.ts')).check(session, await session.names.id(broadcastLookup, id)),
    },
    withNamedFields(
      callVerb({
        ...shared,
        name: 'contacts',
        endpoint: contract.listBroadcastContacts,
        examples: [["msgctl broadcasts contacts 'Spring offer' --all -o csv", 'the ids of all its contacts']],
        shown: { columns: ['contact_id'] },
      }),
      [contactField],
      ['contact', 'contact_id'],
    ),
    {
      ...shared,
      name: 'wait',
      isTool: false,
      summary: 'Wait until a broadcast is sent, or reaches another status',
      examples: [
        ["msgctl broadcasts wait 'Spring offer'", 'exits 0 once it is sent, and 1 if it can no longer be sent'],
        ["msgctl broadcasts wait 'Spring offer' --for sending --timeout 10m", 'exits 1 after ten minutes'],
      ],
      options: [
        {
          flags: '--for <status>',
          summary: 'the status to wait for (default: sent)',
          choices: awaitable,
          parse: (text) => parseChoice(awaitable)(statusWord(text)),
        },
        { flags: '--timeout <duration>', summary: 'give up after this time, such as 10m; exits 1', parse: parseDuration },
      ],
      endpoint: contract.getBroadcast,
      shown,
      scope: 'one account',
      run: async (session, [id = ''], options) =>
        await (await import('./broadcasts/wait.ts')).waitFor(session, await session.names.id(broadcastLookup, id), options),
    },
    callVerb({
      name: 'create',
      endpoint: contract.createBroadcast,
      examples: [
        ["msgctl broadcasts create 'Spring offer' --lists 'Spring campaign' --body '10 % off'", 'create a draft; nothing is sent yet'],
        [
          "msgctl broadcasts create Reminder --contacts con_1,con_2 --body 'Tomorrow at 9' --scheduled-at 'tomorrow 9:00'",
          'create a draft for later',
        ],
        ["msgctl broadcasts create Again --recipients-of 'Spring offer' --status failed --body '10 % off'", 'to those who did not get it'],
      ],
      arguments: [{ field: 'name' }],
      fields: [{ field: 'channel', default: 'chatapp' }, ...fields],
      options: [
        {
          flags: '--recipients-of <broadcast>',
          summary: 'the recipients of another broadcast, by its id or name',
          completes: broadcastLookup,
        },
        {
          flags: '--status <statuses>',
          summary: `only those of its recipients: a list of ${contract.recipientStatuses.join(', ')}`,
          isList: true,
          completes: contract.recipientStatuses,
          parse: parseStatuses,
        },
      ],
      body: async (body, invocation) => await withRecipientsOf(await withStartAhead(body, invocation), invocation),
      shown,
      done: ({ broadcast: { body } }) =>
        body?.includes('{{') ? 'The body is sent literally: only templates fill placeholders such as {{first_name}}.' : undefined,
    }),
    callVerb({
      ...shared,
      name: 'update',
      endpoint: contract.updateBroadcast,
      examples: [["msgctl broadcasts update 'Spring offer' --body '20 % off'", 'only a draft can be changed']],
      fields: ['name', 'channel', ...fields],
      body: withStartAhead,
      shown,
    }),
    stepVerb('submit', contract.submitBroadcast, 'submit a draft for approval'),
    approveVerb(
      stepVerb('approve', contract.approveBroadcast, 'shows what it does and asks; sent messages cannot be recalled', {
        confirm: async ({ session, values, options }) => await askToSend(values, session, options.confirm !== undefined),
        wantsName: true,
      }),
    ),
    stepVerb('pause', contract.pauseBroadcast, 'stop sending; the remaining contacts get nothing until it is resumed'),
    stepVerb('resume', contract.resumeBroadcast, 'continue sending to the remaining contacts'),
    stepVerb('cancel', contract.cancelBroadcast, 'return to draft before anything is sent'),
    deleteVerb({
      lookup: broadcastLookup,
      endpoint: contract.deleteBroadcast,
      examples: [["msgctl broadcasts delete 'Spring offer' --yes", 'skip the confirmation']],
    }),
  ],
};
