import { definedFields } from '../../contract/defined-fields.ts';
import * as contract from '../../contract/areas/webhooks/endpoints.ts';
import { eventNames } from '../../contract/areas/webhooks/event-names.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import { callVerb, recordVerb } from '../verb/call-verb.ts';
import type { Noun, Session } from '../verb/noun.ts';
import { tagLookup } from '../lookups/tags.ts';
import { webhookLookup } from '../lookups/webhooks.ts';
import { orEmpty, parseList, parsePort, parseRepeated, pastForms } from '../verb/values.ts';
import { readWhen } from '../verb/when.ts';
import { exitCodes } from '../errors.ts';
import { terminalText } from '../output/cell.ts';
import { shellWord } from '../output/shell-word.ts';
import { healthColumns, healthConditions, receiverStates, type Webhook } from '../receivers/health.ts';
import { allEvents, eventsOf, parseEvent, parseEvents } from './webhooks/event-words.ts';
import { withAnswers } from './webhooks/deliveries.ts';
import { changingState, startingPaused, withState } from './webhooks/state.ts';
import { testNote } from './webhooks/test-note.ts';

const columns = [
  'id',
  'name',
  'url',
  'subscribed_to',
  'enabled',
  'retries_enabled',
  'signing_enabled',
  'apply_to_sub_accounts',
  'subscribed_to_tags',
  'created_at',
] as const;

// The service can also find a webhook by name.
const idArgument = { param: 'webhookId', name: 'id', summary: 'the id or the name of a webhook', completes: webhookLookup } as const;

const shared = { arguments: [idArgument] } as const;

/** Of a verb that asks first: it acts on the webhook that it showed, whatever is deleted meanwhile. */
const sharedAsking = { arguments: [{ ...idArgument, lookup: webhookLookup }] } as const;

const fields = [
  {
    field: 'subscribed_to',
    flag: 'events',
    summary: 'events to subscribe to, in upper or lower case; `msgctl webhooks events` lists them, `all` subscribes to every event',
    completes: [allEvents, ...eventNames],
    parse: parseEvents,
    resolve: (names: unknown, session: Session) => eventsOf(names as readonly string[], session),
  },
  'name',
  {
    field: 'subscribed_to_tags',
    placeholder: 'tags',
    summary: "deliver Chat Concluded only for contacts with one of these tags; '' for every contact",
    lookup: tagLookup,
    parse: orEmpty(parseList),
  },
  { field: 'retries_enabled', negative: 'attempt each delivery once' },
  { field: 'enabled', negative: 'disable the webhook without deleting it' },
  { field: 'apply_to_sub_accounts', negative: 'deliver events of this account only' },
] as const;

/** @throws CliError 5 if there is no webhook with that id or name */
async function requireWebhook({ names }: Session, idOrName: string): Promise<Webhook> {
  return await names.record(webhookLookup, idOrName);
}

/** A webhook for a prompt; on several accounts, as it was typed. */
async function titleOf(idOrName: string | undefined, session: Session | null): Promise<string> {
  if (!session) return idOrName ?? '';
  const { name, url } = await requireWebhook(session, idOrName ?? '');
  return `'${name}' (${url})`;
}

/** A time that has passed. */
const ofTime = {
  placeholder: 'when',
  resolve: (value: unknown, session: Session) => readWhen(value as string, 'back', session),
} as const;

const deliveryArgument = { name: 'id', summary: 'the id of a delivery' } as const;

const replayFields = [
  { ...ofTime, field: 'from', flag: 'since', summary: `replay events that happened at this time or later: ${pastForms}` },
  { ...ofTime, field: 'to', flag: 'until', summary: 'replay events that happened at this time or earlier (default: now)' },
  {
    field: 'events',
    summary: 'replay only these events, in upper or lower case',
    completes: [allEvents, ...eventNames],
    parse: parseEvents,
    resolve: (names: unknown, session: Session) => eventsOf(names as readonly string[], session),
  },
] as const;

