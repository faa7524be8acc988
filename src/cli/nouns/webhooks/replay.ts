import { InterfaceError } from '../../../client/errors.ts';
import type { Client } from '../../../client/client.ts';
import type { Answer, Body } from '../../../contract/endpoint.ts';
import { getReplay, type replayedKinds, startReplay } from '../../../contract/areas/webhooks/endpoints.ts';
import { definedFields } from '../../../contract/defined-fields.ts';
import { counted, digits } from '../../../contract/text/counted.ts';
import { exitCodes, usageError } from '../../errors.ts';
import { toCliError } from '../../explain.ts';
import { localTime } from '../../output/times.ts';
import type { Result, ResultRow } from '../../output/result.ts';
import { addressOf, readReceiver, stateOf, type Webhook } from '../../receivers/health.ts';
import { inCommandTerms } from '../../verb/command-terms.ts';
import { readFields } from '../../verb/fields.ts';
import { mergeInput } from '../../verb/input.ts';
import type { FieldSpec, Options, Session } from '../../verb/noun.ts';
import { waitUntil } from '../../verb/wait.ts';
import { commandFor } from './command-line.ts';
import { isNotOffered, notOffered } from './deliveries.ts';

type Kind = (typeof replayedKinds)[number];
type Replay = Answer<typeof getReplay>['replay'];

/** How many deliveries a replay sends in a second, at most (rule webhooks.127). */
const deliveriesPerSecond = 20;

/** The columns of a dry run. */
const previewColumns = ['webhook', 'url', 'from', 'to', 'events', 'failed', 'missed', 'queued', 'seconds'] as const;

/**
 * Sends again what a webhook did not get, and waits until it has ended; with `--dry-run`, counts it. The exit code is 8 if
 * deliveries failed again.
 * @param fields the fields of the request that have options
 */
export async function replay(session: Session, webhook: Webhook, fields: readonly FieldSpec[], options: Options): Promise<Result> {
  const client = await session.targets.client();
  const { body } = await readFields(startReplay, fields, options, session);
  const which = kindOf(options);
  const request = mergeInput(session.input, definedFields({ ...body, which })) as Body<typeof startReplay>;
  try {
    if (options.dryRun) return await preview(session, client, webhook, request);
    return await sendAgain(session, client, webhook, request);
  } catch (error) {
    const inTerms = inCommandTerms(error, { endpoint: startReplay, arguments: [], fields, values: [], options });
    throw inTerms === error ? await explained(error, session, client, webhook) : inTerms;
  }
}

/** The kind that an option names. @throws CliError 2 if several are given */
function kindOf(options: Options): Kind | undefined {
  const kinds: readonly Kind[] = ['failed', 'missed', 'both'];
  const [first, second] = kinds.filter((kind) => options[kind] === true);
  if (second !== undefined) throw usageError(`--${first} and --${second} cannot be used together`, '--both, the default, replays both.');
  return first;
}

async function preview(session: Session, client: Client, webhook: Webhook, request: Body<typeof startReplay>): Promise<Result> {
  const { which = 'both', from, to = null, events = null } = request;
  const count = async (kind: Kind) => {
    if (which !== 'both' && which !== kind) return 0;
    const params = { webhookId: addressOf(webhook) };
    return (await client.call(startReplay, { params, body: { ...request, which: kind, preview: true } })).queued;
  };
  const failed = await count('failed');
  const missed = await count('missed');
  const queued = failed + missed;
  const enabling = queued > 0 ? await enablingOf(session, client, webhook) : undefined;
  if (enabling) session.notes.say(`${webhook.name} is ${enabling.state}. Before the replay: \`${enabling.command}\``);
  const { name, url } = webhook;
  const record = { webhook: name, url, from, to, events, failed, missed, queued, seconds: Math.ceil(queued / deliveriesPerSecond) };
  return { kind: 'record', answer: record, record, columns: previewColumns, text: previewText(record, session) };
}

