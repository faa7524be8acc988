import type { FailureType } from '../../../contract/areas/webhooks/endpoints.ts';
import { accountTable } from '../../store/account-table.ts';
import { boolean, instant, integer, json, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';

export const webhooks = accountTable(
  'webhooks',
  { prefix: 'whk', record: 'webhook' },
  {
    name: text(),
    /** As given in the request. */
    url: text(),
    /** The normalized URL, which is the key for health, precedence and lanes. */
    receiver: text().internal(),
    subscribed_to: json<string[]>(),
    subscribed_to_tags: json<string[]>().default([]),
    retries_enabled: boolean().default(false),
    enabled: boolean().default(true),
    apply_to_sub_accounts: boolean().default(false),
    /** Stored as plain text, because it is needed to sign deliveries and its owner may read it. */
    signing_secret: text().nullable().internal(),
    signing_secret_created_at: instant().nullable(),
    /** When deliveries last stopped because it was switched off or disabled, whether or not they go on since. */
    interrupted_at: instant().nullable().internal(),
    /** The `seq` of the newest delivery at that time, because a frozen clock does not tell what was missed before. */
    interrupted_after: integer().default(0).internal(),
  },
);

/** The last failed attempt to deliver to a receiver. */
export interface LastFailure {
  /** Its number within the delivery. Records of earlier versions lack this field and the delivery. */
  readonly attempt?: number;
  readonly delivery_id?: string;
  readonly at: number;
  readonly event: string;
  readonly failure_type: FailureType;
  readonly status_code: number | null;
  readonly error_message: string;
}

/**
 * The results of deliveries to a receiver, by the account on which their events happened: those of its own subscriptions, and apart
 * from them those of its agency's.
 */
export const webhookHealth = table('webhook_health', {
  account_id: text().internal(),
  receiver: text().internal(),
  inherited: boolean().internal(),
  consecutive_failures: integer().default(0),
  total_failures: integer().default(0),
  total_successes: integer().default(0),
  disabled_at: instant().nullable(),
  disabled_reason: text().nullable(),
  last_failure: json<LastFailure>().nullable().internal(),
  /** When the last failure was, to find the latest one of several accounts. */
  last_failure_at: instant().nullable().internal(),
  last_success_at: instant().nullable(),
  created_at: instant(),
  updated_at: instant(),
});

export type WebhookHealth = Row<typeof webhookHealth>;

/**
 * One delivery for each event and subscription. One that is `missed` was not queued, because the subscription was off or auto-disabled:
 * nothing shows it, and only a replay sends it.
 */
export const deliveries = table('deliveries', {
  seq: integer().default(0),
  id: text(),
  event_id: text(),
  /** The name and the time of the event. */
  event: text(),
  occurred_at: instant(),
  /** The account on which the event happened. */
  account_id: text(),
  webhook_account_id: text(),
  /** The subscription's internal id; null once the subscription is deleted. */
  webhook_id: text().nullable(),
  /** The address of a delivery without a subscription. */
  url: text().nullable(),
  state: text<'queued' | 'delivered' | 'failed' | 'dropped' | 'missed'>(),
  /** When the first attempt began. Retries are scheduled relative to this time. */
  first_attempt_at: instant().nullable(),
  /** The number of finished scheduled attempts. */
  scheduled_attempts: integer().default(0),
  next_attempt_at: instant().nullable(),
  /** The last replay that sent it. While it is queued, the replay makes its attempts. */
  replay_id: text().nullable(),
});

/** What was sent again, on request. */
export const replays = table('webhook_replays', {
  seq: integer().default(0),
  id: text(),
  account_id: text(),
  webhook_id: text(),
  status: text<'queued' | 'sending' | 'completed'>(),
  /** The number of its deliveries, and how many of them have ended. */
  queued: integer(),
  delivered: integer().default(0),
  failed: integer().default(0),
  created_at: instant(),
});

/** Finished attempts. */
export const deliveryAttempts = table('delivery_attempts', {
  delivery_id: text(),
  attempt: integer(),
  at: instant(),
  request_headers: json<Readonly<Record<string, string>>>(),
  status_code: integer().nullable(),
  failure_type: text<FailureType>().nullable(),
  /** In milliseconds. */
  duration_ms: integer(),
  response_body: text().nullable(),
});

/** The outbox. An event is written in the transaction of the change that causes it, if a subscription receives it. */
export const events = table('events', {
  seq: integer().default(0),
  id: text(),
  account_id: text(),
  name: text(),
  /** JSON, ready to be sent. */
  data: text(),
  occurred_at: instant(),
});

declare module '../../store/database.ts' {
  interface Database {
    webhooks: StoredRow<typeof webhooks>;
    webhook_health: StoredRow<typeof webhookHealth>;
    deliveries: StoredRow<typeof deliveries>;
    delivery_attempts: StoredRow<typeof deliveryAttempts>;
    events: StoredRow<typeof events>;
    webhook_replays: StoredRow<typeof replays>;
  }
}
