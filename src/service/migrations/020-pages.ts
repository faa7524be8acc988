import { migration } from '../store/migration.ts';

/** Widgets and their visitors, and the booking pages of event types. */
export const pages = migration('0.3.0 pages', ({ account, seq, times }) => [
  `create table widgets (
    ${seq}, id text not null unique, ${account}, kind text not null, name text not null, folded_name text not null,
    agent_id text references agents (id) on delete set null, title text not null, greeting text, colour text not null,
    position text not null, language text not null, allowed_origins text not null, ask_before text not null, daily_ai_replies bigint,
    enabled bigint not null, number text, chat_url text, prefilled_text text, clicks bigint not null, public_id text not null unique,
    replies_day bigint not null, replies bigint not null, told_day bigint not null, ${times})`,
  'create unique index widgets_by_name on widgets (account_id, folded_name)',
  'create index widgets_by_account on widgets (account_id, seq)',
  'create index widgets_by_agent on widgets (agent_id)',
  `create table visitors (
    ${seq}, id text not null unique, ${account}, widget_id text not null references widgets (id) on delete cascade,
    token text not null unique, contact_id text, name text, email text, phone text, used_at bigint not null, ${times})`,
  'create index visitors_by_widget on visitors (widget_id)',
  'create index visitors_by_account on visitors (account_id, seq)',
  'create index visitors_by_contact on visitors (contact_id)',
  'create index visitors_by_use on visitors (used_at)',
  `create table visitor_messages (
    ${account}, visitor_id text not null references visitors (id) on delete cascade, client_id text not null, message_id text not null,
    primary key (visitor_id, client_id))`,
  'create index visitor_messages_by_account on visitor_messages (account_id)',
  'alter table event_types add column booking_page text',
  'alter table event_types add column public_id text',
  'create unique index event_types_by_public_id on event_types (public_id)',
  `create table guest_bookings (
    ${seq}, id text not null unique, ${account}, event_id text not null,
    appointment_id text not null unique references appointments (id) on delete cascade, token text not null unique,
    phone_number text not null, client_id text, ${times})`,
  'create index guest_bookings_by_account on guest_bookings (account_id, seq)',
  'create index guest_bookings_by_number on guest_bookings (account_id, phone_number)',
  'create index guest_bookings_by_client on guest_bookings (event_id, client_id)',
  'create index guest_bookings_by_appointment on guest_bookings (appointment_id)',
]);
