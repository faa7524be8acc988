import { basename } from 'node:path';
import { DryRun } from '../../client/errors.ts';
import type { Answer, Endpoint } from '../../contract/endpoint.ts';
import * as contract from '../../contract/areas/sandbox/endpoints.ts';
import { eventNames } from '../../contract/areas/webhooks/event-names.ts';
import { jobKinds } from '../../contract/job-kinds.ts';
import { channelNames } from '../../contract/areas/channels/names.ts';
import { permissions } from '../../contract/permissions.ts';
import { getMe } from '../../contract/areas/whoami/endpoints.ts';
import {
  type ArgumentSpec,
  sandboxVerb,
  given,
  type Lookup,
  type Noun,
  type Options,
  parseCount,
  parseJson,
  parseList,
  parseNumber,
  type Session,
} from '../command/command.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { mergeInput, readInput } from '../command/input.ts';
import { keyFileOption, withNewKey } from '../profiles/key-file.ts';
import { readUserFile } from '../files/read.ts';
import { rememberKey } from '../profiles/remember-key.ts';
import { terminalText } from '../output/cell.ts';
import type { Result, Row } from '../output/result.ts';

const accountArgument: ArgumentSpec = ['[account]', 'the id of an account; the first one when left out'];

const accountColumns = [
  'id',
  'name',
  'email',
  'kind',
  'parent_account_id',
  'credits',
  'auto_recharge_enabled',
  'low_credit_threshold',
  'costs_hidden',
  'own_ai_key',
  'template_provider',
  'plan',
  'created_at',
  'updated_at',
];

const faultColumns = ['id', 'match.method', 'match.path', 'status', 'delay_ms', 'drop', 'times', 'rate', 'seed', 'reporting_database'];

/** The account that a command is about: the one that is named, else the store's first, else that of the key. */
async function accountId(session: Session, named: string | undefined): Promise<string> {
  const id = named ?? session.targets.firstAccount ?? (await ownAccount(session));
  if (id === null) throw usageError('Name the account', 'Its id is what `msgctl serve` printed, or what `msgctl whoami` shows.');
  return id;
}

/** The account of the key, on a server that is given by its address. */
async function ownAccount({ targets }: Session): Promise<string | null> {
  if (targets.resolve().key === null) return null;
  try {
    return (await (await targets.client()).call(getMe, {})).user.id;
  } catch (error) {
    // A dry run asks nothing.
    if (error instanceof DryRun) return null;
    throw error;
  }
}

/** The path's account, which stands behind so many other arguments. */
function accountBehind(others: number) {
  return async (session: Session, values: readonly string[]) => ({ id: await accountId(session, values[others]) });
}

const keyColumns = ['api_key'];
const resetColumns = ['account_id', 'api_key'];

/** Makes a new main key, and gives it to the profile `sandbox` when it is its account's. */
async function makeMainKey(session: Session, [named]: readonly string[], options: Options): Promise<Result> {
  const { targets, notes } = session;
  const client = await targets.sandboxClient();
  const id = await accountId(session, named);
  let isRemembered = true;
  const result = await withNewKey(session, options, keyColumns, async () => {
    const answer = await client.call(contract.makeMainKey, { params: { id } });
    if (id === targets.firstAccount)
      isRemembered = await rememberKey(targets.rememberSandbox({ api_key: answer.api_key }), 'sandbox', notes);
    return answer;
  });
  return isRemembered ? result : { ...result, exitCode: exitCodes.failed };
}

async function reset(session: Session, _values: readonly string[], options: Options): Promise<Result> {
  const { targets, notes } = session;
  const client = await targets.sandboxClient();
  let isRemembered = true;
  const result = await withNewKey(session, options, resetColumns, async () => {
    const answer = await client.call(contract.resetStore, {});
    targets.firstAccountIs(answer.account_id);
    isRemembered = await rememberKey(targets.rememberSandbox({ api_key: answer.api_key, sub_account_id: undefined }), 'sandbox', notes);
    return answer;
  });
  return isRemembered ? result : { ...result, exitCode: exitCodes.failed };
}

