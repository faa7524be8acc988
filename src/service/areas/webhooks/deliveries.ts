import { setTimeout as sleep } from 'node:timers/promises';
import { deliveryHeaders, signatureHeaders } from '../../../contract/deliveries/headers.ts';
import { iso } from '../../../contract/time/instants.ts';
import { readNow } from '../../clock/state.ts';
import type { Failpoint } from '../../drills/failpoint.ts';
import { ApiError, notFound } from '../../errors.ts';
import { type SharedFinish, sharedFinish } from '../../jobs/job.ts';
import { enqueue, type NewJob } from '../../jobs/queue.ts';
import type { Meters } from '../../metrics/meters.ts';
import type { Outbound } from '../../network/outbound.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { isMissingReference, type Store } from '../../store/store.ts';
import { AttemptNumbers } from './attempt-numbers.ts';
import {
  type Attempt,
  type Delivery,
  type DeliveryWebhook,
  type DeliveryRow,
  findDeliveries,
  findDelivery,
  insertAttempts,
  updateDeliveries,
} from './delivery-records.ts';
import { type AccountFailure, logFailures } from '../notices/log-failures.ts';
import { notify } from '../notices/notify.ts';
import { deliveryJob } from './queueing.ts';
import { HealthRecords } from './health.ts';
import { type DisabledReceiver, noteDisabled } from './interruptions.ts';
import { codeOf, type DeliveryOutcome, outcomeOfAnswer, outcomeOfError } from './outcome.ts';
import { countEnded } from './replays.ts';
import { nextAttemptAt } from './rules.ts';
import type { Webhook } from './subscriptions.ts';

/** The maximum number of bytes of a receiver's answer that are read, and that are kept. */
const readAtMost = 16 * 1024;
const keptAtMost = 1024;

/** The account on which an event happened, as every payload shows it (rule webhooks.39). */
interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
}

/** Called in the transaction that records an attempt. */
type OnRecorded = (db: Db, outcome: DeliveryOutcome) => Promise<void>;

/**
 * After a delivery was leased, before it is sent; after it was sent, before its outcome is written. After a part of a replay was sent,
 * before its outcomes are written.
 */
export const deliveryFailpoints = ['delivery.leased', 'delivery.sent', 'replay.sent'] as const;

declare module '../../drills/failpoint.ts' {
  interface FailpointNames {
    deliveries: (typeof deliveryFailpoints)[number];
  }
}

declare module '../../parts.ts' {
  interface Parts {
    readonly deliveries: Deliveries;
  }
}

/** The parts of the machinery that deliveries use. */
interface DeliveryParts {
  readonly store: Store;
  readonly realNow: () => number;
  readonly failpoint: Failpoint;
  readonly outbound: Outbound;
  readonly meters?: Meters | undefined;
}

/** The pause after each attempt of a replay, in milliseconds of real time: 20 a second (rule webhooks.127). */
const replayInterval = 50;

/** The number of attempts of a replay whose outcomes are written together. */
const replayedAtOnce = 20;

/** Sends deliveries: scheduled ones, tests, resends, and replays. */
export class Deliveries {
  readonly #parts: DeliveryParts;
  readonly #numbers = new AttemptNumbers();

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /**
   * Makes the next scheduled attempt of a delivery. The subscription is read again. If it is off, not in the plan, disabled or
   * deleted, the delivery is dropped. The outcome is written in the transaction that ends the job. After a crash, an unfinished
   * attempt is repeated with the same number.
   */
  async run(id: string): Promise<SharedFinish | undefined> {
    const { failpoint } = this.#parts;
    const { delivery, now } = await this.#find(id);
    if (delivery?.state !== 'queued') return undefined;
    const { webhook } = delivery;
    if (!webhook || !delivers(webhook, delivery.accountId)) return sharedFinish(recordRuns, { delivery, made: undefined });
    failpoint('delivery.leased');
    const attempt = await this.#attempt(webhook, delivery, now);
    failpoint('delivery.sent');
    // A failure is told to the account of the subscription, which can be the agency.
    const told = attempt.outcome.delivered ? [] : [webhook.accountId];
    return sharedFinish(recordRuns, { delivery, made: { webhook, attempt } }, told);
  }

