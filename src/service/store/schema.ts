import type { Generated } from 'kysely';

// Both engines share these types: text, 64-bit integers (epoch milliseconds, counts, 0 and 1), JSON as text,
// credits as integer millionths. `seq` gives the order of creation, which ties in time need.

export interface Database {
  migrations: { id: number; name: string; applied_at: number };
  service_state: ServiceStateTable;
  accounts: AccountsTable;
  balances: BalancesTable;
  credit_ledger: CreditLedgerTable;
  api_keys: ApiKeysTable;
  members: MembersTable;
  channels: ChannelsTable;
  uploads: UploadsTable;
  tags: TagsTable;
  lists: ListsTable;
  contacts: ContactsTable;
  contact_tags: { tag_id: string; contact_seq: number };
  list_contacts: { list_id: string; contact_seq: number };
  chat_sessions: ChatSessionsTable;
  messages: MessagesTable;
  campaigns: CampaignsTable;
  broadcasts: BroadcastsTable;
  broadcast_recipients: BroadcastRecipientsTable;
  tasks: TasksTable;
  event_types: EventTypesTable;
  short_links: ShortLinksTable;
  pairings: PairingsTable;
  daily_summaries: DailySummariesTable;
  daily_counts: DailyCountsTable;
  hourly_counts: HourlyCountsTable;
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

export interface BalancesTable {
  account_id: string;
  millionths: number;
  /** The UTC month (its first instant) that `spent_millionths` is of. */
  spent_month: Generated<number>;
  /** What was spent in it, refunds subtracted, adjustments left out. */
  spent_millionths: Generated<number>;
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
  campaign_id: string | null;
  agent_id: string | null;
  message_id: string | null;
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
  /** Tells one connection from the next: a charge belongs to one. */
  connection: string | null;
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

export interface ContactsTable {
  seq: Generated<number>;
  id: string;
  account_id: string;
  channel: string;
  /** What there is one contact of: the number, or the channel and the account on it. */
  identity_key: string;
  /** In E.164; null on channels without numbers. */
  phone_number: string | null;
  /** The account on a channel without numbers. */
  identity: string | null;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
  company: string | null;
  /** ISO 3166-1, of the number. */
  country: string | null;
  agent_id: string | null;
  do_not_disturb: number;
  private_mode: number;
  paused: number;
  /** Whether a person answers: set by a team reply, until resumed. */
  taken_over: number;
  archived: number;
  /** Which of the account's own numbers or accounts the contact wrote to last. */
  own_identity: string | null;
  last_message_at: number | null;
  /** All that a search looks in, folded. */
  search_text: string;
  created_at: number;
  updated_at: number;
}

/** A conversation: the messages with a contact on a channel, up to 24 hours of silence. */
export interface ChatSessionsTable {
  seq: Generated<number>;
  id: string;
  account_id: string;
  contact_id: string;
  channel: string;
  /** The account's own number or account; empty where none is known. */
  own_identity: string;
  /** Who answers in it now. */
  agent_id: string | null;
  /** Those of its first message, by which it counts. */
  first_agent_id: string | null;
  campaign_id: string | null;
  started_at: number;
  last_message_at: number;
  concluded_at: number | null;
  outcome: string | null;
  /** How many messages, by who sent them. */
  inbound: number;
  ai_sent: number;
  human_sent: number;
  automated_sent: number;
  replied: number;
  /** What was charged within it, refunds subtracted, in millionths. */
  spent_millionths: number;
}

export interface MessagesTable {
  seq: Generated<number>;
  id: string;
  account_id: string;
  contact_id: string;
  session_id: string;
  channel: string;
  /** The account's own number or account; empty where none is known. */
  own_identity: string;
  direction: 'inbound' | 'outbound';
  type: string;
  body: string;
  status: string;
  sender: string;
  agent_id: string | null;
  campaign_id: string | null;
  template_id: string | null;
  broadcast_id: string | null;
  /** What it cost, which a refund gives back. */
  millionths: number;
  created_at: number;
}

export interface CampaignsTable {
  seq: Generated<number>;
  id: string;
  account_id: string;
  name: string;
  agent_id: string | null;
  channel: string | null;
  outgoing_only: number;
  status: string;
  created_at: number;
  updated_at: number;
}

export interface BroadcastsTable {
  seq: Generated<number>;
  id: string;
  account_id: string;
  name: string;
  channel: string;
  agent_id: string | null;
  body: string | null;
  template_id: string | null;
  /** JSON: ids. */
  contact_ids: string;
  /** JSON: ids. */
  list_ids: string;
  scheduled_at: number | null;
  status: string;
  /** Counts the times it was set going: a job of an earlier one does nothing. */
  run: number;
  total: number;
  sent: number;
  delivered: number;
  read: number;
  replied: number;
  failed: number;
  created_at: number;
  updated_at: number;
}

/** Who gets a broadcast, fixed when it begins. A contact that is deleted meanwhile stays here, and fails. */
export interface BroadcastRecipientsTable {
  broadcast_id: string;
  contact_seq: number;
  contact_id: string;
  state: 'waiting' | 'sent' | 'failed';
  replied: number;
}

export interface TasksTable {
  seq: Generated<number>;
  id: string;
  account_id: string;
  title: string;
  description: string | null;
  contact_id: string | null;
  assignee: string | null;
  due_at: number | null;
  status: string;
  created_at: number;
  updated_at: number;
}

/** Bookable event types; `events` are what webhooks tell of. */
export interface EventTypesTable {
  seq: Generated<number>;
  id: string;
  account_id: string;
  name: string;
  timezone: string;
  slot_minutes: number;
  /** JSON. */
  availability: string;
  max_bookings_per_slot: number;
  /** JSON: names. */
  rooms: string;
  created_at: number;
  updated_at: number;
}

export interface ShortLinksTable {
  seq: Generated<number>;
  id: string;
  account_id: string;
  /** Unique among all accounts: the public route names no account. */
  slug: string;
  url: string;
  clicks: number;
  created_at: number;
  updated_at: number;
}

/** An attempt to pair a chatapp-web number, that waits for its code to be scanned. */
export interface PairingsTable {
  account_id: string;
  phone_number: string;
  code: string;
  expires_at: number;
}

/** A day on which an account had messages; the summary is written when it is over. */
export interface DailySummariesTable {
  account_id: string;
  /** Days since 1970-01-01. */
  day: number;
  id: string | null;
  text: string | null;
  created_at: number | null;
}

/** What analytics reads: sums by UTC day, campaign, agent, channel and own number; an empty text is for none. */
export interface DailyCountsTable {
  account_id: string;
  /** Days since 1970-01-01. */
  day: number;
  campaign_id: string;
  agent_id: string;
  channel: string;
  own_identity: string;
  ai_sent: number;
  human_sent: number;
  automated_sent: number;
  received: number;
  delivered: number;
  read: number;
  replied: number;
  booked: number;
  contact_created: number;
  conversations: number;
  /** In millionths. */
  credits_spent: number;
  credits_recharged: number;
  conversation_credits: number;
}

/** The same by hour, of what is shown by hour. */
export interface HourlyCountsTable {
  account_id: string;
  /** Hours since 1970-01-01T00. */
  hour: number;
  campaign_id: string;
  agent_id: string;
  sent: number;
  replied: number;
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
