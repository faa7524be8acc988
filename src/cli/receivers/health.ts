import type { Client } from '../../client/client.ts';
import { InterfaceError } from '../../client/errors.ts';
import type { Answer } from '../../contract/endpoint.ts';
import { getWebhookHealth, listWebhooks } from '../../contract/areas/webhooks/endpoints.ts';
import { limits } from '../../contract/limits.ts';
import { inParallel } from '../../contract/in-parallel.ts';
import { counted, digits } from '../../contract/text/counted.ts';
import type { Session } from '../verb/noun.ts';
import { Progress } from '../output/progress.ts';
import type { ResultRow } from '../output/result.ts';

/** A webhook as the API returns it. */
export type Webhook = Answer<typeof listWebhooks>['webhooks'][number];
type HealthAnswer = Answer<typeof getWebhookHealth>;
export type Health = HealthAnswer['health'];
type PausedAccount = NonNullable<HealthAnswer['paused_accounts']>[number];

/**
 * The states of a receiver, worst first. `paused` means that deliveries of sub-accounts are paused; `unproven` that nothing was
 * delivered since the last failure.
 */
export const receiverStates = ['disabled', 'paused', 'failing', 'retrying', 'unproven', 'off', 'ok', 'idle'] as const;

export type ReceiverState = (typeof receiverStates)[number];

/** A webhook and the health of its receiver. */
export interface Receiver {
  readonly webhook: Webhook;
  readonly health: Health;
  /** The number of sub-accounts whose deliveries to it are paused. */
  readonly pausedCount: number;
  /** Some of these, with the time since when. Empty in a list of all webhooks (see `withPaused`). */
  readonly paused: readonly PausedAccount[];
  /** How many events it missed since it was last off or disabled, and since when; 0 where the service does not tell. */
  readonly missed: number;
  readonly missedSince: string | null;
}

/** The health of a receiver for output. */
export interface HealthRow {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly state: ReceiverState;
  /** The percentage of deliveries that succeeded. One that is being retried counts as failed; null before one has ended. */
  readonly success_rate: number | null;
  readonly consecutive_failures: number;
  readonly total_failures: number;
  readonly total_successes: number;
  readonly last_failure: string | null;
  /** The time of the last failure, and of the last success. */
  readonly failed_at: string | null;
  readonly succeeded_at: string | null;
  readonly next_attempt_at: string | null;
  readonly disabled_at: string | null;
  readonly disabled_reason: string | null;
  readonly paused_count: number;
  /** The sub-accounts whose deliveries are paused, with the time since when. */
  readonly paused_accounts: readonly string[];
  readonly missed: number;
  readonly missed_since: string | null;
}

/** The columns of the health of receivers. */
export const healthColumns = [
  'id',
  'name',
  'state',
  'success_rate',
  'consecutive_failures',
  'last_failure',
  'failed_at',
  'succeeded_at',
  'url',
  'next_attempt_at',
  'total_failures',
  'total_successes',
  'disabled_at',
  'disabled_reason',
  'paused_count',
  'paused_accounts',
  'missed',
  'missed_since',
] as const satisfies readonly (keyof HealthRow)[];

/** The words for the state of a receiver in conditions. Deliveries that are paused on sub-accounts are disabled too. */
const words = Object.fromEntries(
  receiverStates.map((word) => [word, ({ state }: ResultRow) => state === word || (word === 'disabled' && state === 'paused')]),
);

/** What conditions on receivers can be besides the fields of their health. */
export const healthConditions = { words, shortFields: { success: 'success_rate', failures: 'consecutive_failures' } };

/** The word for a webhook in a path. Its position shifts when another one is deleted, and a name of digits is a position. */
export function addressOf({ id, name }: Pick<Webhook, 'id' | 'name'>): string {
  return /^\d+$/.test(name) ? id : name;
}

/** Maximum number of concurrent requests to a service that does not list the health. */
const requestsAtOnce = 2;

/** Reads all webhooks with the health of their receivers: in one request, or one by one on a service that does not list it. */
export async function readReceivers({ targets, world, globals }: Session): Promise<Receiver[]> {
  const client = await targets.client();
  const { webhooks } = await client.call(listWebhooks, { query: { include: 'health' } });
  if (webhooks.every(({ health }) => health !== undefined))
    return webhooks.map(({ health = null, paused_count, missed, missed_since, ...webhook }) =>
      receiverOf(webhook, { health, paused_count, missed, missed_since }),
    );
  const progress = new Progress(world, globals.quiet);
  let read = 0;
  try {
    const receivers = await inParallel(webhooks, requestsAtOnce, async (webhook) => {
      const receiver = await readUnlessGone(client, webhook);
      progress.show(++read / webhooks.length, `${digits(read)} of ${counted(webhooks.length, 'receiver')}`);
      return receiver;
    });
    return receivers.flat();
  } finally {
    progress.clear();
  }
}