  /**
   * Makes the next attempts of a replay, one every `replayInterval` of real time, and drops what no longer is delivered.
   * @returns the runs, for `recordRuns`
   */
  async runReplay(ids: readonly string[]): Promise<Run[]> {
    const sent: Promise<Run>[] = [];
    const dropped: Run[] = [];
    let pause = Promise.resolve();
    for (const id of ids) {
      const { delivery, now } = await this.#find(id);
      if (delivery?.state !== 'queued') continue;
      const { webhook } = delivery;
      if (!webhook || !delivers(webhook, delivery.accountId)) {
        dropped.push({ delivery, made: undefined });
        continue;
      }
      await pause;
      pause = sleep(replayInterval);
      sent.push(this.#attempt(webhook, delivery, now).then((attempt) => ({ delivery, made: { webhook, attempt } })));
      if (sent.length === replayedAtOnce) break;
    }
    const made = await Promise.all(sent);
    await pause;
    this.#parts.failpoint('replay.sent');
    return [...dropped, ...made];
  }

  /** Sends a test delivery immediately. It is not recorded (rules webhooks.88, webhooks.90). */
  async test(webhook: Webhook, event: string, data: object, user: User, now: number): Promise<DeliveryOutcome> {
    const body = JSON.stringify({ event, event_id: newId('evt'), occurred_at: iso(now), user, data, test: true });
    const { outcome } = await this.#send(webhook.url, webhook.signing_secret, { id: newId('dlv'), attempt: 1, event, body }, now);
    return outcome;
  }

  /**
   * Makes an additional attempt of a delivery immediately, outside of its schedule. It does not affect the receiver's health.
   * @throws ApiError 404 when there is no such delivery, 409 when its subscription was deleted
   */
  async resend(id: string): Promise<DeliveryOutcome> {
    const { delivery, now } = await this.#find(id);
    if (!delivery) throw notFound('delivery');
    return await this.#attemptAgain(delivery, now);
  }

  /**
   * Makes an additional attempt of a delivery of a subscription that has ended, as `resend`.
   * @throws ApiError 404 when the subscription has no such delivery, 409 while it is queued
   */
  async resendOf(webhookId: string, id: string, onRecorded: OnRecorded): Promise<DeliveryOutcome> {
    const { delivery, now } = await this.#find(id);
    if (delivery?.webhookId !== webhookId) throw notFound('delivery');
    if (delivery.state === 'queued') throw new ApiError(409, 'The delivery is queued: it is attempted without a resend');
    return await this.#attemptAgain(delivery, now, onRecorded);
  }

  async #attemptAgain(delivery: Delivery, now: number, onRecorded?: OnRecorded): Promise<DeliveryOutcome> {
    const { id, lastAttempt, webhook } = delivery;
    if (!webhook) throw new ApiError(409, 'The subscription of this delivery was deleted');
    return await this.#numbers.next(id, lastAttempt, async (number) => {
      const attempt = await this.#attemptNumber(webhook, delivery, number, now);
      await this.#recordResend(delivery, attempt, onRecorded);
      return attempt.outcome;
    });
  }

  async #recordResend({ id, accountId }: Delivery, attempt: Attempt, onRecorded?: OnRecorded): Promise<void> {
    await this.#parts.store
      .write(
        async (db) => {
          await insertAttempts(db, [{ deliveryId: id, attempt }]);
          await onRecorded?.(db, attempt.outcome);
          const row = (await findDeliveries(db, [id])).get(id);
          if (!row || !attempt.outcome.delivered) return;
          await updateDeliveries(db, [{ ...row, state: 'delivered', next_attempt_at: null }]);
          if (row.state === 'queued') await countEnded(db, [{ ...row, state: 'delivered' }]);
        },
        { accounts: [accountId] },
      )
      .catch((error: unknown) => {
        // The delivery was deleted in the meantime, along with its account or by trimming.
        throw isMissingReference(error) ? notFound('delivery') : error;
      });
  }

  /** Reads the current state of a delivery, and the service's clock. */
  async #find(id: string): Promise<{ delivery: Delivery | undefined; now: number }> {
    const { store, realNow } = this.#parts;
    return await store.read(async (db) => ({ delivery: await findDelivery(db, id), now: await readNow(db, realNow()) }));
  }

  async #attempt(webhook: DeliveryWebhook, delivery: Delivery, now: number): Promise<Attempt> {
    return await this.#numbers.next(delivery.id, delivery.lastAttempt, (number) => this.#attemptNumber(webhook, delivery, number, now));
  }

  async #attemptNumber(webhook: DeliveryWebhook, { id, event, body }: Delivery, number: number, now: number): Promise<Attempt> {
    return await this.#send(webhook.url, webhook.secret, { id, attempt: number, event, body }, now);
  }

  async #send(
    url: string,
    secret: string | null,
    { id, attempt, event, body }: { id: string; attempt: number; event: string; body: string },
    now: number,
  ): Promise<Attempt> {
    const headers = { ...deliveryHeaders(id, attempt, event), ...signatureHeaders(secret, now, body) };
    const { outbound, meters } = this.#parts;
    const started = performance.now();
    const request = { method: 'POST', url, headers, body, most: readAtMost, signal: AbortSignal.timeout(outbound.timeout) } as const;
    const outcome = await outbound.send(request).then(
      (answer) => outcomeOfAnswer(answer.status, beginningOf(answer.bytes)),
      (error: Error) => outcomeOfError(error),
    );
    meters?.deliveryAttempt(outcome.failureType ?? 'delivered');
    return { number: attempt, at: now, headers, durationMs: Math.round(performance.now() - started), outcome };
  }
}

