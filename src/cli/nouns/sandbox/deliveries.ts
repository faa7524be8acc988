import { definedFields } from '../../../contract/defined-fields.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import * as contract from '../../../contract/areas/sandbox/deliveries.ts';
import { eventNames, findEventName } from '../../../contract/areas/webhooks/event-names.ts';
import { lookup } from '../../verb/lookup.ts';
import { sandboxVerb } from '../../verb/call-verb.ts';
import { mergeInput, readInput } from '../../verb/input.ts';
import type { Options, Session, Verb } from '../../verb/noun.ts';
import { unknownChoiceError } from '../../did-you-mean.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { showsColumn } from '../../global-options.ts';
import { mapRows, type Result } from '../../output/result.ts';
import { subAccountLookup } from '../../lookups/accounts.ts';
import { deliveryText, outcomeOf } from '../../receivers/delivery-text.ts';
import { accountArgument, requireAccountId } from '../../lookups/sandbox-account.ts';
import { shellWord } from '../../output/shell-word.ts';

const ids = lookup(contract.listDeliveries, 'deliveries', 'event');

const idArgument = { param: 'id', summary: 'the id of a delivery', completes: ids } as const;

async function triggerEvent(session: Session, [named = '', account]: readonly string[], options: Options): Promise<Result> {
  const client = await session.targets.sandboxClient();
  const event = findEventName(named);
  if (!event) throw unknownChoiceError('event', named, eventNames);
  const file = options.data as string | undefined;
  const data = file === undefined ? undefined : await readInput(file, undefined, () => session.readStdin(), session.notes);
  const body = mergeInput(session.input, definedFields({ event, data })) as { event: typeof event };
  const answer = await client.call(contract.triggerEvent, { params: { id: await requireAccountId(account, session) }, body });
  return { kind: 'record', answer, record: answer };
}

type Delivery = Answer<typeof contract.listDeliveries>['deliveries'][number];

async function showDelivery({ targets }: Session, [id = '']: readonly string[]): Promise<Result> {
  const client = await targets.sandboxClient();
  for await (const { rows } of client.pages(contract.listDeliveries, {})) {
    const delivery = rows.find((row) => row.id === id);
    if (delivery) return { kind: 'document', document: { delivery }, text: deliveryText(delivery, delivery.attempts[0]?.request_body) };
  }
  throw new CliError(exitCodes.notFound, 'not_found', `There is no delivery '${id}'`);
}

async function resendDelivery({ targets, notes }: Session, [id = '']: readonly string[]): Promise<Result> {
  const client = await targets.sandboxClient();
  const answer = await client.call(contract.resendDelivery, { params: { id } });
  if (!answer.delivered)
    notes.say(`The receiver rejected the delivery: \`msgctl sandbox deliveries show ${shellWord(id)}\` shows the attempt.`);
  return { kind: 'record', answer, record: answer, exitCode: answer.delivered ? exitCodes.done : exitCodes.failed };
}

/** The table columns for the last attempt. */
const ofLastAttempt = ['last_attempt_at', 'answer', 'attempt_count'] as const;

/** Makes a list of deliveries show the result of the last attempt in tables. Other formats show all attempts. */
function withLastAttempt(verb: Verb): Verb {
  const columns = ['event', 'webhook_id', 'state', 'answer', 'id', 'last_attempt_at', 'attempt_count', 'next_attempt_at'];
  return {
    ...verb,
    shown: verb.shown && { ...verb.shown, table: columns },
    run: async (session, values, options) => {
      const result = await verb.run(session, values, options);
      const isShown = ofLastAttempt.some((column) => showsColumn(session.globals, column));
      if (!isShown || result.kind !== 'list') return result;
      return { ...result, pages: mapRows(result.pages, (row) => ({ ...row, ...lastAttemptOf(row as unknown as Delivery) })) };
    },
  };
}

function lastAttemptOf({ attempts }: Delivery): Record<(typeof ofLastAttempt)[number], unknown> {
  const last = attempts.at(-1);
  return { last_attempt_at: last?.at ?? null, answer: last ? outcomeOf(last) : null, attempt_count: attempts.length };
}

/** Verbs for webhook events and their deliveries. */
export const deliveryVerbs: readonly Verb[] = [
  {
    name: 'events trigger',
    summary: contract.triggerEvent.summary,
    examples: [
      ["msgctl sandbox events trigger 'Task Created'", 'with a sample record'],
      ['msgctl sandbox events trigger Replies --data reply.json', 'with your own record'],
    ],
    arguments: [{ name: 'name', summary: 'the name of an event, in any case', completes: eventNames }, accountArgument],
    options: [{ flags: '--data <file>', summary: 'the record, as a JSON or YAML file; `-` is stdin', completes: 'file' }],
    endpoint: contract.triggerEvent,
    shown: { columns: ['event_id'] },
    run: triggerEvent,
  },
  withLastAttempt(
    sandboxVerb({
      name: 'deliveries list',
      endpoint: contract.listDeliveries,
      examples: [
        ['msgctl sandbox deliveries list', 'the newest deliveries with their states'],
        ['msgctl sandbox deliveries list --webhook 1 -o ndjson', 'deliveries to one webhook with every attempt'],
      ],
      fields: [
        { field: 'account_id', flag: 'account', lookup: subAccountLookup },
        { field: 'webhook_id', flag: 'webhook' },
      ],
      shown: { columns: ['id', 'event', 'state', 'webhook_id', 'account_id', 'next_attempt_at'] },
    }),
  ),
  {
    name: 'deliveries show',
    summary: 'Show a delivery with all its attempts',
    examples: [['msgctl sandbox deliveries show dlv_1', 'the request that was sent and the answers']],
    arguments: [idArgument],
    endpoint: contract.listDeliveries,
    run: showDelivery,
  },
  {
    name: 'deliveries resend',
    summary: contract.resendDelivery.summary,
    examples: [['msgctl sandbox deliveries resend dlv_1', 'attempt the delivery again now']],
    arguments: [idArgument],
    endpoint: contract.resendDelivery,
    shown: { columns: ['delivered'] },
    run: resendDelivery,
  },
];