/** Webhooks that were deleted in the meantime are left out. */
async function readUnlessGone(client: Client, webhook: Webhook): Promise<Receiver[]> {
  try {
    return [await readReceiver(client, webhook)];
  } catch (error) {
    if (error instanceof InterfaceError && error.status === 404) return [];
    throw error;
  }
}

/** Reads the health of one receiver. */
export async function readReceiver(client: Client, webhook: Webhook): Promise<Receiver> {
  const answer = await client.call(getWebhookHealth, { params: { webhookId: addressOf(webhook) } });
  return receiverOf(webhook, answer);
}

/** The health of a receiver, from the answer about it. */
export function receiverOf(webhook: Webhook, answer: Omit<HealthAnswer, 'webhook_id' | 'url'>): Receiver {
  const { health, paused_count: pausedCount = 0, paused_accounts: paused = [], missed = 0, missed_since: missedSince = null } = answer;
  return { webhook, health, pausedCount, paused, missed, missedSince };
}

/** The number of receivers of a list whose paused sub-accounts are named, because each takes a request. The others are counted. */
const namedPaused = 20;

/** Adds the sub-accounts whose deliveries are paused to receivers of a list. */
export async function withPaused(client: Client, receivers: readonly Receiver[]): Promise<Receiver[]> {
  const unnamed = receivers.filter(({ pausedCount, paused }) => pausedCount > 0 && paused.length === 0);
  const asked = new Set(unnamed.slice(0, namedPaused));
  return await inParallel(receivers, requestsAtOnce, async (receiver) => {
    if (!asked.has(receiver)) return receiver;
    const [found] = await readUnlessGone(client, receiver.webhook);
    return found ?? receiver;
  });
}

/** The overall state: whether events reach the receiver. */
export function stateOf({ webhook: { enabled }, health, pausedCount }: Receiver): ReceiverState {
  if (health?.is_disabled) return 'disabled';
  if (!enabled) return 'off';
  if (pausedCount > 0) return 'paused';
  if (health === null) return 'idle';
  const { last_failure: last, last_success_at: succeeded, consecutive_failures: failures } = health;
  if (last?.next_attempt_at) return 'retrying';
  if (failures > 0) return 'failing';
  const isProven = !last || (succeeded !== null && Date.parse(succeeded) >= Date.parse(last.at));
  return isProven ? 'ok' : 'unproven';
}

/** Whether the state needs attention. A webhook that was turned off does not, because that was intended. */
export function isUnhealthy(state: ReceiverState): boolean {
  return state === 'disabled' || state === 'paused' || state === 'failing' || state === 'retrying';
}

/** A receiver as a row of a table, with the share of its deliveries that succeeded, in percent. */
export function healthRow(receiver: Receiver): HealthRow {
  const { webhook, health, pausedCount } = receiver;
  const last = health?.last_failure;
  const ended = (health?.total_successes ?? 0) + (health?.total_failures ?? 0);
  // A delivery that is being retried has not succeeded: beside it, no receiver has 100 %.
  const total = ended + (last?.next_attempt_at ? 1 : 0);
  return {
    id: webhook.id,
    name: webhook.name,
    url: webhook.url,
    state: stateOf(receiver),
    success_rate: health && ended > 0 ? Math.floor((health.total_successes / total) * 10_000) / 100 : null,
    consecutive_failures: health?.consecutive_failures ?? 0,
    total_failures: health?.total_failures ?? 0,
    total_successes: health?.total_successes ?? 0,
    last_failure: last ? `${last.failure_type}: ${last.error_message}` : null,
    failed_at: last?.at ?? null,
    succeeded_at: health?.last_success_at ?? null,
    next_attempt_at: last?.next_attempt_at ?? null,
    disabled_at: health?.disabled_at ?? null,
    disabled_reason: health?.disabled_reason ?? null,
    paused_count: pausedCount,
    paused_accounts: pausedNames(receiver),
    missed: receiver.missed,
    missed_since: receiver.missedSince,
  };
}

/** How many events were missed and since when, as the beginning of a sentence: `12 events missed since …`. */
export function missedText({ missed, missedSince }: Receiver): string {
  return `${missed >= limits.missedEvents ? 'At least ' : ''}${counted(missed, 'event')} missed since ${missedSince}`;
}

/** The sub-accounts whose deliveries to a receiver are paused, with the time since when. */
export function pausedNames({ paused, pausedCount }: Receiver): string[] {
  const names = paused.map(({ name, disabled_at: at }) => `${name} (since ${at})`);
  return pausedCount > names.length && names.length > 0 ? [...names, `${digits(pausedCount - names.length)} more`] : names;
}

/** Sorts rows by state, worst first, and then by success rate. */
export function worstFirst(rows: readonly HealthRow[]): HealthRow[] {
  return rows.toSorted(
    (a, b) => receiverStates.indexOf(a.state) - receiverStates.indexOf(b.state) || (a.success_rate ?? 100) - (b.success_rate ?? 100),
  );
}