interface Preview {
  readonly webhook: string;
  readonly url: string;
  readonly from: string;
  readonly to: string | null;
  readonly events: readonly string[] | null;
  readonly failed: number;
  readonly missed: number;
  readonly queued: number;
  readonly seconds: number;
}

function previewText({ webhook, url, from, to, events, failed, missed, queued, seconds }: Preview, { world }: Session): string {
  const shown = (at: string) => localTime(Date.parse(at), world.env.TZ || undefined);
  const period = to === null ? `since ${shown(from)}` : `from ${shown(from)} to ${shown(to)}`;
  if (queued === 0) return `Nothing to replay to ${webhook}: no delivery failed and no event was missed ${period}.\n`;
  const lines = [
    `A replay to ${webhook} would send ${counted(queued, 'delivery', 'deliveries')}:`,
    '',
    `  ${digits(failed).padStart(7)}  failed or were dropped`,
    `  ${digits(missed).padStart(7)}  were missed while it was off or disabled`,
    '',
    `  address  ${url}`,
    `  period   ${period}`,
    `  events   ${events === null ? 'all' : events.join(', ')}`,
    `  time     ${seconds < 60 ? counted(seconds, 'second') : `about ${counted(Math.ceil(seconds / 60), 'minute')}`}, at ${deliveriesPerSecond} a second`,
    '',
    'Nothing was sent.',
  ];
  return `${lines.join('\n')}\n`;
}

async function sendAgain(session: Session, client: Client, webhook: Webhook, request: Body<typeof startReplay>): Promise<Result> {
  const webhookId = addressOf(webhook);
  const { replay_id: replayId = '', queued } = await client.call(startReplay, { params: { webhookId }, body: request });
  if (queued === 0) session.notes.say(`Nothing to replay to ${webhook.name}: no delivery failed and no event was missed in this time.`);
  const ended = await waitUntil<Replay>(session, {
    read: async () => (await client.call(getReplay, { params: { webhookId, replayId } })).replay,
    isOver: ({ status }) => status === 'completed',
    describe: ({ delivered, failed, queued: all }) =>
      `${digits(delivered + failed)} of ${counted(all, 'delivery', 'deliveries')}${failed > 0 ? `, ${digits(failed)} failed` : ''}`,
    shareOf: ({ pending, queued: all }) => (all - pending) / Math.max(1, all),
    what: `the replay to ${webhook.name}`,
    look: commandFor(session, 'webhooks deliveries', webhook),
  });
  if (ended.failed > 0)
    session.notes.say([
      `${counted(ended.failed, 'delivery', 'deliveries')} failed again. To see why:`,
      commandFor(session, 'webhooks deliveries', webhook, '--failed'),
    ]);
  const { id, ...counts } = ended;
  const record: ResultRow = { replay_id: id, ...counts };
  return { kind: 'record', answer: { replay: ended }, record, exitCode: ended.failed === 0 ? exitCodes.done : exitCodes.partlyFailed };
}

/** Names the command that makes a replay possible. */
async function explained(error: unknown, session: Session, client: Client, webhook: Webhook): Promise<unknown> {
  if (isNotOffered(error))
    return notOffered(
      'replay deliveries',
      `\`${commandFor(session, 'webhooks health', webhook)}\` shows since when they fail: read what changed since then from the API.`,
    );
  if (!(error instanceof InterfaceError && error.status === 409)) return error;
  const enabling = await enablingOf(session, client, webhook);
  return enabling ? toCliError(error).with({ hint: `Once the receiver works: \`${enabling.command}\`` }) : error;
}

/** The command that a webhook needs before a replay; undefined if it gets deliveries. */
async function enablingOf(session: Session, client: Client, webhook: Webhook) {
  const state = stateOf(await readReceiver(client, webhook));
  if (state !== 'off' && state !== 'disabled') return undefined;
  return { state, command: commandFor(session, state === 'off' ? 'webhooks enable' : 'webhooks reenable', webhook) };
}
