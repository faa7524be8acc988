import type { Db } from '../../../store/database.ts';
import { newId } from '../../../store/ids.ts';
import { insertMany } from '../../../store/insert.ts';
import type { NewRow } from '../../../store/table.ts';
import { deliveryHeaders } from '../../webhooks/deliveries.ts';
import { type HealthAttempt, HealthRecords } from '../../webhooks/health.ts';
import { outcomeOfAnswer } from '../../webhooks/outcome.ts';
import { nextAttemptAt } from '../../webhooks/rules.ts';
import type { Webhook } from '../../webhooks/subscriptions.ts';
import { deliveries, deliveryAttempts, events, webhooks } from '../../webhooks/table.ts';
import type { webhook as subscription } from './names.ts';
import type { Notice } from './conversation-draft.ts';

type EventName = (typeof subscription.events)[number];

/** Collects the deliveries of a part of a history. They have ended: no jobs are queued, and nothing is sent. */
export class HistoryDeliveries {
  readonly #accountId: string;
  readonly #webhook: Webhook;
  readonly #events: NewRow<typeof events>[] = [];
  readonly #deliveries: NewRow<typeof deliveries>[] = [];
  readonly #attempts: NewRow<typeof deliveryAttempts>[] = [];
  readonly #health: HealthAttempt[] = [];

  constructor(accountId: string, webhook: Webhook) {
    this.#accountId = accountId;
    this.#webhook = webhook;
  }

  get size(): number {
    return this.#deliveries.length;
  }

  /** Adds the delivery of an event, with attempts at the times of the schedule. @param data as in the payload */
  add(name: EventName, { at, answers }: Notice, data: object): void {
    const [eventId, id] = [newId('evt'), newId('dlv')];
    this.#events.push({ id: eventId, account_id: this.#accountId, name, data: JSON.stringify(data), occurred_at: at });
    let due = at;
    for (const [index, status] of answers.entries()) {
      const outcome = outcomeOfAnswer(status, '');
      const next = nextAttemptAt(outcome, true, at, index + 1);
      this.#attempts.push({
        delivery_id: id,
        attempt: index + 1,
        at: due,
        request_headers: deliveryHeaders(id, index + 1, name),
        status_code: status,
        failure_type: outcome.failureType,
        duration_ms: 40 + ((at + index * 7) % 160),
        response_body: '',
      });
      this.#health.push({ deliveryId: id, event: name, number: index + 1, outcome, at: due, isLast: next === null });
      due = next ?? due;
    }
    this.#deliveries.push({
      id,
      event_id: eventId,
      event: name,
      occurred_at: at,
      account_id: this.#accountId,
      webhook_account_id: this.#accountId,
      webhook_id: this.#webhook.id,
      state: answers.at(-1) === 200 ? 'delivered' : 'failed',
      first_attempt_at: at,
      scheduled_attempts: answers.length,
    });
  }

  /** Writes the deliveries, unless their subscription was deleted since the history began. */
  async save(db: Db): Promise<void> {
    const { id, account_id: accountId, receiver } = this.#webhook;
    if (this.#health.length === 0 || !(await webhooks.existing(db, accountId, [id])).has(id)) return;
    await insertMany(db, events, this.#events);
    await insertMany(db, deliveries, this.#deliveries);
    await insertMany(db, deliveryAttempts, this.#attempts);
    const health = await HealthRecords.load(db, [{ accountId, webhook: { id, accountId, receiver } }]);
    for (const attempt of this.#health.toSorted((a, b) => a.at - b.at)) health.add(accountId, { id, accountId, receiver }, attempt);
    await health.save(db);
  }
}