/** The first kilobyte of an answer, as text. */
function beginningOf(bytes: Buffer): string {
  // Drops a character that was cut in two.
  const text = new TextDecoder().decode(bytes.subarray(0, keptAtMost), { stream: true });
  // PostgreSQL cannot store the NUL character.
  return text.replaceAll('\0', '\uFFFD');
}

/**
 * Whether a subscription currently delivers events of an account: it is on, in the plan, not disabled, and applies to the
 * account.
 */
function delivers(webhook: DeliveryWebhook, accountId: string): boolean {
  if (!webhook.enabled || !webhook.isIncluded || webhook.isAutoDisabled) return false;
  return webhook.accountId === accountId || webhook.appliesToSubAccounts;
}

/** The result of a scheduled run of a delivery. Without an attempt, the delivery is dropped. */
export interface Run {
  readonly delivery: Delivery;
  readonly made: { readonly webhook: DeliveryWebhook; readonly attempt: Attempt } | undefined;
}

/**
 * Stores the outcomes of scheduled runs: the attempts, the states of the deliveries, their retries, and the health of the
 * receivers.
 */
export async function recordRuns(db: Db, runs: readonly Run[]): Promise<void> {
  const made = runs.flatMap(({ delivery, made: each }) => (each ? [{ delivery, ...each }] : []));
  await insertAttempts(
    db,
    made.map(({ delivery, attempt }) => ({ deliveryId: delivery.id, attempt })),
  );
  const [stored, health] = await Promise.all([
    findDeliveries(
      db,
      runs.map(({ delivery }) => delivery.id),
    ),
    HealthRecords.load(
      db,
      made.map(({ delivery, webhook }) => ({ accountId: delivery.accountId, webhook })),
    ),
  ]);
  const changed: DeliveryRow[] = [];
  const retries: NewJob[] = [];
  const failures: AccountFailure[] = [];
  const disabled: DisabledReceiver[] = [];
  for (const { delivery, made: each } of runs) {
    const row = stored.get(delivery.id);
    // A resend that succeeded in the meantime ended the schedule (rule sandbox.74).
    if (row?.state !== 'queued') continue;
    if (!each) {
      changed.push({ ...row, state: 'dropped', next_attempt_at: null });
      continue;
    }
    const { webhook, attempt } = each;
    const { outcome, at } = attempt;
    const firstAt = row.first_attempt_at ?? at;
    const scheduled = row.scheduled_attempts + 1;
    const next = nextAttemptAt(outcome, webhook.retriesEnabled, firstAt, scheduled);
    const state = outcome.delivered ? 'delivered' : next === null ? 'failed' : 'queued';
    changed.push({ ...row, state, first_attempt_at: firstAt, scheduled_attempts: scheduled, next_attempt_at: next });
    const added = { deliveryId: delivery.id, event: delivery.event, number: attempt.number, outcome, at, isLast: next === null };
    const isDisabled = health.add(delivery.accountId, webhook, added);
    const entity = { type: 'webhook', id: webhook.id } as const;
    if (state === 'failed') failures.push({ accountId: webhook.accountId, source: 'delivery', code: codeOf(outcome), entity, at });
    if (isDisabled) disabled.push({ webhook, accountId: delivery.accountId, at });
    const to = { ownerId: webhook.accountId, receiver: webhook.receiver };
    // The attempts of a replayed delivery are made by its replay.
    if (next !== null && row.replay_id === null) retries.push(deliveryJob(delivery.id, delivery.accountId, to, next));
  }
  await updateDeliveries(db, changed);
  await countEnded(db, changed);
  await enqueue(db, ...retries);
  await noteDisabled(db, disabled);
  await health.save(db);
  await logFailures(db, failures);
  await notify(
    db,
    disabled.map(({ webhook, at }) => ({
      ...disabledNotice,
      accountId: webhook.accountId,
      entity: { type: 'webhook', id: webhook.id },
      at,
    })),
  );
}

/** What an account is told of a receiver that was disabled. */
export const disabledNotice = {
  kind: 'webhook_disabled',
  title: 'A webhook was disabled',
  text: 'Too many deliveries in a row failed, so deliveries to this receiver are paused. Repair the receiver, then enable it again.',
} as const;
