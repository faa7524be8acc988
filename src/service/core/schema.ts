import type { Generated } from 'kysely';

// Both engines share these types: text, 64-bit integers (epoch milliseconds, counts, 0 and 1), JSON as text,
// credits as integer millionths. `seq` gives the order of creation, which ties in time need.

export interface Database {
  migrations: { id: number; name: string; applied_at: number };
  service_state: ServiceStateTable;
  accounts: AccountsTable;
  balances: { account_id: string; millionths: number };
  credit_ledger: CreditLedgerTable;
  api_keys: ApiKeysTable;
  members: MembersTable;
  channels: ChannelsTable;
  uploads: UploadsTable;
  tags: TagsTable;
  lists: ListsTable;
  events: EventsTable;
  webhooks: WebhooksTable;
  webhook_health: WebhookHealthTable;
  deliveries: DeliveriesTable;
  delivery_attempts: DeliveryAttemptsTable;
  jobs: JobsTable;
  rate_windows: { bucket: string; started_at: number; granted: number };
  request_log: { seq: Generated<number>; entry: string };
}

/** One row: what all processes that serve the store must agree on. */
export interface ServiceStateTable {
  id: number;
  /** 0 or 1. */
  clock_frozen: number;
  /** The instant at which a frozen clock stands. */
  clock_reading: number;
  /** What a running clock is ahead of real time. */
  clock_offset: number;
  /** JSON: `"all"` or a list of job kinds. */
  hold: string;
  /** JSON: a list of faults. */
  faults: string;
  /** The process that is advancing the clock, and until when (real time) it may. */
  advance_owner: string | null;
  advance_until: number;
  sandbox_token_digest: string;
  cursor_secret: string;
  /** JSON: the sandbox identity provider's private key. */
  identity_key: string;
}

export interface AccountsTable {
  seq: Generated<number>;
  id: string;
  name: string;
  email: string | null;
  kind: 'standard' | 'agency';
  parent_id: string | null;
  /** JSON. */
  plan: string;
  costs_hidden: number;
  auto_recharge_enabled: number;
  low_credit_threshold: number | null;
  own_ai_key: 'none' | 'valid' | 'failing';
  template_provider: 'managed' | 'own_account' | 'own_account_incomplete';
  /** JSON. */
  calendar: string;
  created_at: number;
  updated_at: number;
}

export interface CreditLedgerTable {
  seq: Generated<number>;
  id: string;
  account_id: string;
  at: number;
  reason: string;
  /** What the balance changed by: negative when spent. */
  millionths: number;
  is_adjustment: number;
}

export interface ApiKeysTable {
  seq: Generated<number>;
  id: string;
  account_id: string;
  kind: 'main' | 'scoped';
  /** SHA-256 of the key: the key itself is kept nowhere. */
  digest: string;
  preview: string;
  label: string;
  /** JSON; of a scoped key. */
  scopes: string;
  expires_at: number | null;
  last_used_at: number | null;
  created_at: number;
  revoked_at: number | null;
}

export interface MembersTable {
  seq: Generated<number>;
  id: string;
  account_id: string;
  name: string;
  /** In lower case: what an identity provider's token is matched by. */
  email: string;
  role: 'owner' | 'member';
  /** JSON. */
  permissions: string;
  created_at: number;
}

export interface ChannelsTable {
  seq: Generated<number>;
  id: string;
  account_id: string;
  channel: string;
  identity: string;
  name: string | null;
  status: 'connected' | 'disconnected';
  connected_at: number | null;
}

export interface UploadsTable {
  path: string;
  account_id: string;
  content: Uint8Array;
  created_at: number;
}

export interface TagsTable {
  seq: Generated<number>;
  id: string;
  account_id: string;
  name: string;
  /** The name as it is compared: two names that differ in case only are one. */
  folded_name: string;
  description: string | null;
  /** Kept in the transactions that tag and untag, so that a list of tags costs the tags it shows. */
  contact_count: number;
  created_at: number;
  updated_at: number;
}

export interface ListsTable {
  seq: Generated<number>;
  id: string;
  account_id: string;
  name: string;
  /** Kept in the transactions that add and remove members. */
  contact_count: number;
  created_at: number;
  updated_at: number;
}

export interface WebhooksTable {
  seq: Generated<number>;
  /** Inner id: what answers show is the position, which shifts. */
  id: string;
  account_id: string;
  name: string;
  /** As it was given. */
  url: string;
  /** The address that it leads to, however it is written. */
  receiver: string;
  /** JSON: event names. */
  subscribed_to: string;
  /** JSON: tag ids. */
  subscribed_to_tags: string;
  retries_enabled: number;
  enabled: number;
  apply_to_sub_accounts: number;
  /** Kept as it is: it signs, and its owner may read it. */
  signing_secret: string | null;
  signing_secret_created_at: number | null;
  created_at: number;
  updated_at: number;
}

/** How whole deliveries to a receiver went, by the account on which their events happened. */
export interface WebhookHealthTable {
  account_id: string;
  receiver: string;
  consecutive_failures: number;
  total_failures: number;
  total_successes: number;
  disabled_at: number | null;
  disabled_reason: string | null;
  /** JSON. */
  last_failure: string | null;
  last_success_at: number | null;
  created_at: number;
  updated_at: number;
}

/** One logical event on its way to one subscription. */
export interface DeliveriesTable {
  seq: Generated<number>;
  id: string;
  event_id: string;
  /** Where the event happened. */
  account_id: string;
  webhook_account_id: string;
  /** The subscription's inner id; null once it is deleted. */
  webhook_id: string | null;
  state: 'queued' | 'delivered' | 'failed' | 'dropped';
  /** The instant of the first attempt that ended, from which the schedule counts. */
  first_attempt_at: number | null;
  /** How many attempts of the schedule ended. */
  scheduled_attempts: number;
  next_attempt_at: number | null;
}

/** An attempt that ended. */
export interface DeliveryAttemptsTable {
  delivery_id: string;
  attempt: number;
  at: number;
  /** JSON. */
  request_headers: string;
  status_code: number | null;
  failure_type: string | null;
  /** Milliseconds. */
  duration_ms: number;
  response_body: string | null;
}

/** The outbox: an event is written in the transaction of the change that causes it, when somebody subscribes to it. */
export interface EventsTable {
  seq: Generated<number>;
  id: string;
  account_id: string;
  name: string;
  /** JSON. */
  data: string;
  occurred_at: number;
}

export interface JobsTable {
  seq: Generated<number>;
  id: string;
  kind: string;
  /** Jobs of one lane share a part of the runner, so that a slow one holds up no other. */
  lane: string;
  account_id: string | null;
  /** JSON. */
  payload: string;
  /** By the service's clock. */
  due_at: number;
  attempts: number;
  /** The process that runs it, and until when (real time). */
  lease_owner: string | null;
  lease_until: number;
  /** Set when it was given up: the last error's text. */
  failure: string | null;
}
