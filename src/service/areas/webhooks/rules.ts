import type { EventName } from '../../../contract/areas/webhooks/event-names.ts';
import type { FailureType } from '../../../contract/areas/webhooks/endpoints.ts';

/** When a failed delivery is tried again, in milliseconds from its first attempt (1/Delivery rules 3). */
const retrySchedule = [60_000, 300_000, 1_800_000, 7_200_000];

/** After how many failed whole deliveries in a row a receiver is disabled (ruling, Webhooks). */
const failuresToDisable = 10;

/** How an attempt ended. */
export interface Outcome {
  readonly delivered: boolean;
  /** Null when it was delivered. */
  readonly failureType: FailureType | null;
  /** Null without an HTTP answer. */
  readonly statusCode: number | null;
  readonly errorMessage: string;
  readonly responseBody: string | null;
}

/** How an answer counts: a redirect is a failure, and is not followed. */
export function outcomeOfAnswer(status: number, body: string): Outcome {
  const delivered = status >= 200 && status < 300;
  return {
    delivered,
    failureType: delivered ? null : status >= 600 ? 'unknown' : status >= 500 ? 'temporary' : status >= 300 ? 'permanent' : 'unknown',
    statusCode: status,
    errorMessage: delivered ? '' : `The receiver answered ${status}`,
    responseBody: body,
  };
}

const networkCodes =
  /^(E[A-Z]+|UND_ERR_(SOCKET|CONNECT_TIMEOUT)|CERT_.*|.*_CERT.*|ERR_TLS_.*|ERR_SSL_.*|UNABLE_TO_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|HPE_.*)$/;

/** How an attempt without a whole answer counts: one that broke off after its head has a status. */
export function outcomeOfError(error: Error): Outcome {
  const { statusCode = null } = error as { statusCode?: number | null };
  return { delivered: false, failureType: failureTypeOf(error), statusCode, errorMessage: wordsFor(error), responseBody: null };
}

function failureTypeOf(error: Error): FailureType {
  if (error.name === 'RefusedAddress') return 'permanent';
  if (error.name === 'TimeoutError') return 'timeout';
  return networkCodes.test(codeOf(error)) ? 'network' : 'unknown';
}

/** The code of a failure; of several (one per address that was tried) the first. */
function codeOf(error: Error): string {
  const { code, errors, cause } = error as { code?: string; errors?: { code?: string }[]; cause?: Error };
  return errors?.[0]?.code ?? code ?? (cause ? codeOf(cause) : '');
}

const words: Record<string, string> = {
  ECONNREFUSED: 'Nothing listens at the address',
  ECONNRESET: 'The connection was closed without an answer',
  UND_ERR_SOCKET: 'The connection was closed without an answer',
  ENOTFOUND: 'The name does not resolve',
  EAI_AGAIN: 'The name cannot be resolved now',
  UND_ERR_CONNECT_TIMEOUT: 'No connection came about in time',
  CERT_HAS_EXPIRED: 'The certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate cannot be verified',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another name',
};

function wordsFor(error: Error): string {
  if (error.name === 'TimeoutError') return 'No answer came in time';
  if (error.name === 'RefusedAddress') return error.message;
  const code = codeOf(error);
  // The libraries' own words name their source files.
  return words[code] ?? (/^(ERR_SSL_|EPROTO)/.test(code) ? 'It does not speak TLS there' : `The delivery failed${code && ` (${code})`}`);
}

/** Whether a failure may pass by itself: 5xx, timeouts and connection failures (1/Delivery rules 3). */
function isRetriable({ failureType }: Outcome): boolean {
  return failureType === 'temporary' || failureType === 'timeout' || failureType === 'network';
}

/**
 * When a delivery is attempted again.
 * @param firstAttemptAt when its first attempt was made, in epoch milliseconds
 * @param attempts how many attempts of its schedule there were, this one included
 * @returns the instant; null when it is over
 */
export function nextAttemptAt(outcome: Outcome, retriesEnabled: boolean, firstAttemptAt: number, attempts: number): number | null {
  if (outcome.delivered || !retriesEnabled || !isRetriable(outcome)) return null;
  const wait = retrySchedule[attempts - 1];
  return wait === undefined ? null : firstAttemptAt + wait;
}

/** The counters of a receiver's health. */
export interface HealthCounters {
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

/** Counts a whole delivery; enough failures in a row disable the receiver. */
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

/** The address that a URL leads to, however it is written: what health, precedence and fairness go by. */
export function receiverOf(url: string): string {
  const { href, hash } = new URL(url);
  return hash === '' ? href : href.slice(0, -hash.length);
}

/** What decides whether a subscription receives an event. */
export interface Subscription {
  readonly account_id: string;
  /** See `receiverOf`. */
  readonly receiver: string;
  readonly subscribed_to: readonly string[];
  readonly subscribed_to_tags: readonly string[];
  readonly enabled: boolean;
  /** Of the account on which the event happened, for this URL. */
  readonly isAutoDisabled: boolean;
  /** Whether its own account's plan has webhooks. */
  readonly isIncluded: boolean;
}

/**
 * Who receives an event: the account's own subscriptions, and its agency's that apply to sub-accounts, but for a URL to
 * which the account subscribes this event itself, whatever its switch says (1/Webhooks rule 7).
 * @param accountId where the event happened
 * @param contactTags the tags of the contact that a concluded chat was with
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

/** A name for a subscription that was given none: its receiver's host, with a number when it is taken (ruling, Webhooks). */
export function defaultName(url: string, taken: ReadonlySet<string>): string {
  // A name is as long as any other.
  const host = new URL(url).hostname.slice(0, 190);
  for (let number = 1; ; number++) {
    const name = number === 1 ? host : `${host} ${number}`;
    if (!taken.has(name)) return name;
  }
}
