import { migration } from '../store/migration.ts';

/** Appointments, the events of connected calendars, and imports from these. */
export const appointments = migration('appointments', ({ engine, seq, account, times }) => {
  const [eventsOf, id] =
    engine === 'sqlite'
      ? ["json_each(accounts.calendar, '$.events') as found", "json_extract(found.value, '$.id')"]
      : ["json_array_elements(accounts.calendar::json -> 'events') as found (value)", "found.value ->> 'id'"];
  return [
    `create table appointments (
      ${seq}, id text not null unique, ${account}, contact_id text, event_id text, status text not null, start_time bigint not null,
      end_time bigint not null, room_name text, description text, summary text, cancelation_reason text, ext_calendar_event_id text,
      calendar_synced bigint not null, imported bigint not null, is_recurring bigint not null, recurrence_frequency text,
      recurring_event_id text, recurring_interval bigint, recurring_sequence bigint, end_after_x_occurrences bigint,
      booking_provider text, place_room text not null, place bigint, ${times})`,
    'create index appointments_by_account on appointments (account_id, seq)',
    'create index appointments_by_status on appointments (account_id, status, seq)',
    'create index appointments_by_contact on appointments (contact_id, seq)',
    'create index appointments_by_event on appointments (event_id, start_time)',
    // Each place of a slot can be taken only once.
    `create unique index taken_places on appointments (event_id, start_time, place_room, place)
      where status = 'Confirmed' and event_id is not null`,
    // An upper bound of the length of appointments. It limits how early appointments that overlap a period can start.
    'alter table event_types add column longest bigint not null default 0',
    `create unique index imported_appointments on appointments (account_id, ext_calendar_event_id)
      where imported = 1 and ext_calendar_event_id is not null`,
    // Events with an appointment were synced from it.
    `create table calendar_events (
      ${seq}, ${account}, id text not null, appointment_id text, event text not null)`,
    'create index calendar_events_by_account on calendar_events (account_id, seq)',
    'create index calendar_events_by_id on calendar_events (account_id, id)',
    `insert into calendar_events (account_id, id, event)
      select accounts.id, ${id}, ${engine === 'sqlite' ? 'found.value' : 'found.value::text'} from accounts, ${eventsOf}`,
    engine === 'sqlite'
      ? "update accounts set calendar = json_set(calendar, '$.events', json('[]')) where json_type(calendar, '$.events') = 'array'"
      : "update accounts set calendar = jsonb_set(calendar::jsonb, '{events}', '[]')::text where calendar::jsonb -> 'events' is not null",
    `create table calendar_imports (
      ${seq}, id text not null unique, ${account}, campaign_id text, agent_id text, identifier text not null, status text not null,
      message text, error text, ${times})`,
    'create index calendar_imports_by_account on calendar_imports (account_id, seq)',
  ];
});
