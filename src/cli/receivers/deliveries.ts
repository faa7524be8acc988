import type { Client } from '../../client/client.ts';
import type { RowOf } from '../../contract/call.ts';
import { InterfaceError, NetworkError, UnexpectedAnswerError } from '../../client/errors.ts';
import { listDeliveries } from '../../contract/areas/sandbox/deliveries.ts';
import { iso } from '../../contract/time/instants.ts';
import { sum } from '../../contract/sum.ts';
import type { Receiver } from './health.ts';

// Only a sandbox lists deliveries. Without one, this information is omitted.

type Attempt = RowOf<typeof listDeliveries>['attempts'][number];

/** The delivery attempts of one hour. */
interface Hour {
  /** The start of the hour. */
  readonly at: string;
  readonly delivered: number;
  readonly failed: number;
}

/** The delivery attempts of the last 24 hours. */
export interface Day {
  readonly delivered: number;
  readonly failed: number;
  /** Oldest first. */
  readonly hours: readonly Hour[];
  /** Whether all deliveries of the day were read; if not, the earlier hours are incomplete. */
  readonly is_complete: boolean;
}

const hour = 3_600_000;
const hoursOfDay = 24;

/** Maximum time from the first to the last attempt of a delivery, in milliseconds. */
const retrySpan = 2 * hour;

/** Maximum number of deliveries to read. */
const maxDeliveries = 1_000;

/**
 * The delivery attempts of the last 24 hours to the receivers of an account.
 * @param now the time of the service's clock, in epoch milliseconds
 * @returns null if the sandbox does not provide them
 */
export async function readDay(sandbox: Client, accountId: string, now: number): Promise<Day | null> {
  const since = now - hoursOfDay * hour;
  const counts = Array.from({ length: hoursOfDay }, () => ({ delivered: 0, failed: 0 }));
  const count = ({ at, failure_type: failure }: Attempt) => {
    const ofHour = counts[Math.min(Math.floor((Date.parse(at) - since) / hour), hoursOfDay - 1)];
    if (ofHour) ofHour[failure === null ? 'delivered' : 'failed']++;
  };
  let isComplete = true;
  try {
    for await (const { rows, next_cursor } of deliveriesOf(sandbox, { account_id: accountId })) {
      const own = rows.filter((delivery) => delivery.webhook_account_id === accountId);
      own.flatMap(({ attempts }) => attempts).forEach(count);
      isComplete = next_cursor === null;
      // A delivery without attempts is new. If a delivery is older than this, even its retries were before the last 24 hours.
      const [oldest] = rows.at(-1)?.attempts ?? [];
      if (oldest && Date.parse(oldest.at) < since - retrySpan) {
        isComplete = true;
        break;
      }
    }
  } catch (error) {
    if (isSilence(error)) return null;
    throw error;
  }
  const hours = counts.map((count, index) => ({ at: iso(since + index * hour), ...count }));
  return {
    delivered: sum(counts.map(({ delivered }) => delivered)),
    failed: sum(counts.map(({ failed }) => failed)),
    hours,
    is_complete: isComplete,
  };
}

function deliveriesOf(sandbox: Client, query: { account_id: string; webhook_id?: string }, limit = maxDeliveries) {
  return sandbox.pages(listDeliveries, { query }, limit);
}

/**
 * The receiver's response to the last failed attempt.
 * @returns null if the sandbox does not provide it
 */
export async function readLastAnswer(sandbox: Client, accountId: string, { webhook, health }: Receiver): Promise<string | null> {
  try {
    for await (const { rows } of deliveriesOf(sandbox, { account_id: accountId, webhook_id: webhook.id }, 100)) {
      const own = rows.filter((delivery) => delivery.webhook_account_id === accountId);
      const attempt = own.flatMap(({ attempts }) => attempts).find(({ at }) => at === health?.last_failure?.at);
      if (attempt) return attempt.response_body;
    }
    return null;
  } catch (error) {
    if (isSilence(error)) return null;
    throw error;
  }
}

function isSilence(error: unknown): boolean {
  return error instanceof InterfaceError || error instanceof NetworkError || error instanceof UnexpectedAnswerError;
}
