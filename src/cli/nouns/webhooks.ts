import { eventNames } from '../../contract/areas/webhooks/event-names.ts';
import * as contract from '../../contract/areas/webhooks/endpoints.ts';
import {
  callVerb,
  given,
  InvalidValue,
  type Lookup,
  type Noun,
  type OptionSpec,
  type Options,
  parseList,
  type Session,
} from '../command/command.ts';
import { CliError, exitCodes } from '../errors.ts';
import type { Result, Row } from '../output/result.ts';

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
];

const ids: Lookup = { endpoint: contract.listWebhooks, rows: 'webhooks', label: 'name' };

const idArgument = ['<id>', 'the id or the name of a subscription', ids] as const;

const shared = { arguments: [idArgument], params: ['webhookId'] } as const;

/** Reads event names, in any case. */
function parseEvents(text: string, previous: unknown): string[] {
  return parseList(text, previous).map((name) => {
    const found = eventNames.find((event) => event.toLowerCase() === name.toLowerCase());
    // One that a newer service knows is for it to judge.
    return found ?? name;
  });
}

/** Reads tag ids; an empty text takes them all away. */
function parseTags(text: string, previous: unknown): string[] {
  return text === '' ? [] : parseList(text, previous);
}

const fieldOptions: readonly OptionSpec[] = [
  {
    flags: '--events <names>',
    summary: 'what to subscribe to; `msgctl webhooks events` lists the names',
    parse: parseEvents,
    completes: eventNames,
  },
  { flags: '--name <text>', summary: 'a name, usable in the place of the id' },
  { flags: '--subscribed-to-tags <ids>', summary: 'tags to which Chat Concluded is narrowed; empty for none', parse: parseTags },
  { flags: '--retries-enabled', summary: 'try failed deliveries again' },
  { flags: '--no-retries-enabled', summary: 'try each delivery once (the default)' },
  { flags: '--enabled', summary: 'switched on (the default)' },
  { flags: '--no-enabled', summary: 'switched off' },
  { flags: '--apply-to-sub-accounts', summary: 'receive the events of all sub-accounts too' },
  { flags: '--no-apply-to-sub-accounts', summary: 'only those of this account (the default)' },
];

function fields(options: Options): Row {
  return given({
    subscribed_to: options.events,
    name: options.name,
    subscribed_to_tags: options.subscribedToTags,
    retries_enabled: options.retriesEnabled,
    enabled: options.enabled,
    apply_to_sub_accounts: options.applyToSubAccounts,
  });
}

/**
 * Finds a subscription by its id or name, as the service does.
 * @throws CliError 5 when there is none
 */
async function find({ targets }: Session, idOrName: string): Promise<Row> {
  const { webhooks: all } = await (await targets.client()).call(contract.listWebhooks, {});
  const found = all.find(({ id }) => id === idOrName) ?? all.find(({ name }) => name === idOrName);
  if (!found)
    throw new CliError(exitCodes.notFound, 'not_found', `There is no webhook '${idOrName}'`, {
      hint: '`msgctl webhooks list` shows them.',
    });
  return found;
}

/** Sends a test delivery, and says in words what failed. */
async function test({ targets, notes }: Session, [webhookId = '']: readonly string[], { event }: Options): Promise<Result> {
  const client = await targets.client();
  const answer = await client.call(contract.testWebhook, { params: { webhookId }, body: given({ event }) });
  if (answer.delivered) notes.say('The receiver took the test delivery.');
  else notes.say(`Not delivered: ${answer.error_message ?? 'for an unknown reason'}. ${adviceFor(answer.failure_type)}`);
  return { kind: 'record', answer, record: answer, ...(!answer.delivered && { exitCode: exitCodes.failed }) };
}

const advice: Partial<Record<string, string>> = {
  permanent: 'It would not be tried again: the receiver must answer 2xx at this very address, without a redirect.',
  temporary: 'The receiver failed; with --retries-enabled such deliveries are tried again.',
  timeout: 'The receiver must answer within 10 seconds: take the delivery first, and work afterwards.',
  network: 'The receiver cannot be reached: `msgctl webhooks doctor` looks into name, address and certificate.',
};

function adviceFor(failureType: string | undefined): string {
  return advice[failureType ?? ''] ?? '`msgctl webhooks doctor` looks further.';
}

const secretShown = { columns: ['webhook_id', 'signing_enabled', 'signing_secret', 'signing_secret_created_at'] };

