import { dayLength } from '../../contract/time/days.ts';

/** How long records are kept, in milliseconds of the service's clock; null means forever. */
export interface Retention {
  /** Events, with their deliveries and attempts. An event with a queued delivery is kept. */
  readonly events: number | null;
  /** Jobs that were given up. */
  readonly jobs: number | null;
  readonly messages: number | null;
  /** Conversations that have ended. */
  readonly sessions: number | null;
  readonly ledger: number | null;
  /** The maximum number of requests in the request log. */
  readonly requests: number;
}

const month = 30 * dayLength;

/** The default retention (rule serve.42). */
export const defaultRetention: Retention = {
  events: month,
  jobs: month,
  messages: null,
  sessions: null,
  ledger: null,
  requests: 10_000,
};
