import type { CalendarEvent, CalendarFixture } from '../../../contract/areas/sandbox/calendar.ts';
import { definedFields } from '../../../contract/defined-fields.ts';
import { accounts } from '../../identity/tables.ts';
import type { Db } from '../../store/database.ts';
import { insertMany } from '../../store/insert.ts';
import { isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import { calendarEvents, type StoredCalendarEvent } from './table.ts';

/** The connection of an account to its calendars. */
type Connection = Pick<CalendarFixture, 'connected' | 'calendars'>;

/** Reads the connection of an account to its calendars, which is stored with the account. The events are in a separate table. */
export async function readConnection(db: Db, accountId: string): Promise<Connection> {
  const row = await db.selectFrom('accounts').select('calendar').where('id', '=', accountId).executeTakeFirstOrThrow();
  const { connected, calendars } = accounts.decode(row).calendar as Connection;
  return definedFields({ connected, calendars });
}

const calendarsOf = prepared<{ ids: string }, { id: string; calendar: string }>((db, $) =>
  db
    .selectFrom('accounts')
    .select(['id', 'calendar'])
    .where(isAmong(db, 'id', $.ids)),
);

/** Reads which accounts have connected a calendar. */
export async function readConnected(db: Db, accountIds: readonly string[]): Promise<Set<string>> {
  const rows = await calendarsOf(db, { ids: JSON.stringify(accountIds) });
  return new Set(rows.filter((row) => (accounts.decode(row).calendar as Connection).connected).map(({ id }) => id));
}

/** The calendar of an account as the sandbox shows it: its own events, and events synced from appointments. */
export async function readCalendar(db: Db, accountId: string): Promise<Required<CalendarFixture>> {
  const { connected = false, calendars = [] } = await readConnection(db, accountId);
  const rows = await db.selectFrom('calendar_events').select('event').where('account_id', '=', accountId).orderBy('seq').execute();
  return { connected, calendars, events: rows.map((row) => calendarEvents.decode(row).event) };
}

/** Changes the given fields of a calendar. Lists are replaced, but events synced from appointments stay. */
export async function mergeCalendar(db: Db, accountId: string, { events, ...connection }: CalendarFixture): Promise<void> {
  await db
    .updateTable('accounts')
    .set(accounts.encode({ calendar: { ...(await readConnection(db, accountId)), ...connection } }))
    .where('id', '=', accountId)
    .execute();
  if (events) await replaceEvents(db, accountId, events);
}

async function replaceEvents(db: Db, accountId: string, events: readonly CalendarEvent[]): Promise<void> {
  await db.deleteFrom('calendar_events').where('account_id', '=', accountId).where('appointment_id', 'is', null).execute();
  const synced = await db.selectFrom('calendar_events').select('id').where('account_id', '=', accountId).execute();
  const ids = new Set(synced.map(({ id }) => id));
  const own = events.filter(({ id }) => !ids.has(id));
  await insertMany(
    db,
    calendarEvents,
    own.map((event) => ({ account_id: accountId, id: event.id, event })),
  );
}

/** Reads the next of the calendar's own events, after the given `seq`. */
export async function nextOwnEvents(db: Db, accountId: string, after: number, limit: number): Promise<StoredCalendarEvent[]> {
  const rows = await db
    .selectFrom('calendar_events')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('appointment_id', 'is', null)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows.map(calendarEvents.decode);
}

/**
 * Writes the event of an appointment. An event that came from the calendar keeps its attendees, and is not recreated when it no
 * longer exists in the calendar.
 */
export async function writeEvent(
  db: Db,
  accountId: string,
  appointmentId: string,
  isImported: boolean,
  event: CalendarEvent,
): Promise<void> {
  const row = await db
    .selectFrom('calendar_events')
    .select(['seq', 'event'])
    .where('account_id', '=', accountId)
    .where('id', '=', event.id)
    .executeTakeFirst();
  if (row) {
    const changed = isImported ? { ...event, attendees: calendarEvents.decode(row).event.attendees } : event;
    await db
      .updateTable('calendar_events')
      .set(calendarEvents.encode({ event: changed }))
      .where('seq', '=', row.seq)
      .execute();
  } else if (!isImported) {
    await insertMany(db, calendarEvents, [{ account_id: accountId, id: event.id, appointment_id: appointmentId, event }]);
  }
}

/** Removes an event from a calendar. */
export async function removeEvent(db: Db, accountId: string, id: string): Promise<void> {
  await db.deleteFrom('calendar_events').where('account_id', '=', accountId).where('id', '=', id).execute();
}