const secretShown = { columns: ['webhook_id', 'signing_enabled', 'signing_secret', 'signing_secret_created_at'] } as const;

export const webhooks: Noun = {
  name: 'webhooks',
  groups: { secret: 'Manage the secret that signs deliveries', deliveries: 'Look at what was sent' },
  verbs: [
    withState(
      callVerb({
        name: 'list',
        endpoint: contract.listWebhooks,
        examples: [
          ['msgctl webhooks list', 'every webhook with the state of its receiver, including disabled ones'],
          ['msgctl webhooks list --fields name,state -o csv', 'other formats show the state only if --fields names it'],
        ],
        shown: { rows: 'webhooks', columns },
      }),
    ),
    withState({
      name: 'get',
      summary: 'Show a webhook',
      examples: [['msgctl webhooks get orders', 'by id or name']],
      arguments: [idArgument],
      endpoint: contract.listWebhooks,
      shown: { field: 'webhook', columns },
      run: async (session, [id = '']) => {
        const record = await requireWebhook(session, id);
        return { kind: 'record', answer: { webhook: record }, record };
      },
    }),
    {
      ...callVerb({
        name: 'events',
        endpoint: contract.listEventNames,
        examples: [['msgctl webhooks events', 'the exact names of the events']],
        shown: { rows: 'events', columns: ['event'] },
      }),
      text: (names) => names.map((name) => `${terminalText(name)}\n`).join(''),
    },
    startingPaused(
      recordVerb({
        name: 'create',
        endpoint: contract.createWebhook,
        examples: [
          ['msgctl webhooks create https://shop.example/hook --name orders --events Replies', 'with a name that other commands can use'],
          [
            "msgctl webhooks create https://shop.example/signed --events 'Task Created' --generate-signing-secret",
            'with signed deliveries',
          ],
          ['msgctl webhooks create https://agency.example/hook --events Replies --apply-to-sub-accounts', 'for every sub-account too'],
        ],
        arguments: [{ field: 'url' }],
        existing: { lookup: webhookLookup, nameOf: ({ name }) => name as string | undefined, update: contract.updateWebhook },
        fields: [...fields, { field: 'generate_signing_secret', negative: 'do not sign deliveries' }],
        record: ({ webhook, signing_secret }) => definedFields({ ...webhook, signing_secret }),
        shown: { columns: ['id', 'name', 'url', 'subscribed_to', 'subscribed_to_tags', 'created_at', 'signing_secret'] },
      }),
    ),
    changingState(
      callVerb({
        ...shared,
        name: 'update',
        endpoint: contract.updateWebhook,
        examples: [
          ['msgctl webhooks update orders --events Replies,Reads', 'replace the events'],
          ['msgctl webhooks update 2 --url https://new.example/hook', 'deliver to another address'],
        ],
        fields: ['url', ...fields],
        shown: { field: 'webhook', columns },
      }),
    ),
    changingState(
      callVerb({
        ...shared,
        name: 'enable',
        endpoint: contract.updateWebhook,
        summary: 'Enable a webhook; one that was disabled after failures also needs `reenable`',
        examples: [['msgctl webhooks enable orders', '`replay` sends the events that it missed']],
        body: () => ({ enabled: true }),
        shown: { field: 'webhook', columns },
      }),
    ),
    changingState(
      callVerb({
        ...shared,
        name: 'disable',
        endpoint: contract.updateWebhook,
        summary: 'Disable a webhook and keep its settings',
        examples: [['msgctl webhooks disable orders', 'drops the retries that are waiting']],
        body: () => ({ enabled: false }),
        shown: { field: 'webhook', columns },
      }),
    ),
    deleteVerb({
      lookup: webhookLookup,
      endpoint: contract.deleteWebhook,
      examples: [['msgctl webhooks delete orders', 'asks for confirmation; the ids of later webhooks change']],
      consequence: ({ url }) => ` (${url as string}), which changes the ids of later webhooks`,
    }),
    callVerb({
      ...shared,
      name: 'test',
      endpoint: contract.testWebhook,
      examples: [
        ['msgctl webhooks test orders', 'exits 1 if the delivery fails'],
        ["msgctl webhooks test orders --event 'Task Created'", 'send a sample of that event'],
      ],
      fields: [{ field: 'event', placeholder: 'name', parse: parseEvent }],
      shown: { columns: ['webhook_id', 'delivered', 'failure_type', 'status_code', 'error_message'] },
      done: testNote,
      exitCode: ({ delivered }) => (delivered ? exitCodes.done : exitCodes.failed),
    }),
    {
      name: 'health',
      summary: 'Show the delivery health of one receiver, or of all receivers, worst first',
      examples: [
        ['msgctl webhooks health', 'every receiver in one table'],
        ['msgctl webhooks health --watch 10s', 'again every ten seconds, until Ctrl-C'],
        ["msgctl webhooks health --fail-on 'success<99%' --fail-on disabled", 'for monitoring: exits 3 if a condition is true'],
        ['msgctl webhooks health orders -o json', 'the health of one receiver as JSON'],
      ],
      arguments: [{ name: 'id', summary: 'the id or the name of a webhook', completes: webhookLookup, isOptional: true }],
      options: [
        {
          flags: '--fail-on <condition>',
          summary:
            'exit 3 if this is true for a receiver: `disabled` (of sub-accounts too), `off`, `failing`, `retrying`, `success<99%`, `failures>=5`, or any condition of `--where`; can be repeated',
          completes: receiverStates,
          parse: parseRepeated,
        },
      ],
      endpoint: contract.getWebhookHealth,
      shown: {
        rows: 'webhooks',
        columns: healthColumns,
        conditions: healthConditions,
        table: [
          'id',
          'name',
          'state',
          'last_failure',
          'failed_at',
          'success_rate',
          'succeeded_at',
          'consecutive_failures',
          'next_attempt_at',
          'url',
          'total_failures',
          'total_successes',
          'disabled_at',
          'disabled_reason',
          'paused_accounts',
          'missed',
          'missed_since',
        ],
      },
      watches: true,
      run: async (session, [id], options) => {
        const { showHealth } = await import('./webhooks/health.ts');
        return await showHealth(session, id === undefined ? null : await requireWebhook(session, id), options);
      },
    },
    callVerb({
      ...shared,
      name: 'reenable',
      endpoint: contract.reenableWebhook,
      examples: [['msgctl webhooks reenable orders', 'run this after you fixed the receiver']],
      shown: { columns: ['webhook_id'] },
      done: (_answer, [id = '']) =>
        `Failures no longer hold back deliveries to the webhook ${id}. \`msgctl webhooks replay ${shellWord(id)} --since WHEN\` sends what it missed.`,
    }),
    {
      name: 'doctor',
      summary: 'Find out why deliveries fail, and how to fix it',
      examples: [
        ['msgctl webhooks doctor orders', 'sends a test delivery; exits 1 if something is broken'],
        ['msgctl webhooks doctor', 'every receiver that needs attention'],
        ['msgctl webhooks doctor --sub-account all --fix', 'on every account; asks before each fix'],
      ],
      arguments: [{ ...idArgument, isOptional: true }],
      options: [{ flags: '--fix', summary: 'run the command that fixes each fault, after asking; without a terminal, add --yes' }],
      endpoint: contract.testWebhook,
      readsUnless: ['fix'],
      takesInput: false,
      shown: { rows: 'checks', columns: ['webhook', 'check', 'status', 'finding', 'fix'] },
      text: async (rows, style) => await (await import('./webhooks/sentences.ts')).sentences(rows, style),
      run: async (session, [id], options) => {
        const { diagnose } = await import('./webhooks/doctor.ts');
        return await diagnose(session, id === undefined ? null : await requireWebhook(session, id), options);
      },
    },
    {
      name: 'deliveries show',
      summary: contract.getWebhookDelivery.summary,
      examples: [['msgctl webhooks deliveries show dlv_1', 'the webhook is found by itself']],
      arguments: [deliveryArgument],
      endpoint: contract.getWebhookDelivery,
      run: async (session, [id = '']) => await (await import('./webhooks/deliveries.ts')).showDelivery(session, id),
    },
    {
      name: 'deliveries resend',
      summary: contract.resendWebhookDelivery.summary,
      examples: [['msgctl webhooks deliveries resend dlv_1', 'exits 1 if the receiver refuses it']],
      arguments: [deliveryArgument],
      endpoint: contract.resendWebhookDelivery,
      shown: { columns: ['delivered', 'failure_type', 'status_code', 'error_message'] },
      run: async (session, [id = '']) => await (await import('./webhooks/deliveries.ts')).resendDelivery(session, id),
    },
    withAnswers(
      callVerb({
        ...shared,
        name: 'deliveries',
        endpoint: contract.listWebhookDeliveries,
        examples: [
          ['msgctl webhooks deliveries orders', 'the newest deliveries with their last answers'],
          ['msgctl webhooks deliveries orders --failed --since 1d', 'what failed since yesterday'],
          ['msgctl webhooks deliveries show dlv_1', 'what was sent, and every answer'],
          ['msgctl webhooks deliveries resend dlv_1', 'one further attempt; a webhook named `show` or `resend` is given by its id'],
        ],
        fields: [
          'state',
          { field: 'event', placeholder: 'name', parse: parseEvent },
          { ...ofTime, field: 'from', flag: 'since', summary: `only events that happened at this time or later: ${pastForms}` },
          { ...ofTime, field: 'to', flag: 'until', summary: 'only events that happened at this time or earlier' },
        ],
        shown: {
          columns: [
            'id',
            'account_id',
            'event',
            'event_id',
            'occurred_at',
            'state',
            'attempts',
            'next_attempt_at',
            'last.at',
            'last.status_code',
            'last.failure_type',
            'last.duration_ms',
          ],
        },
      }),
    ),
    {
      name: 'replay',
      summary: 'Send again what failed, and what was missed while the webhook was off or disabled, and wait for the end',
      examples: [
        ['msgctl webhooks replay orders --since 14:02 --dry-run', 'how many deliveries that would be'],
        ['msgctl webhooks replay orders --since 14:02', 'at most 20 a second; exits 8 if some failed again'],
        ["msgctl webhooks replay orders --since yesterday --missed --events 'Task Created'", 'only what was missed, of one kind'],
      ],
      arguments: [idArgument],
      fields: replayFields,
      options: [
        { flags: '--failed', summary: 'only deliveries that failed or were dropped' },
        { flags: '--missed', summary: 'only events that were missed while the webhook was off or disabled' },
        { flags: '--both', summary: 'both of them (the default)' },
        { flags: '--dry-run', summary: 'count what would be sent, and send nothing' },
      ],
      endpoint: contract.startReplay,
      shown: { columns: ['replay_id', 'status', 'queued', 'delivered', 'failed', 'pending'] },
      dryRunColumns: ['webhook', 'url', 'from', 'to', 'events', 'failed', 'missed', 'queued', 'seconds'],
      run: async (session, [id = ''], options) => {
        const { replay } = await import('./webhooks/replay.ts');
        return await replay(session, await requireWebhook(session, id), replayFields, options);
      },
    },
    {
      name: 'listen',
      scope: 'one account',
      summary: 'Receive deliveries on this machine: verify, print and forward them',
      examples: [
        ['msgctl webhooks listen --profile sandbox', 'subscribes to a sandbox until Ctrl-C'],
        ['msgctl webhooks listen --port 4700 --forward http://127.0.0.1:3000/hook', 'forward verified deliveries'],
        ['msgctl webhooks listen --secret-file hook.secret -o ndjson', 'one JSON object per line'],
      ],
      options: [
        { flags: '--port <port>', summary: 'the port to listen on (default: 4700); 0 for any free port', parse: parsePort },
        { flags: '--forward <url>', summary: 'forward verified deliveries to this address' },
        { flags: '--secret-file <file>', summary: 'verify with the signing secret in this file', completes: 'file' },
        {
          flags: '--events <names>',
          summary: 'events to subscribe to on a sandbox, in upper or lower case (default: every event that is emitted)',
          isList: true,
          parse: parseEvents,
          completes: [allEvents, ...eventNames],
          fills: ['subscribed_to'],
        },
      ],
      run: async (session, _values, options) => await (await import('./webhooks/listen.ts')).listen(session, options),
    },
    {
      name: 'verify',
      summary: 'Verify the signature of a delivery and explain a mismatch',
      examples: [
        [
          'msgctl webhooks verify --secret-stdin --signature v1=… --timestamp 1790000000 --body body.json < hook.secret',
          'exits 1 unless the delivery is genuine and fresh',
        ],
        ['msgctl webhooks verify … --at 2027-03-01T12:00:30Z < hook.secret', 'check whether a stored delivery was fresh at that time'],
      ],
      options: [
        { flags: '--secret-stdin', summary: 'read the signing secret from stdin', isRequired: true },
        { flags: '--signature <text>', summary: 'the value of the header X-Webhook-Signature', isRequired: true },
        { flags: '--timestamp <seconds>', summary: 'the value of the header X-Webhook-Timestamp', isRequired: true },
        { flags: '--body <file>', summary: 'a file with the raw request body', isRequired: true, completes: 'file' },
        {
          flags: '--at <when>',
          summary: `when the delivery arrived: ${pastForms} (default: now, by the clock of the profile's service)`,
        },
      ],
      shown: { columns: ['genuine', 'fresh', 'age_seconds', 'finding'] },
      run: async (session, _values, options) => await (await import('./webhooks/verify.ts')).verify(session, options),
    },
    {
      name: 'certify',
      summary: 'Try a receiver with right and wrong deliveries, and say what it gets wrong',
      examples: [
        ['msgctl webhooks certify http://127.0.0.1:8080/hook --secret-stdin < hook.secret', 'exits 1 if the receiver gets anything wrong'],
        [
          'msgctl webhooks certify https://test.shop.example/hook --junit results.xml',
          'in CI; without the secret, nothing about signatures',
        ],
      ],
      arguments: [{ name: 'url', summary: 'the address of the receiver; it gets about 90 deliveries with made-up records' }],
      options: [
        { flags: '--secret-stdin', summary: 'read the signing secret from stdin, and sign the deliveries' },
        { flags: '--junit <file>', summary: "also write the results as JUnit's XML", completes: 'file' },
      ],
      shown: {
        rows: 'checks',
        columns: ['check', 'status', 'sent', 'expected', 'received', 'documented', 'duration_ms'],
        table: ['check', 'status', 'received', 'expected', 'sent', 'documented'],
      },
      run: async (session, [url = ''], options) => await (await import('./webhooks/certify/certify.ts')).certify(session, url, options),
    },
    callVerb({
      ...shared,
      name: 'secret show',
      endpoint: contract.getSigningSecret,
      examples: [['msgctl webhooks secret show orders --query signing_secret -o tsv', 'print only the secret']],
      shown: secretShown,
    }),
    callVerb({
      ...sharedAsking,
      name: 'secret rotate',
      endpoint: contract.rotateSigningSecret,
      examples: [['msgctl webhooks secret rotate orders', 'asks for confirmation; the old secret stops signing']],
      confirm: async ({ session, values: [id] }) =>
        `Create a new signing secret for the webhook ${await titleOf(id, session)}? The old secret stops working at once`,
      shown: secretShown,
    }),
    callVerb({
      ...sharedAsking,
      name: 'secret remove',
      endpoint: contract.removeSigningSecret,
      examples: [['msgctl webhooks secret remove orders', 'asks for confirmation; deliveries are no longer signed']],
      confirm: async ({ session, values: [id] }) => `Disable signing for the webhook ${await titleOf(id, session)}?`,
      shown: { columns: ['webhook_id', 'signing_enabled'] },
    }),
  ],
};
