import type { Client } from '../../client/client.ts';
import { InterfaceError } from '../../client/errors.ts';
import type { Answer } from '../../contract/endpoint.ts';
import { getWebhookHealth, listWebhooks } from '../../contract/areas/webhooks/endpoints.ts';
import { inParallel } from '../../client/in-parallel.ts';

/** A webhook as the API returns it. */
export type Webhook = Answer<typeof listWebhooks>['webhooks'][number];
export type Health = Answer<typeof getWebhookHealth>['health'];

/** The states of a receiver, worst first. */
export const receiverStates = ['disabled', 'failing', 'retrying', 'off', 'ok', 'idle'] as const;

export type ReceiverState = (typeof receiverStates)[number];

/** A webhook and the health of its receiver. */
export interface Receiver {
  readonly webhook: Webhook;
  readonly health: Health;
}

/** The health of a receiver for output. */
export interface HealthRow {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly state: ReceiverState;
  /** The percentage of successful deliveries; null before the first delivery. */
  readonly success_rate: number | null;
  readonly consecutive_failures: number;
  readonly last_failure: string | null;
  /** The time of the last failure, and of the last success. */
  readonly failed_at: string | null;
  readonly succeeded_at: string | null;
  readonly next_attempt_at: string | null;
}

/** Maximum number of concurrent requests. */
const requestsAtOnce = 8;

/** Reads the health of receivers in parallel. Webhooks deleted in the meantime are left out. */
export async function readReceivers(client: Client, webhooks: readonly Webhook[]): Promise<Receiver[]> {
  const receivers = await inParallel(webhooks, requestsAtOnce, async (webhook) => {
    try {
      const { health } = await client.call(getWebhookHealth, { params: { webhookId: webhook.id } });
      return [{ webhook, health }];
    } catch (error) {
      if (error instanceof InterfaceError && error.status === 404) return [];
      throw error;
    }
  });
  return receivers.flat();
}

/** The overall state: whether events reach the receiver. */
export function stateOf({ webhook: { enabled }, health }: Receiver): ReceiverState {
  if (health?.is_disabled) return 'disabled';
  if (!enabled) return 'off';
  if (health === null) return 'idle';
  if (health.last_failure?.next_attempt_at) return 'retrying';
  return health.consecutive_failures > 0 ? 'failing' : 'ok';
}

/** Whether the state needs attention. A webhook that was turned off does not, because that was intended. */
export function isUnhealthy(state: ReceiverState): boolean {
  return state === 'disabled' || state === 'failing' || state === 'retrying';
}

/** A receiver as a row of a table, with the share of its deliveries that succeeded, in percent. */
export function healthRow(receiver: Receiver): HealthRow {
  const { webhook, health } = receiver;
  const total = (health?.total_successes ?? 0) + (health?.total_failures ?? 0);
  const last = health?.last_failure;
  return {
    id: webhook.id,
    name: webhook.name,
    url: webhook.url,
    state: stateOf(receiver),
    success_rate: health && total > 0 ? Math.floor((health.total_successes / total) * 10_000) / 100 : null,
    consecutive_failures: health?.consecutive_failures ?? 0,
    last_failure: last ? `${last.failure_type}: ${last.error_message}` : null,
    failed_at: last?.at ?? null,
    succeeded_at: health?.last_success_at ?? null,
    next_attempt_at: last?.next_attempt_at ?? null,
  };
}

/** Sorts rows by state, worst first, and then by success rate. */
export function worstFirst(rows: readonly HealthRow[]): HealthRow[] {
  return rows.toSorted(
    (a, b) => receiverStates.indexOf(a.state) - receiverStates.indexOf(b.state) || (a.success_rate ?? 100) - (b.success_rate ?? 100),
  );
}