export const webhooks: Noun = {
  name: 'webhooks',
  summary: 'Subscribe receivers to events, watch and mend deliveries',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listWebhooks,
      examples: [['msgctl webhooks list', 'every subscription, switched-off ones included']],
      shown: { rows: 'webhooks', columns },
    }),
    {
      name: 'get',
      summary: 'Show a subscription',
      examples: [['msgctl webhooks get orders', 'by its id or name']],
      arguments: [idArgument],
      endpoint: contract.listWebhooks,
      shown: { field: 'webhook', columns },
      run: async (session, [id = '']) => {
        const record = await find(session, id);
        return { kind: 'record', answer: { webhook: record }, record };
      },
    },
    {
      name: 'events',
      summary: contract.listEventNames.summary,
      examples: [['msgctl webhooks events', 'the exact names']],
      endpoint: contract.listEventNames,
      run: async ({ targets }) => {
        const answer = await (await targets.client()).call(contract.listEventNames, {});
        const lines = answer.events.map((name) => `${name}\n`).join('');
        return { kind: 'document', document: answer, text: lines };
      },
    },
    callVerb({
      name: 'create',
      endpoint: contract.createWebhook,
      examples: [
        ["msgctl webhooks create https://shop.example/hook --events Replies,'Task Created' --generate-signing-secret", 'signed'],
        ['msgctl webhooks create https://agency.example/hook --events Replies --apply-to-sub-accounts', 'for all clients'],
      ],
      arguments: [['<url>', "the receiver's https address"]],
      options: [...fieldOptions, { flags: '--generate-signing-secret', summary: 'sign deliveries; the secret is shown' }],
      body: (options, [url]) => given({ url, ...fields(options), generate_signing_secret: options.generateSigningSecret }),
      record: ({ webhook, signing_secret }) => given({ ...(webhook as Row), signing_secret }),
      shown: { columns: ['id', 'name', 'url', 'subscribed_to', 'subscribed_to_tags', 'created_at', 'signing_secret'] },
    }),
    callVerb({
      ...shared,
      name: 'update',
      endpoint: contract.updateWebhook,
      examples: [
        ['msgctl webhooks update orders --events Replies,Reads', 'replaces the events'],
        ['msgctl webhooks update 2 --url https://new.example/hook', 'delivers there, and again'],
      ],
      options: [{ flags: '--url <url>', summary: "the receiver's https address" }, ...fieldOptions],
      body: (options) => given({ url: options.url, ...fields(options) }),
      shown: { field: 'webhook', columns },
    }),
    callVerb({
      ...shared,
      name: 'enable',
      endpoint: contract.updateWebhook,
      summary: 'Switch a subscription on',
      examples: [['msgctl webhooks enable orders', 'what happened while it was off is not sent']],
      body: () => ({ enabled: true }),
      shown: { field: 'webhook', columns },
    }),
    callVerb({
      ...shared,
      name: 'disable',
      endpoint: contract.updateWebhook,
      summary: 'Switch a subscription off, keeping all of it',
      examples: [['msgctl webhooks disable orders', 'waiting retries are dropped']],
      body: () => ({ enabled: false }),
      shown: { field: 'webhook', columns },
    }),
    callVerb({
      ...shared,
      name: 'delete',
      endpoint: contract.deleteWebhook,
      examples: [['msgctl webhooks delete orders', 'asks first; the ids of later ones shift']],
      confirm: ([id]) => `Delete the webhook ${id}? The ids of later ones shift`,
      shown: { columns: [] },
      done: (_answer, [id]) => `The webhook ${id} is deleted.`,
    }),
    {
      name: 'test',
      summary: contract.testWebhook.summary,
      examples: [
        ['msgctl webhooks test orders', 'exits 1 when it was not delivered'],
        ["msgctl webhooks test orders --event 'Task Created'", 'with a record of that event'],
      ],
      arguments: [idArgument],
      options: [{ flags: '--event <name>', summary: 'the event to send (default: Deliveries)', completes: eventNames }],
      endpoint: contract.testWebhook,
      shown: { columns: ['webhook_id', 'delivered', 'failure_type', 'status_code', 'error_message'] },
      run: test,
    },
    {
      name: 'health',
      summary: 'Show how deliveries went, to one receiver or to all, the worst first',
      examples: [
        ['msgctl webhooks health', 'every receiver in one table'],
        ["msgctl webhooks health --fail-on 'success<99%' --fail-on disabled", 'for monitors: exits 3 when one is so'],
        ['msgctl webhooks health orders -o json', 'the record of one'],
      ],
      arguments: [['[id]', 'the id or the name of a subscription', ids]],
      options: [
        {
          flags: '--fail-on <condition>',
          summary: 'exit 3 when a receiver is `disabled`, `off`, or `success<99%`, `failures>=5`; may be repeated',
          parse: (text, previous) => [...((previous as string[] | undefined) ?? []), text],
        },
      ],
      endpoint: contract.getWebhookHealth,
      shown: {
        rows: 'webhooks',
        columns: ['id', 'name', 'state', 'success_rate', 'consecutive_failures', 'last_failure', 'since', 'url'],
      },
      run: async (session, [id], options) => await (await import('./webhooks/health.ts')).showHealth(session, id, options),
    },
    callVerb({
      ...shared,
      name: 'reenable',
      endpoint: contract.reenableWebhook,
      examples: [['msgctl webhooks reenable orders', 'once the receiver works again']],
      shown: { columns: ['webhook_id'] },
      done: (_answer, [id]) => `The webhook ${id} delivers again; nothing is sent for what it missed.`,
    }),
    {
      name: 'doctor',
      summary: 'Look for all that keeps deliveries from arriving, and say what mends it',
      examples: [['msgctl webhooks doctor orders', 'sends a test delivery; exits 1 when something must be mended']],
      arguments: [idArgument],
      endpoint: contract.testWebhook,
      shown: { rows: 'checks', columns: ['check', 'status', 'finding', 'mend'] },
      run: async (session, [id = '']) => await (await import('./webhooks/doctor.ts')).examine(session, await find(session, id)),
    },
    {
      name: 'listen',
      summary: 'Receive deliveries on this machine: verify, show and forward them',
      examples: [
        ['msgctl webhooks listen --profile sandbox', 'subscribes itself, and goes with Ctrl-C'],
        ['msgctl webhooks listen --port 4700 --forward http://127.0.0.1:3000/hook', 'hands verified ones on'],
        ['msgctl webhooks listen --secret-file hook.secret -o ndjson', 'one JSON object a line'],
      ],
      options: [
        { flags: '--port <port>', summary: 'the port to listen on (4700); 0 takes a free one', parse: parsePort },
        { flags: '--forward <url>', summary: 'hand what is genuine on to this address' },
        { flags: '--secret-file <file>', summary: 'the signing secret of your own subscription, to verify with', completes: 'file' },
        {
          flags: '--events <names>',
          summary: 'what to subscribe to on a sandbox (default: all that are emitted)',
          parse: parseEvents,
          completes: eventNames,
        },
      ],
      actsOnSubAccounts: true,
      run: async (session, _values, options) => await (await import('./webhooks/listen.ts')).listen(session, options),
    },
    {
      name: 'verify',
      summary: 'Check a signature as a receiver should, and say what is wrong with it',
      examples: [
        [
          'msgctl webhooks verify --secret-stdin --signature v1=… --timestamp 1790000000 --body body.json < hook.secret',
          'exits 1 unless genuine and fresh',
        ],
      ],
      options: [
        { flags: '--secret-stdin', summary: 'read the signing secret from stdin', required: true },
        { flags: '--signature <text>', summary: 'the header X-Webhook-Signature', required: true },
        { flags: '--timestamp <seconds>', summary: 'the header X-Webhook-Timestamp', required: true },
        { flags: '--body <file>', summary: 'the raw body, byte for byte', required: true, completes: 'file' },
      ],
      shown: { columns: ['genuine', 'fresh', 'age_seconds', 'finding'] },
      run: async (session, _values, options) => await (await import('./webhooks/verify.ts')).verify(session, options),
    },
    callVerb({
      ...shared,
      name: 'secret show',
      endpoint: contract.getSigningSecret,
      examples: [['msgctl webhooks secret show orders --query signing_secret -o tsv', 'the secret alone']],
      shown: secretShown,
    }),
    callVerb({
      ...shared,
      name: 'secret rotate',
      endpoint: contract.rotateSigningSecret,
      examples: [['msgctl webhooks secret rotate orders', 'asks first; only the new one signs from then on']],
      confirm: ([id]) => `Make a new signing secret for the webhook ${id}? The present one stops signing at once`,
      shown: secretShown,
    }),
    callVerb({
      ...shared,
      name: 'secret remove',
      endpoint: contract.removeSigningSecret,
      examples: [['msgctl webhooks secret remove orders', 'asks first; deliveries are signed no more']],
      confirm: ([id]) => `Turn signing off for the webhook ${id}?`,
      shown: { columns: ['webhook_id', 'signing_enabled'] },
    }),
  ],
};

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 65_536;
  if (port > 65_535) throw new InvalidValue('must be a port from 0 to 65535');
  return port;
}