async function addUpload(session: Session, [file = '', account]: readonly string[], options: Options): Promise<Result> {
  const client = await session.targets.sandboxClient();
  const id = await accountId(session, account);
  const bytes = await readUserFile(file);
  const answer = await client.call(contract.addUpload, {
    params: { id },
    query: { filename: (options.filename as string | undefined) ?? basename(file) },
    bytes,
  });
  return { kind: 'record', answer, record: answer };
}

/** The settings of an account that flags describe; an empty object when none does. */
function accountChange(options: Options): Row {
  return given({
    plan: options.plan,
    credits: options.credits,
    costs_hidden: options.costsHidden,
    auto_recharge_enabled: options.autoRechargeEnabled,
    low_credit_threshold: options.lowCreditThreshold,
    own_ai_key: options.ownAiKey,
    template_provider: options.templateProvider,
    calendar: options.calendar,
  });
}

function faultOf(options: Options): Row {
  const match = given({ method: options.method, path: options.path });
  return given({
    match: Object.keys(match).length > 0 ? match : undefined,
    status: options.status,
    delay_ms: options.delayMs,
    drop: options.drop,
    times: options.times,
    rate: options.rate,
    seed: options.seed,
    reporting_database: options.reportingDatabase,
  });
}

const deliveryColumns = ['id', 'event', 'state', 'webhook_id', 'account_id', 'next_attempt_at'];

const deliveryIds: Lookup = { endpoint: contract.listDeliveries, rows: 'deliveries', label: 'event' };

async function triggerEvent(session: Session, [named = '', account]: readonly string[], options: Options): Promise<Result> {
  const client = await session.targets.sandboxClient();
  const event = eventNames.find((name) => name.toLowerCase() === named.toLowerCase());
  if (!event) throw usageError(`There is no event '${named}'`, `Known events: ${eventNames.join(', ')}`);
  const file = options.data as string | undefined;
  const data = file === undefined ? undefined : await readInput(file, undefined, session.world, session.notes);
  const body = mergeInput(session.input, given({ event, data })) as { event: typeof event };
  const answer = await client.call(contract.triggerEvent, { params: { id: await accountId(session, account) }, body });
  return { kind: 'record', answer, record: answer };
}

type Delivery = Answer<typeof contract.listDeliveries>['deliveries'][number];

async function showDelivery({ targets }: Session, [id = '']: readonly string[]): Promise<Result> {
  const client = await targets.sandboxClient();
  for await (const { rows } of client.pages(contract.listDeliveries, {}, undefined)) {
    const delivery = rows.find((row) => row.id === id) as Delivery | undefined;
    if (delivery) return { kind: 'document', document: { delivery }, text: deliveryText(delivery) };
  }
  throw new CliError(exitCodes.notFound, 'not_found', `There is no delivery '${id}'`);
}

/** A delivery as a person reads it: what became of it, and each attempt in a line. */
function deliveryText({ attempts, ...delivery }: Delivery): string {
  const next = delivery.next_attempt_at === null ? '' : `, next attempt ${delivery.next_attempt_at}`;
  const head = `${delivery.id}  ${delivery.event}  ${delivery.state}${next}`;
  const lines = attempts.map((attempt) => {
    const outcome =
      attempt.failure_type === null ? `${attempt.status_code}` : `${attempt.status_code ?? 'no answer'} ${attempt.failure_type}`;
    return `${attempt.attempt}  ${attempt.at}  ${outcome}  ${attempt.duration_ms} ms  ${terminalText(attempt.response_body ?? '')}`.trimEnd();
  });
  const body = attempts[0]?.request_body;
  return `${[head, ...lines, ...(body === undefined ? [] : ['', terminalText(body)])].join('\n')}\n`;
}

const clockShown = { columns: ['now', 'frozen'] };

