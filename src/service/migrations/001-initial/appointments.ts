import type { Fragments } from '../../store/migration.ts';

/** Event types, appointments, calendars and tasks. */
export function appointments({ account, seq, times }: Fragments): string[] {
  return [
    // `longest` bounds the length of appointments, and so how early appointments that overlap a period can start.
    `create table event_types (
      ${seq}, id text not null unique, ${account}, name text not null, timezone text not null, slot_minutes bigint not null,
      availability text not null, max_bookings_per_slot bigint not null, rooms text not null, longest bigint not null,
      ${times})`,
    'create index event_types_by_account on event_types (account_id, seq)',
    `create table appointments (
      ${seq}, id text not null unique, ${account}, contact_id text, event_id text, status text not null,
      start_time bigint not null, end_time bigint not null, room_name text, description text, summary text,
      cancelation_reason text, ext_calendar_event_id text, calendar_synced bigint not null, imported bigint not null,
      is_recurring bigint not null, recurrence_frequency text, recurring_event_id text, recurring_interval bigint,
      recurring_sequence bigint, end_after_x_occurrences bigint, booking_provider text, place_room text not null,
      place bigint, campaign_id text, agent_id text, channel text, imported_event text, ${times})`,
    'create index appointments_by_account on appointments (account_id, seq)',
    'create index appointments_by_contact on appointments (contact_id, seq)',
    'create index appointments_by_event on appointments (event_id, start_time)',
    'create index appointments_by_status on appointments (account_id, status, seq)',
    // An imported appointment keeps its event, even after it is canceled.
    'create unique index imported_appointments on appointments (account_id, imported_event) where imported_event is not null',
    // Each place of a slot can be taken only once.
    `create unique index taken_places on appointments (event_id, start_time, place_room, place)
      where status = 'Confirmed' and event_id is not null`,
    // Events with an appointment were synced from it.
    `create table calendar_events (${seq}, ${account}, id text not null, appointment_id text, event text not null)`,
    'create index calendar_events_by_account on calendar_events (account_id, seq)',
    'create index calendar_events_by_id on calendar_events (account_id, id)',
    `create table calendar_imports (
      ${seq}, id text not null unique, ${account}, campaign_id text, agent_id text, identifier text not null,
      status text not null, message text, error text, ${times})`,
    'create index calendar_imports_by_account on calendar_imports (account_id, seq)',
    `create table tasks (
      ${seq}, id text not null unique, ${account}, title text not null, description text,
      contact_id text references contacts (id) on delete set null, assignee text, due_at bigint, status text not null,
      completed_at bigint, ${times})`,
    'create index tasks_by_account on tasks (account_id, seq)',
    'create index tasks_by_contact on tasks (contact_id)',
  ];
}
