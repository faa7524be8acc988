import { type Kysely, sql } from 'kysely';
import { ServiceUnavailable } from '../errors.ts';
import type { Database } from './schema.ts';
import type { Engine, Store } from './store.ts';

interface Migration {
  readonly name: string;
  readonly up: (db: Kysely<Database>, engine: Engine) => Promise<void>;
}

const foundation: Migration = {
  name: 'foundation',
  async up(db, engine) {
    // SQLite numbers rows with a rowid of its own; AUTOINCREMENT keeps it from using a deleted row's number again.
    const seq = engine === 'sqlite' ? 'seq integer primary key autoincrement' : 'seq bigserial primary key';
    const bytes = engine === 'sqlite' ? 'blob' : 'bytea';
    const account = 'account_id text not null references accounts (id) on delete cascade';
    const statements = [
      `create table service_state (
        id bigint primary key, clock_frozen bigint not null, clock_reading bigint not null, clock_offset bigint not null,
        hold text not null, faults text not null, advance_owner text, advance_until bigint not null,
        sandbox_token_digest text not null, cursor_secret text not null, identity_key text not null)`,
      `create table accounts (
        ${seq}, id text not null unique, name text not null, email text, kind text not null,
        parent_id text references accounts (id) on delete cascade, plan text not null,
        costs_hidden bigint not null, auto_recharge_enabled bigint not null, low_credit_threshold bigint,
        own_ai_key text not null, template_provider text not null, calendar text not null,
        created_at bigint not null, updated_at bigint not null)`,
      'create index accounts_by_parent on accounts (parent_id, seq)',
      `create table balances (
        account_id text primary key references accounts (id) on delete cascade,
        millionths bigint not null check (millionths >= 0))`,
      `create table credit_ledger (
        ${seq}, id text not null unique, ${account}, at bigint not null, reason text not null,
        millionths bigint not null, is_adjustment bigint not null)`,
      'create index credit_ledger_by_account on credit_ledger (account_id, seq)',
      `create table api_keys (
        ${seq}, id text not null unique, ${account}, kind text not null, digest text not null unique, preview text not null,
        label text not null, scopes text not null, expires_at bigint, last_used_at bigint, created_at bigint not null,
        revoked_at bigint)`,
      'create index api_keys_by_account on api_keys (account_id, kind, seq)',
      "create unique index one_main_key on api_keys (account_id) where kind = 'main'",
      `create table members (
        ${seq}, id text not null unique, ${account}, name text not null, email text not null, role text not null,
        permissions text not null, created_at bigint not null, unique (account_id, email))`,
      'create index members_by_email on members (email)',
      `create table channels (
        ${seq}, id text not null unique, ${account}, channel text not null, identity text not null, name text,
        status text not null, connected_at bigint, unique (account_id, channel, identity))`,
      `create table uploads (path text primary key, ${account}, content ${bytes} not null, created_at bigint not null)`,
      'create index uploads_by_account on uploads (account_id)',
      `create table tags (
        ${seq}, id text not null unique, ${account}, name text not null, folded_name text not null, description text,
        contact_count bigint not null, created_at bigint not null, updated_at bigint not null,
        unique (account_id, folded_name))`,
      'create index tags_by_account on tags (account_id, seq)',
      `create table lists (
        ${seq}, id text not null unique, ${account}, name text not null, contact_count bigint not null,
        created_at bigint not null, updated_at bigint not null)`,
      'create index lists_by_account on lists (account_id, seq)',
      `create table events (
        ${seq}, id text not null unique, ${account}, name text not null, data text not null, occurred_at bigint not null)`,
      'create index events_by_account on events (account_id, seq)',
      `create table jobs (
        ${seq}, id text not null unique, kind text not null,
        account_id text references accounts (id) on delete cascade, payload text not null, due_at bigint not null,
        attempts bigint not null, lease_owner text, lease_until bigint not null, failure text)`,
      'create index jobs_by_due on jobs (due_at, seq) where failure is null',
      'create index jobs_by_account on jobs (account_id)',
      'create table rate_windows (bucket text primary key, started_at bigint not null, granted bigint not null)',
      `create table request_log (${seq}, entry text not null)`,
    ];
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};

const webhooks: Migration = {
  name: 'webhooks',
  async up(db, engine) {
    const seq = engine === 'sqlite' ? 'seq integer primary key autoincrement' : 'seq bigserial primary key';
    const account = 'account_id text not null references accounts (id) on delete cascade';
    const statements = [
      `create table webhooks (
        ${seq}, id text not null unique, ${account}, name text not null, url text not null, receiver text not null,
        subscribed_to text not null,
        subscribed_to_tags text not null, retries_enabled bigint not null, enabled bigint not null,
        apply_to_sub_accounts bigint not null, signing_secret text, signing_secret_created_at bigint,
        created_at bigint not null, updated_at bigint not null, unique (account_id, name))`,
      'create index webhooks_by_account on webhooks (account_id, seq)',
      `create table webhook_health (
        ${account}, receiver text not null, consecutive_failures bigint not null, total_failures bigint not null,
        total_successes bigint not null, disabled_at bigint, disabled_reason text, last_failure text, last_success_at bigint,
        created_at bigint not null, updated_at bigint not null, primary key (account_id, receiver))`,
      `create table deliveries (
        ${seq}, id text not null unique, event_id text not null references events (id) on delete cascade, ${account},
        webhook_account_id text not null references accounts (id) on delete cascade,
        webhook_id text references webhooks (id) on delete set null, state text not null, first_attempt_at bigint,
        scheduled_attempts bigint not null, next_attempt_at bigint)`,
      'create index deliveries_by_event on deliveries (event_id)',
      'create index deliveries_by_account on deliveries (account_id, seq)',
      'create index deliveries_by_webhook on deliveries (webhook_id, seq)',
      'create index deliveries_by_webhook_account on deliveries (webhook_account_id)',
      `create table delivery_attempts (
        delivery_id text not null references deliveries (id) on delete cascade, attempt bigint not null, at bigint not null,
        request_headers text not null, status_code bigint, failure_type text, duration_ms bigint not null, response_body text,
        primary key (delivery_id, attempt))`,
      "alter table jobs add column lane text not null default ''",
      'create index jobs_by_lane on jobs (lane, due_at, seq) where failure is null',
    ];
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};

const contacts: Migration = {
  name: 'contacts',
  async up(db, engine) {
    const seq = engine === 'sqlite' ? 'seq integer primary key autoincrement' : 'seq bigserial primary key';
    const account = 'account_id text not null references accounts (id) on delete cascade';
    const times = 'created_at bigint not null, updated_at bigint not null';
    const counter = (name: string) => `${name} bigint not null default 0`;
    const statements = [
      'alter table balances add column spent_month bigint not null default 0',
      'alter table balances add column spent_millionths bigint not null default 0',
      'alter table credit_ledger add column campaign_id text',
      'alter table credit_ledger add column agent_id text',
      'alter table credit_ledger add column message_id text',
      'alter table channels add column connection text',
      // Most jobs wait, such as the ends of conversations: those that run are found without them.
      'create index jobs_by_lease on jobs (lease_owner) where lease_owner is not null',
      `create table contacts (
        ${seq}, id text not null unique, ${account}, channel text not null, identity_key text not null, phone_number text,
        identity text, first_name text, last_name text, email text, company text, country text, agent_id text,
        do_not_disturb bigint not null, private_mode bigint not null, paused bigint not null, taken_over bigint not null,
        archived bigint not null, own_identity text, last_message_at bigint, search_text text not null, ${times},
        unique (account_id, identity_key))`,
      'create index contacts_by_account on contacts (account_id, seq)',
      'create index contacts_by_channel on contacts (account_id, channel, seq)',
      `create table contact_tags (
        tag_id text not null references tags (id) on delete cascade,
        contact_seq bigint not null references contacts (seq) on delete cascade, primary key (tag_id, contact_seq))`,
      'create index contact_tags_by_contact on contact_tags (contact_seq)',
      `create table list_contacts (
        list_id text not null references lists (id) on delete cascade,
        contact_seq bigint not null references contacts (seq) on delete cascade, primary key (list_id, contact_seq))`,
      'create index list_contacts_by_contact on list_contacts (contact_seq)',
      `create table chat_sessions (
        ${seq}, id text not null unique, ${account}, contact_id text not null references contacts (id) on delete cascade,
        channel text not null, own_identity text not null, agent_id text, first_agent_id text, campaign_id text, started_at bigint not null,
        last_message_at bigint not null, concluded_at bigint, outcome text, inbound bigint not null, ai_sent bigint not null,
        human_sent bigint not null, automated_sent bigint not null, replied bigint not null, spent_millionths bigint not null)`,
      'create index chat_sessions_by_account on chat_sessions (account_id, seq)',
      'create index chat_sessions_by_contact on chat_sessions (contact_id, seq)',
      'create unique index one_open_session on chat_sessions (contact_id, channel) where concluded_at is null',
      // They belong to an account by their contact: a second foreign key would cost every message a look-up.
      `create table messages (
        ${seq}, id text not null unique, account_id text not null,
        contact_id text not null references contacts (id) on delete cascade, session_id text not null, channel text not null,
        own_identity text not null, direction text not null, type text not null, body text not null, status text not null,
        sender text not null, agent_id text, campaign_id text, template_id text, broadcast_id text,
        millionths bigint not null, created_at bigint not null)`,
      'create index messages_by_contact on messages (contact_id, seq)',
      `create table campaigns (
        ${seq}, id text not null unique, ${account}, name text not null, agent_id text, channel text,
        outgoing_only bigint not null, status text not null, ${times})`,
      'create index campaigns_by_account on campaigns (account_id, seq)',
      `create table broadcasts (
        ${seq}, id text not null unique, ${account}, name text not null, channel text not null, agent_id text, body text,
        template_id text, contact_ids text not null, list_ids text not null, scheduled_at bigint, status text not null,
        run bigint not null, total bigint not null, sent bigint not null, delivered bigint not null, read bigint not null,
        replied bigint not null, failed bigint not null, ${times})`,
      'create index broadcasts_by_account on broadcasts (account_id, seq)',
      `create table broadcast_recipients (
        broadcast_id text not null references broadcasts (id) on delete cascade, contact_seq bigint not null,
        contact_id text not null, state text not null, replied bigint not null, primary key (broadcast_id, contact_seq))`,
      "create index waiting_recipients on broadcast_recipients (broadcast_id, contact_seq) where state = 'waiting'",
      `create table tasks (
        ${seq}, id text not null unique, ${account}, title text not null, description text,
        contact_id text references contacts (id) on delete set null, assignee text, due_at bigint, status text not null, ${times})`,
      'create index tasks_by_account on tasks (account_id, seq)',
      'create index tasks_by_contact on tasks (contact_id)',
      `create table event_types (
        ${seq}, id text not null unique, ${account}, name text not null, timezone text not null, slot_minutes bigint not null,
        availability text not null, max_bookings_per_slot bigint not null, rooms text not null, ${times})`,
      'create index event_types_by_account on event_types (account_id, seq)',
      `create table short_links (
        ${seq}, id text not null unique, ${account}, slug text not null unique, url text not null, clicks bigint not null, ${times})`,
      'create index short_links_by_account on short_links (account_id, seq)',
      `create table pairings (
        ${account}, phone_number text not null, code text not null, expires_at bigint not null,
        primary key (account_id, phone_number))`,
      `create table daily_summaries (
        ${account}, day bigint not null, id text, text text, created_at bigint, primary key (account_id, day))`,
      `create table daily_counts (
        ${account}, day bigint not null, campaign_id text not null, agent_id text not null, channel text not null,
        own_identity text not null, ${dailyCounters.map(counter).join(', ')},
        primary key (account_id, day, campaign_id, agent_id, channel, own_identity))`,
      `create table hourly_counts (
        ${account}, hour bigint not null, campaign_id text not null, agent_id text not null, ${hourlyCounters.map(counter).join(', ')},
        primary key (account_id, hour, campaign_id, agent_id))`,
    ];
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};

const dailyCounters = [
  'ai_sent',
  'human_sent',
  'automated_sent',
  'received',
  'delivered',
  'read',
  'replied',
  'booked',
  'contact_created',
  'conversations',
  'credits_spent',
  'credits_recharged',
  'conversation_credits',
];

const hourlyCounters = ['sent', 'replied'];

const migrations: readonly Migration[] = [foundation, webhooks, contacts];

/**
 * Brings a store to the newest schema, in one transaction.
 * @throws ServiceUnavailable when the store was made by a newer version
 */
export async function migrate(store: Store, realNow: () => number): Promise<void> {
  if ((await appliedCount(store)) === migrations.length) return;
  await makeMigrationsTable(store);
  await store.write(async (db) => {
    // A process that starts at the same moment waits here; on SQLite, at the transaction's own lock.
    if (store.engine === 'postgres') await sql`lock table migrations in exclusive mode`.execute(db);
    const { count } = await db
      .selectFrom('migrations')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    for (const [id, migration] of migrations.entries()) {
      if (id < count) continue;
      await migration.up(db, store.engine);
      await db.insertInto('migrations').values({ id, name: migration.name, applied_at: realNow() }).execute();
    }
  });
}

async function makeMigrationsTable(store: Store): Promise<void> {
  const create = sql`create table if not exists migrations (id bigint primary key, name text not null, applied_at bigint not null)`;
  try {
    await store.write((db) => create.execute(db));
  } catch (error) {
    // PostgreSQL tells the second of two that make it at the same moment so: then the first has made it.
    const { code } = error as { code?: unknown };
    if (code !== '23505' && code !== '42P07') throw error;
  }
}

async function appliedCount(store: Store): Promise<number> {
  const applied = await store
    .read((db) => db.selectFrom('migrations').select(['id', 'name']).orderBy('id').execute())
    .catch((error: unknown) => {
      if (isMissingTable(error)) return [];
      throw error;
    });
  const unknown = applied.find((row) => migrations[row.id]?.name !== row.name);
  if (unknown)
    throw new ServiceUnavailable(
      `The store has the newer schema '${unknown.name}', which this version of msgctl does not know: use the version that made it, or a newer one.`,
    );
  return applied.length;
}

function isMissingTable(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message: string };
  return code === '42P01' || message.startsWith('no such table');
}
