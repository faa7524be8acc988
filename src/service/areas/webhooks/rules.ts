import type { EventName } from '../../../contract/areas/webhooks/event-names.ts';
import type { Outcome } from './outcome.ts';

/** When a failed delivery is tried again, in milliseconds from its first attempt (rule webhooks.56). */
const retrySchedule = [60_000, 300_000, 1_800_000, 7_200_000];

/** After how many failed deliveries in a row a receiver is disabled (rule webhooks.69). */
const failuresToDisable = 10;

/** Whether a failure is retried: 5xx, timeouts and connection failures (rules webhooks.57, webhooks.58). */
function isRetriable({ failureType }: Outcome): boolean {
  return failureType === 'temporary' || failureType === 'timeout' || failureType === 'network';
}

/**
 * When a delivery is attempted again, in epoch milliseconds.
 * @param firstAttemptAt when its first attempt was made, in epoch milliseconds
 * @param attempts how many attempts of its schedule there were, including this one
 * @returns null after the last attempt
 */
export function nextAttemptAt(outcome: Outcome, retriesEnabled: boolean, firstAttemptAt: number, attempts: number): number | null {
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

/** Counts the end of a delivery. Enough failures in a row disable the receiver. */
export function countDelivery(health: HealthCounters, outcome: Outcome, now: number): HealthCounters {
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

/** The normalised form of a URL, without its fragment: health, precedence and fairness go by it. */
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
  readonly subscribed_to_tags: readonly string[];
  readonly enabled: boolean;
  /** Whether the receiver is disabled for the account on which the event happened. */
  readonly isAutoDisabled: boolean;
  /** Whether the plan of its own account includes webhooks. */
  readonly isIncluded: boolean;
}

/**
 * The subscriptions that receive an event: the account's own, and those of its agency that apply to sub-accounts. A URL
 * to which the account itself subscribes the event gets it from the account alone, even when that subscription is off
 * (rules webhooks.91, webhooks.93, webhooks.94).
 * @param accountId the account on which the event happened
 * @param contactTags the tags of the contact, when a chat with one concluded
 */
export function receiversOf<Row extends Subscription>(
  subscriptions: readonly Row[],
  accountId: string,
  event: EventName,
  contactTags: readonly string[],
): Row[] {
  const subscribed = subscriptions.filter(({ subscribed_to: events }) => events.includes(event));
  const own = new Set(subscribed.filter(({ account_id: owner }) => owner === accountId).map(({ receiver }) => receiver));
  return subscribed.filter((subscription) => {
    if (!subscription.enabled || subscription.isAutoDisabled || !subscription.isIncluded) return false;
    if (subscription.account_id !== accountId) return !own.has(subscription.receiver);
    const { subscribed_to_tags: tags } = subscription;
    return event !== 'Chat Concluded' || tags.length === 0 || tags.some((tag) => contactTags.includes(tag));
  });
}

/** The name of a subscription that was given none: its receiver's host, with a number when that is taken (rule webhooks.7). */
export function defaultName(url: string, taken: ReadonlySet<string>): string {
  // Leaves room for the number within the longest name.
  const host = new URL(url).hostname.slice(0, 190);
  for (let number = 1; ; number++) {
    const name = number === 1 ? host : `${host} ${number}`;
    if (!taken.has(name)) return name;
  }
}
