import { signDelivery } from '../../../contract/areas/webhooks/signature.ts';
import { type Resolve, resolveName } from '../../network/addresses.ts';
import { iso } from '../../clock/clock.ts';
import { ApiError } from '../../errors.ts';
import type { Failpoint } from '../../drills/failpoint.ts';
import { newId } from '../../identity/secrets.ts';
import { enqueue, type Job } from '../../jobs/jobs.ts';
import type { Outbound } from '../../network/outbound.ts';
import { readNow } from '../../clock/state.ts';
import type { Db, Store } from '../../store/store.ts';
import { deliveryJob } from './emit.ts';
import {
  type Attempt,
  type Delivery,
  type DeliveryWebhook,
  findDelivery,
  insertAttempt,
  recordHealth,
  updateDelivery,
  type Webhook,
  webhookExists,
} from './records.ts';
import { nextAttemptAt, type Outcome, outcomeOfAnswer, outcomeOfError } from './rules.ts';

/** How receivers are reached. */
export interface ReceiverOptions {
  /** Receivers and pages may be plain http and private addresses. */
  readonly allowPrivate: boolean;
  /** Resolves the names of receivers when they are saved, in the place of the system. */
  readonly resolve?: Resolve;
  /** How long a delivery may take, in milliseconds; 10 seconds unless given (ruling, Webhooks). */
  readonly timeout?: number;
}

/** Who an event happened to, as every payload tells (1/Delivery rules 6). */
export interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
}

interface Parts {
  readonly store: Store;
  readonly realNow: () => number;
  readonly failpoint: Failpoint;
  readonly receivers: ReceiverOptions;
}

/** Sends deliveries: those of the job runner, tests, and further attempts. */
export class Deliveries {
  readonly #parts: Parts;
  #outbound: Promise<Outbound> | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get allowPrivate(): boolean {
    return this.#parts.receivers.allowPrivate;
  }

  get resolve(): Resolve {
    return this.#parts.receivers.resolve ?? resolveName;
  }

  /**
   * Makes the next attempt of a delivery's schedule. The subscription is read anew: one that is off, disabled or gone
   * drops the delivery. What happened is written in the transaction that ends the job; an attempt that a crash cuts off
   * before is made again, with its number.
   */
  async run({ payload }: Job): Promise<((db: Db) => Promise<void>) | undefined> {
    const { failpoint } = this.#parts;
    const { delivery: id } = payload as { delivery: string };
    const { delivery, now } = await this.#find(id);
    if (delivery?.state !== 'queued') return undefined;
    const { webhook } = delivery;
    if (!webhook || !delivers(webhook, delivery.accountId))
      return (db) => updateDelivery(db, id, { state: 'dropped', next_attempt_at: null });
    failpoint('delivery.leased');
    const attempt = await this.#attempt(webhook, delivery, now);
    failpoint('delivery.sent');
    return (db) => recordAttempt(db, delivery, webhook, attempt);
  }

  /** Sends a test delivery at once, that leaves no trace (1/Webhooks rule 5). */
  async test(webhook: Webhook, event: string, data: object, user: User, now: number): Promise<Outcome> {
    const body = JSON.stringify({ event, event_id: newId('evt'), occurred_at: iso(now), user, data, test: true });
    const { outcome } = await this.#send(webhook.url, webhook.signing_secret, { id: newId('dlv'), attempt: 1, event, body }, now);
    return outcome;
  }

  /**
   * Makes a further attempt of a delivery at once, outside of its schedule and without a mark on the receiver's health.
   * @throws ApiError 404 when there is no such delivery, 409 when its subscription is gone
   */
  async resend(id: string): Promise<Outcome> {
    const { delivery, now } = await this.#find(id);
    if (!delivery) throw new ApiError(404, 'Delivery not found');
    if (!delivery.webhook) throw new ApiError(409, 'The subscription of this delivery was deleted');
    const attempt = await this.#attempt(delivery.webhook, delivery, now);
    await this.#parts.store.write(async (db) => {
      await insertAttempt(db, id, attempt);
      if (attempt.outcome.delivered) await updateDelivery(db, id, { state: 'delivered', next_attempt_at: null });
    });
    return attempt.outcome;
  }

  async close(): Promise<void> {
    await (await this.#outbound)?.close();
  }

  /** A delivery as it stands now, and the service's time. */
  async #find(id: string) {
    const { store, realNow } = this.#parts;
    return await store.read(async (db) => ({ delivery: await findDelivery(db, id), now: await readNow(db, realNow()) }));
  }

  async #attempt(webhook: DeliveryWebhook, delivery: Delivery, now: number): Promise<Attempt> {
    const { id, event, body, attempts } = delivery;
    return await this.#send(webhook.url, webhook.secret, { id, attempt: attempts + 1, event, body }, now);
  }

  async #send(
    url: string,
    secret: string | null,
    { id, attempt, event, body }: { id: string; attempt: number; event: string; body: string },
    now: number,
  ): Promise<Attempt> {
    const timestamp = Math.floor(now / 1000);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Messaging-Webhooks/1.0',
      'x-webhook-delivery': id,
      'x-webhook-attempt': String(attempt),
      'x-webhook-event': event,
      ...(secret !== null && { 'x-webhook-timestamp': String(timestamp), 'x-webhook-signature': signDelivery(secret, timestamp, body) }),
    };
    const outbound = await (this.#outbound ??= this.#openOutbound());
    const started = performance.now();
    const outcome = await outbound.post(url, headers, body).then(
      (answer) => outcomeOfAnswer(answer.status, answer.body),
      (error: Error) => outcomeOfError(error),
    );
    return { at: now, headers, durationMs: Math.round(performance.now() - started), outcome };
  }

  /** What sends is loaded with the first delivery: most commands make none. */
  async #openOutbound(): Promise<Outbound> {
    const { Outbound: Opened } = await import('../../network/outbound.ts');
    return new Opened(this.allowPrivate, this.#parts.receivers.timeout ?? 10_000);
  }
}

/** Whether a subscription delivers, as it stands now: switched on, not disabled, and for the account in question. */
function delivers(webhook: DeliveryWebhook, accountId: string): boolean {
  if (!webhook.enabled || webhook.isAutoDisabled) return false;
  return webhook.accountId === accountId || webhook.appliesToSubAccounts;
}

async function recordAttempt(db: Db, known: Delivery, webhook: DeliveryWebhook, attempt: Attempt): Promise<void> {
  const { outcome, at } = attempt;
  await insertAttempt(db, known.id, attempt);
  const firstAt = known.firstAttemptAt ?? at;
  const scheduled = known.scheduledAttempts + 1;
  const next = nextAttemptAt(outcome, webhook.retriesEnabled, firstAt, scheduled);
  await updateDelivery(db, known.id, {
    state: outcome.delivered ? 'delivered' : next === null ? 'failed' : 'queued',
    first_attempt_at: firstAt,
    scheduled_attempts: scheduled,
    next_attempt_at: next,
  });
  if (next !== null) {
    await enqueue(db, deliveryJob(known.id, known.accountId, webhook.receiver, next));
    return;
  }
  // The health of a subscription that was deleted meanwhile is gone, and stays so.
  if (await webhookExists(db, webhook.id)) await recordHealth(db, known.accountId, webhook.receiver, known.event, outcome, at);
}
