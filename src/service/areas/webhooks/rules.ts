import type { EventName } from '../../../contract/areas/webhooks/event-names.ts';
import type { DeliveryOutcome } from './outcome.ts';

/** When retries are due, in milliseconds after the first attempt (rule webhooks.56). */
const retrySchedule = [60_000, 300_000, 1_800_000, 7_200_000];

/** The number of consecutive failed deliveries after which a receiver is disabled (rule webhooks.69). */
const failuresToDisable = 10;

/** Whether a failure is retried: 5xx, timeouts and connection failures (rules webhooks.57, webhooks.58). */
function isRetriable({ failureType }: DeliveryOutcome): boolean {
  return failureType === 'temporary' || failureType === 'timeout' || failureType === 'network';
}

/**
 * The time of the next attempt of a delivery, in epoch milliseconds.
 * @param firstAttemptAt the time of its first attempt, in epoch milliseconds
 * @param attempts the number of scheduled attempts so far, including this one
 * @returns null after the last attempt
 */
export function nextAttemptAt(outcome: DeliveryOutcome, retriesEnabled: boolean, firstAttemptAt: number, attempts: number): number | null {
  if (outcome.delivered || !retriesEnabled || !isRetriable(outcome)) return null;
  const wait = retrySchedule[attempts - 1];
  return wait === undefined ? null : firstAttemptAt + wait;
}

/** The counters of a receiver's health. */
interface HealthCounters {
  readonly consecutive_failures: number;
  readonly total_failures: number;
  readonly total_successes: number;
  readonly disabled_at: number | null;
  readonly disabled_reason: string | null;
}

export const noHealth: HealthCounters = {
  consecutive_failures: 0,
  total_failures: 0,
  total_successes: 0,
  disabled_at: null,
  disabled_reason: null,
};

/** Adds a finished delivery to the counters. Too many consecutive failures disable the receiver. */
export function countDelivery(health: HealthCounters, outcome: DeliveryOutcome, now: number): HealthCounters {
  if (outcome.delivered) return { ...health, consecutive_failures: 0, total_successes: health.total_successes + 1 };
  const consecutive = health.consecutive_failures + 1;
  const isDisabledNow = health.disabled_at === null && consecutive >= failuresToDisable;
  return {
    ...health,
    consecutive_failures: consecutive,
    total_failures: health.total_failures + 1,
    ...(isDisabledNow && {
      disabled_at: now,
      disabled_reason: `${consecutive} deliveries in a row failed; the last: ${outcome.errorMessage} (${outcome.failureType})`,
    }),
  };
}

/** The normalized form of a URL, without its fragment. It is the key for health, precedence and lanes. */
export function receiverOf(url: string): string {
  const { href, hash } = new URL(url);
  return hash === '' ? href : href.slice(0, -hash.length);
}

/** The part of a subscription that decides whether it receives an event. */
export interface Subscription {
  readonly account_id: string;
  /** See `receiverOf`. */
  readonly receiver: string;
  readonly subscribed_to: readonly string[];
  /** Whether it is on, and its receiver not auto-disabled for the account on which the event happened (rule webhooks.76). */
  readonly isOn: boolean;
  /** Whether the plan of its own account includes webhooks. */
  readonly isIncluded: boolean;
}

/**
 * The subscriptions that an event is for, whatever tags they are limited to: the account's own, and those of its agency that apply to
 * sub-accounts. If a subscription of the account itself receives the event at the same URL, the agency's does not (rules webhooks.91,
 * webhooks.93, webhooks.94). Those that are not on miss it.
 * @param accountId the account on which the event happened
 */
export function matchingSubscriptions<Row extends Subscription>(subscriptions: readonly Row[], accountId: string, event: EventName): Row[] {
  const subscribed = subscriptions.filter(({ subscribed_to: events, isIncluded }) => events.includes(event) && isIncluded);
  const own = new Set(subscribed.filter((each) => each.isOn && each.account_id === accountId).map(({ receiver }) => receiver));
  return subscribed.filter(({ account_id: owner, receiver }) => owner === accountId || !own.has(receiver));
}

/** The default name of a subscription: the host of its receiver, with a number when the host is taken (rule webhooks.7). */
export function defaultName(url: string, taken: ReadonlySet<string>): string {
  // Leaves room for the number within the maximum length.
  const host = new URL(url).hostname.slice(0, 190);
  for (let number = 1; ; number++) {
    const name = number === 1 ? host : `${host} ${number}`;
    if (!taken.has(name)) return name;
  }
}
