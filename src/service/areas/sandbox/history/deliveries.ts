import { dayLength } from '../../../../contract/time/days.ts';
import type { Db } from '../../../store/database.ts';
import { newId } from '../../../store/ids.ts';
import { insertMany } from '../../../store/insert.ts';
import type { NewRow } from '../../../store/table.ts';
import { deliveryHeaders } from '../../../../contract/deliveries/headers.ts';
import { logFailures } from '../../notices/log-failures.ts';
import { notify } from '../../notices/notify.ts';
import { disabledNotice } from '../../webhooks/deliveries.ts';
import { type HealthAttempt, HealthRecords } from '../../webhooks/health.ts';
import { isPaused, noteDisabled } from '../../webhooks/interruptions.ts';
import { codeOf, outcomeOfAnswer } from '../../webhooks/outcome.ts';
import { nextAttemptAt } from '../../webhooks/rules.ts';
import type { Webhook } from '../../webhooks/subscriptions.ts';
import { deliveries, deliveryAttempts, events, webhooks } from '../../webhooks/table.ts';
import type { Receiver } from './businesses.ts';
import type { Notice } from './conversation-draft.ts';

/** How long a receiver has been failing that fails since some days, in milliseconds. */
const failingFor = 5 * dayLength;

/** An event, with the statuses that a receiver answers which fails in the bad week. */
interface HistoryEvent extends Notice {
  readonly id: string;
  readonly name: Receiver['events'][number];
}

/** The delivery of an event, with its attempts at the times of the schedule. */
interface Delivery {
  readonly id: string;
  readonly event: HistoryEvent;
  readonly attempts: readonly HealthAttempt[];
}

/** Collects the events of a part of a history, and their deliveries. They have ended: no jobs are queued, and nothing is sent. */
export class HistoryDeliveries {
  readonly #accountId: string;
  /** The end of the history, in epoch milliseconds. */
  readonly #now: number;
  readonly #events: HistoryEvent[] = [];
  readonly #rows: NewRow<typeof events>[] = [];
  #size = 0;

  constructor(accountId: string, now: number) {
    this.#accountId = accountId;
    this.#now = now;
  }

  /** The number of deliveries that were written. */
  get size(): number {
    return this.#size;
  }

  /** Adds an event. @param data as in the payload */
  add(name: HistoryEvent['name'], { at, answers }: Notice, data: object): void {
    const id = newId('evt');
    this.#events.push({ id, name, at, answers });
    this.#rows.push({ id, account_id: this.#accountId, name, data: JSON.stringify(data), occurred_at: at });
  }

  /** Writes the events and their deliveries to some subscriptions, unless these were deleted since the history began. */
  async save(db: Db, subscriptions: readonly (readonly [Receiver, Webhook])[]): Promise<void> {
    const ids = subscriptions.map(([, { id }]) => id);
    const existing = this.#events.length === 0 ? new Set() : await webhooks.existing(db, this.#accountId, ids);
    if (existing.size === 0) return;
    await insertMany(db, events, this.#rows);
    for (const [receiver, webhook] of subscriptions) if (existing.has(webhook.id)) await this.#deliver(db, receiver, webhook);
  }

  /** Delivers the events to a receiver, which misses them from when it is disabled on. */
  async #deliver(db: Db, receiver: Receiver, webhook: Webhook): Promise<void> {
    const accountId = this.#accountId;
    const owned = { id: webhook.id, accountId, receiver: webhook.receiver };
    const planned = this.#events.map((event) => planDelivery(event, receiver, this.#now));
    const attempts = planned.flatMap((delivery) => delivery.attempts).sort((a, b) => a.at - b.at);
    const health = await HealthRecords.load(db, [{ accountId, webhook: owned }]);
    let disabledAt: number | null = null;
    const isOff = await isPaused(db, accountId, webhook.receiver);
    if (!isOff) disabledAt = attempts.find((attempt) => health.add(accountId, owned, attempt))?.at ?? null;
    const end = isOff ? -Infinity : (disabledAt ?? Infinity);
    const made = planned.filter(({ event }) => event.at <= end);
    await this.#write(db, webhook, made);
    const entity = { type: 'webhook', id: webhook.id } as const;
    if (disabledAt !== null) {
      await noteDisabled(db, [{ webhook: owned, accountId, at: disabledAt }]);
      await notify(db, [{ ...disabledNotice, accountId, entity, at: disabledAt }]);
    }
    await health.save(db);
    const failed = made.flatMap((delivery) => delivery.attempts.filter(({ isLast, outcome }) => isLast && !outcome.delivered));
    const failures = failed.map(({ outcome, at }) => ({ accountId, source: 'delivery', code: codeOf(outcome), entity, at }) as const);
    await logFailures(db, failures);
    await this.#write(
      db,
      webhook,
      planned.filter(({ event }) => event.at > end).map((delivery) => ({ ...delivery, attempts: [] })),
    );
    this.#size += made.length;
  }

  /** Writes deliveries. Those without attempts were missed. */
  async #write(db: Db, webhook: Webhook, made: readonly Delivery[]): Promise<void> {
    const rows = made.map(({ id, event, attempts }) => ({
      id,
      event_id: event.id,
      event: event.name,
      occurred_at: event.at,
      account_id: this.#accountId,
      webhook_account_id: this.#accountId,
      webhook_id: webhook.id,
      state:
        attempts.length === 0 ? ('missed' as const) : attempts.at(-1)?.outcome.delivered ? ('delivered' as const) : ('failed' as const),
      first_attempt_at: attempts[0]?.at ?? null,
      scheduled_attempts: attempts.length,
    }));
    await insertMany(db, deliveries, rows);
    const attempted = made.flatMap(({ id, event, attempts }) =>
      attempts.map(({ number, at, outcome }) => ({
        delivery_id: id,
        attempt: number,
        at,
        request_headers: deliveryHeaders(id, number, event.name),
        status_code: outcome.statusCode,
        failure_type: outcome.failureType,
        duration_ms: 40 + ((event.at + (number - 1) * 7) % 160),
        response_body: '',
      })),
    );
    await insertMany(db, deliveryAttempts, attempted);
  }
}

/** Plans the delivery of an event to a receiver. @param now the end of the history, in epoch milliseconds */
function planDelivery(event: HistoryEvent, { fails }: Receiver, now: number): Delivery {
  const isRetried = fails === 'in the bad week';
  const statuses = isRetried ? event.answers : [event.at >= now - failingFor ? 500 : 200];
  const id = newId('dlv');
  const attempts: HealthAttempt[] = [];
  let due: number | null = event.at;
  for (const [index, status] of statuses.entries()) {
    const outcome = outcomeOfAnswer(status, '');
    const at: number = due ?? event.at;
    due = nextAttemptAt(outcome, isRetried, event.at, index + 1);
    attempts.push({ deliveryId: id, event: event.name, number: index + 1, outcome, at, isLast: due === null });
  }
  return { id, event, attempts };
}