/** Something that happens to the pairing of a number. */
const pairingVerb = (step: string, endpoint: Endpoint, purpose: string) =>
  sandboxVerb({
    name: `pairings ${step}`,
    endpoint,
    examples: [[`msgctl sandbox pairings ${step} +14155550123`, purpose]],
    arguments: [['<phone>', 'the number, in international format'], accountArgument],
    params: async (session, [phone = '', account]) => ({ id: await accountId(session, account), phone }),
    shown: { columns: ['phone_number', 'status'] },
  });

export const sandbox: Noun = {
  name: 'sandbox',
  summary: 'Control the embedded service: clock, accounts, faults',
  verbs: [
    {
      name: 'reset',
      summary: contract.resetStore.summary,
      examples: [['msgctl sandbox reset --yes', 'everything in the store is gone']],
      endpoint: contract.resetStore,
      options: [keyFileOption],
      shown: { columns: resetColumns },
      confirm: () => 'Empty the whole store?',
      isSandbox: true,
      run: reset,
    },
    sandboxVerb({
      name: 'clock show',
      endpoint: contract.getClock,
      examples: [['msgctl sandbox clock show', "the service's time"]],
      shown: clockShown,
    }),
    sandboxVerb({
      name: 'clock freeze',
      endpoint: contract.setClock,
      summary: 'Freeze the clock, where it stands or at a later instant',
      examples: [['msgctl sandbox clock freeze 2027-01-31T09:00:00Z', 'time stands still there']],
      arguments: [['[instant]', 'an ISO 8601 instant, never earlier than the present reading']],
      body: (_options, [now], { input }) => (now !== undefined ? { now } : input.now === undefined ? { frozen: true } : {}),
      shown: clockShown,
    }),
    sandboxVerb({
      name: 'clock run',
      endpoint: contract.setClock,
      summary: 'Let time run on from the present reading',
      examples: [['msgctl sandbox clock run', 'time passes again']],
      body: () => ({ frozen: false }),
      shown: clockShown,
    }),
    sandboxVerb({
      name: 'clock advance',
      endpoint: contract.advanceClock,
      examples: [['msgctl sandbox clock advance 3600', 'an hour on, with all that falls due on the way']],
      arguments: [['<seconds>', 'how far']],
      body: (_options, [seconds]) => given({ seconds: seconds === undefined ? undefined : parseNumber(seconds) }),
      done: ({ now, fired }) => `The clock stands at ${String(now)}; ${(fired as unknown[]).length} jobs ran.`,
      shown: { rows: 'fired', columns: ['at', 'kind', 'id'] },
    }),
    sandboxVerb({
      name: 'settle',
      endpoint: contract.settle,
      examples: [['msgctl sandbox settle', 'returns when nothing is left to do']],
      shown: { columns: ['jobs_run'] },
    }),
    sandboxVerb({
      name: 'jobs show',
      endpoint: contract.getJobs,
      examples: [['msgctl sandbox jobs show -o json', 'what waits, by kind']],
      shown: { columns: ['hold', 'waiting'] },
    }),
    sandboxVerb({
      name: 'jobs hold',
      endpoint: contract.holdJobs,
      summary: 'Keep jobs of some kinds, or all, from running',
      examples: [
        ['msgctl sandbox jobs hold webhook_delivery', 'deliveries wait'],
        ['msgctl sandbox jobs hold all', 'everything waits'],
      ],
      arguments: [['<kinds...>', `all, or some of ${jobKinds.join(', ')}`, ['all', ...jobKinds]]],
      body: (_options, kinds) => (kinds.length === 0 ? {} : { hold: kinds[0] === 'all' ? 'all' : kinds }),
      shown: { columns: ['hold', 'waiting'] },
    }),
    sandboxVerb({
      name: 'jobs release',
      endpoint: contract.holdJobs,
      summary: 'Let all jobs run again',
      examples: [['msgctl sandbox jobs release', 'what is due runs at once']],
      body: () => ({ hold: [] }),
      shown: { columns: ['hold', 'waiting'] },
    }),
    sandboxVerb({
      name: 'accounts create',
      endpoint: contract.createAccount,
      examples: [['msgctl sandbox accounts create Bakery --kind standard', 'an account with 1,000 credits and a main key']],
      arguments: [['<name>', 'the name of the account']],
      options: [
        { flags: '--kind <kind>', summary: 'standard or agency', choices: ['standard', 'agency'] },
        { flags: '--email <address>', summary: "the owner's e-mail address" },
        { flags: '--parent-account <id>', summary: 'the agency that manages it' },
        { flags: '--plan <json>', summary: 'what differs from the default plan, as JSON', parse: parseJson },
      ],
      body: ({ kind, email, parentAccount, plan }, [name], { input }) =>
        given({ name, kind: kind ?? input.kind ?? 'standard', email, parent_account_id: parentAccount, plan }),
      makesKey: true,
      shown: { columns: ['account_id', 'api_key'] },
    }),
    sandboxVerb({
      name: 'accounts get',
      endpoint: contract.getAccount,
      examples: [['msgctl sandbox accounts get -o yaml', 'the first account with its plan']],
      arguments: [accountArgument],
      params: accountBehind(0),
      shown: { field: 'account', columns: accountColumns },
    }),
    sandboxVerb({
      name: 'accounts update',
      endpoint: contract.updateAccount,
      examples: [
        ['msgctl sandbox accounts update --credits 20', 'set the balance of the first account'],
        [`msgctl sandbox accounts update acc_1 --plan '{"webhooks": false}'`, 'switch a feature off'],
      ],
      arguments: [accountArgument],
      options: [
        { flags: '--credits <credits>', summary: 'set the balance', parse: parseNumber },
        { flags: '--plan <json>', summary: 'what changes in the plan, as JSON', parse: parseJson },
        { flags: '--costs-hidden', summary: 'hide cost figures' },
        { flags: '--no-costs-hidden', summary: 'show cost figures' },
        { flags: '--auto-recharge-enabled', summary: 'recharge automatically' },
        { flags: '--no-auto-recharge-enabled', summary: 'do not recharge' },
        { flags: '--low-credit-threshold <credits>', summary: 'where the low-credit event fires', parse: parseNumber },
        { flags: '--own-ai-key <state>', summary: 'whether the account has a key of its own', choices: ['none', 'valid', 'failing'] },
        {
          flags: '--template-provider <kind>',
          summary: 'who provides its templates',
          choices: ['managed', 'own_account', 'own_account_incomplete'],
        },
        { flags: '--calendar <json>', summary: 'its calendars and events, as JSON', parse: parseJson },
      ],
      params: accountBehind(0),
      body: accountChange,
      shown: { field: 'account', columns: accountColumns },
    }),
    {
      name: 'main-key',
      summary: contract.makeMainKey.summary,
      examples: [['msgctl sandbox main-key', 'when the key of the embedded store is lost']],
      arguments: [accountArgument],
      endpoint: contract.makeMainKey,
      options: [keyFileOption],
      shown: { columns: keyColumns },
      isSandbox: true,
      run: makeMainKey,
    },
    sandboxVerb({
      name: 'members add',
      endpoint: contract.addMember,
      examples: [['msgctl sandbox members add Ann ann@shop.example --permissions contacts.view,contacts.edit', 'prints her ID token']],
      arguments: [['<name>', "the person's name"], ['<email>', 'the e-mail address'], accountArgument],
      params: accountBehind(2),
      options: [
        { flags: '--permissions <names>', summary: 'what the person may do', parse: parseList, completes: permissions },
        { flags: '--role <role>', summary: 'owner or member', choices: ['owner', 'member'] },
      ],
      body: (options, [name, email], { input }) =>
        given({ name, email, permissions: options.permissions ?? input.permissions ?? [], role: options.role }),
      shown: { columns: ['member_id', 'id_token'] },
    }),
    sandboxVerb({
      name: 'channels add',
      endpoint: contract.addChannel,
      examples: [['msgctl sandbox channels add chatapp +14155550100', 'a connected number']],
      arguments: [['<channel>', 'the channel', channelNames], ['<identity>', 'a number in E.164, or an account name'], accountArgument],
      params: accountBehind(2),
      options: [{ flags: '--name <text>', summary: 'a name for it' }],
      body: ({ name }, [channel, identity]) => given({ channel, identity, name }),
      shown: { columns: ['channel_id'] },
    }),
    {
      name: 'uploads add',
      summary: contract.addUpload.summary,
      examples: [['msgctl sandbox uploads add ./prices.pdf', 'prints the storage path']],
      arguments: [['<file>', 'the file', 'file'], accountArgument],
      endpoint: contract.addUpload,
      options: [{ flags: '--filename <name>', summary: 'the name it gets; that of the file when left out' }],
      shown: { columns: ['storage_path'] },
      isSandbox: true,
      run: addUpload,
    },
    sandboxVerb({
      name: 'inbound',
      endpoint: contract.receiveInbound,
      examples: [
        ["msgctl sandbox inbound +14155550123 'Do you have a table?'", 'as if the contact had written'],
        ["msgctl sandbox inbound ada 'Hello' --channel photo_social", 'on a channel without numbers'],
      ],
      arguments: [['<from>', 'the number or the account that writes'], ['<text>', 'what it writes'], accountArgument],
      params: accountBehind(2),
      options: [
        { flags: '--channel <channel>', summary: 'the channel (chatapp unless given)', completes: channelNames },
        { flags: '--to <identity>', summary: 'the own number or account that is written to' },
        { flags: '--first-name <text>', summary: "the contact's first name" },
        { flags: '--last-name <text>', summary: "the contact's last name" },
        { flags: '--reply-to-message <id>', summary: 'the message that is answered' },
      ],
      body: (options, [from, text], { input }) =>
        given({
          from,
          text,
          channel: options.channel ?? input.channel ?? 'chatapp',
          to: options.to,
          first_name: options.firstName,
          last_name: options.lastName,
          reply_to_message_id: options.replyToMessage,
        }),
      shown: { columns: ['contact_id', 'message_id', 'session_id', 'decision.step', 'decision.agent_id', 'reply.body'] },
    }),
    sandboxVerb({
      name: 'receipt',
      endpoint: contract.reportDelivery,
      examples: [['msgctl sandbox receipt msg_1 read', 'the contact has read it']],
      arguments: [
        ['<message>', 'the id of a message'],
        ['<status>', 'delivered, read or failed', contract.receiptStatuses],
        accountArgument,
      ],
      params: accountBehind(2),
      body: (_options, [message, status]) => given({ message_id: message, status }),
      shown: { field: 'message', columns: ['id', 'status', 'contact_id', 'body'] },
    }),
    sandboxVerb({
      name: 'team-reply',
      endpoint: contract.replyAsTeam,
      examples: [["msgctl sandbox team-reply con_1 'I am Eve, how can I help?'", 'the conversation is taken over']],
      arguments: [['<contact>', 'the id of a contact'], ['<text>', 'what the person answers'], accountArgument],
      params: accountBehind(2),
      body: (_options, [contact, text]) => given({ contact_id: contact, text }),
      shown: { columns: ['message_id', 'contact_id', 'channel'] },
    }),
    pairingVerb('scan', contract.scanPairing, 'as if a phone had scanned the code'),
    pairingVerb('expire', contract.expirePairing, 'nobody scanned it in time'),
    pairingVerb('drop', contract.dropPairing, 'the phone is gone'),
    {
      name: 'events trigger',
      summary: contract.triggerEvent.summary,
      examples: [
        ["msgctl sandbox events trigger 'Task Created'", 'as if a task had been created'],
        ['msgctl sandbox events trigger Replies --data reply.json', 'with a record of your own'],
      ],
      arguments: [['<name>', 'the name of an event, in any case', eventNames], accountArgument],
      options: [{ flags: '--data <file>', summary: 'the record as JSON or YAML; `-` reads stdin', completes: 'file' }],
      endpoint: contract.triggerEvent,
      shown: { columns: ['event_id'] },
      isSandbox: true,
      run: triggerEvent,
    },
    sandboxVerb({
      name: 'deliveries list',
      endpoint: contract.listDeliveries,
      examples: [
        ['msgctl sandbox deliveries list', 'the newest, with their states'],
        ['msgctl sandbox deliveries list --webhook 1 -o ndjson', 'of one subscription, attempts included'],
      ],
      options: [
        { flags: '--account <id>', summary: 'only those of events on this account' },
        { flags: '--webhook <id>', summary: 'only those to this subscription, by id or name' },
      ],
      query: ({ account, webhook }) => given({ account_id: account, webhook_id: webhook }),
      shown: { columns: deliveryColumns },
    }),
    {
      name: 'deliveries show',
      summary: 'Show a delivery with all its attempts',
      examples: [['msgctl sandbox deliveries show dlv_1', 'what was sent, and what was answered']],
      arguments: [['<id>', 'the id of a delivery', deliveryIds]],
      endpoint: contract.listDeliveries,
      isSandbox: true,
      run: showDelivery,
    },
    sandboxVerb({
      name: 'deliveries resend',
      endpoint: contract.resendDelivery,
      examples: [['msgctl sandbox deliveries resend dlv_1', 'once more, at once']],
      arguments: [['<id>', 'the id of a delivery', deliveryIds]],
      params: ['id'],
      shown: { columns: ['delivered'] },
      exitCode: ({ delivered }) => (delivered === true ? exitCodes.done : exitCodes.failed),
    }),
    sandboxVerb({
      name: 'requests list',
      endpoint: contract.listRequests,
      examples: [['msgctl sandbox requests list --limit 20', 'the latest requests']],
      shown: { columns: ['at', 'method', 'path', 'status', 'duration_ms', 'account_id', 'key_preview'] },
    }),
    sandboxVerb({
      name: 'faults add',
      endpoint: contract.addFault,
      examples: [
        ["msgctl sandbox faults add --path '/tags*' --status 503 --times 3", 'three requests fail'],
        ['msgctl sandbox faults add --method POST --drop --rate 0.1', 'one in ten gets no answer'],
      ],
      options: [
        { flags: '--method <method>', summary: 'only requests with this method' },
        { flags: '--path <path>', summary: 'only this path under /v1; one that ends in * is a prefix' },
        { flags: '--status <code>', summary: 'answer with this status', parse: parseCount },
        { flags: '--delay-ms <count>', summary: 'wait before the answer', parse: parseCount },
        { flags: '--drop', summary: 'close the connection without an answer' },
        { flags: '--times <count>', summary: 'only so many times', parse: parseCount },
        { flags: '--rate <share>', summary: 'only this share of the requests, from 0 to 1', parse: parseNumber },
        { flags: '--seed <number>', summary: 'which requests the rate picks', parse: parseNumber },
        { flags: '--reporting-database <state>', summary: 'take the reporting database away', choices: ['down'] },
      ],
      body: faultOf,
      shown: { field: 'fault', columns: faultColumns },
    }),
    sandboxVerb({
      name: 'faults list',
      endpoint: contract.listFaults,
      examples: [['msgctl sandbox faults list', 'those in force']],
      shown: { rows: 'faults', columns: faultColumns },
    }),
    sandboxVerb({
      name: 'faults clear',
      endpoint: contract.clearFaults,
      examples: [['msgctl sandbox faults clear', 'everything works again']],
      shown: { columns: [] },
      done: () => 'No fault is in force any more.',
    }),
  ],
};
