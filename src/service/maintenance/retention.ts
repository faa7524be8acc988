import { dayLength } from '../../contract/days.ts';

/** How long records are kept, in milliseconds of the service's clock; null for ever. */
export interface Retention {
  /** Events, with their deliveries and attempts. An event with a queued delivery is kept. */
  readonly events: number | null;
  /** Jobs that were given up. */
  readonly jobs: number | null;
  readonly messages: number | null;
  /** Conversations that have concluded. */
  readonly sessions: number | null;
  readonly ledger: number | null;
  /** The number of requests that the request log keeps. */
  readonly requests: number;
}

const month = 30 * dayLength;

/** What is kept unless the operator asks for something else (rule serve.42). */
export const defaultRetention: Retention = {
  events: month,
  jobs: month,
  messages: null,
  sessions: null,
  ledger: null,
  requests: 10_000,
};
