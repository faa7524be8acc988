import type { FindZone } from '../../../contract/time/zones.ts';
import { dayLength } from '../../../contract/time/days.ts';
import { dateOf, dayOfLocalTime } from '../../../contract/time/zones.ts';
import type { Db } from '../../store/database.ts';
import { newest } from '../../store/newest.ts';
import { type EventType, eventTypes } from '../events/table.ts';
import { type Appointment, appointments } from './table.ts';

/** An appointment as answers show it. */
export function appointmentRecord(appointment: Appointment) {
  const { id, contact_id, event_id, status, start_time, end_time, created_at, updated_at, ...others } = appointments.show(appointment);
  const times = { start_time, end_time, created_at, last_modified_at: updated_at };
  return { id, contact_id, event_id, status, ...times, ...others };
}

/** The event types of appointments, by id. Event types that were deleted are left out, although rows may still refer to them. */
async function typesOf(db: Db, accountId: string, rows: readonly Appointment[]): Promise<Map<string, EventType>> {
  return await eventTypes.findMany(
    db,
    accountId,
    rows.flatMap(({ event_id: id }) => id ?? []),
  );
}

/** Appointments as answers show them. References to deleted event types are null. */
export async function appointmentRecords(db: Db, accountId: string, rows: readonly Appointment[]) {
  const types = await typesOf(db, accountId, rows);
  return rows.map((row) => appointmentRecord({ ...row, event_id: row.event_id !== null && types.has(row.event_id) ? row.event_id : null }));
}

/** An appointment with its event type, if it has one. @throws ApiError 404 when the account has no such appointment */
export async function requireAppointment(db: Db, accountId: string, id: string): Promise<{ appointment: Appointment; type?: EventType }> {
  const appointment = await appointments.require(db, accountId, id);
  const type = appointment.event_id === null ? undefined : await eventTypes.find(db, accountId, appointment.event_id);
  return type ? { appointment, type } : { appointment: { ...appointment, event_id: null } };
}

/** The filter of a list of appointments. */
interface Filter {
  readonly contact_id?: string | undefined;
  readonly status?: Appointment['status'] | undefined;
}

/** Lists appointments by descending `seq`, below `before`. */
export async function listAppointments(db: Db, accountId: string, filter: Filter, before: number | undefined, limit: number) {
  const { contact_id, status } = filter;
  const where = { account_id: accountId, contact_id, status: contact_id === undefined ? status : ('Confirmed' as const) };
  return await newest(db, appointments, where, before, limit);
}

/** The maximum offset of time zones, in milliseconds. A local day begins and ends within this distance of the UTC day. */
const aroundDay = dayLength;

/**
 * Lists a contact's confirmed appointments on a day, in the time zones of their event types. Pagination is the same as in
 * `listAppointments`.
 * @param date as YYYY-MM-DD
 */
export async function listOfDay(
  db: Db,
  accountId: string,
  contactId: string,
  date: string,
  findZone: FindZone,
  before: number | undefined,
  limit: number,
): Promise<Appointment[]> {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const stored = await db
    .selectFrom('appointments')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('contact_id', '=', contactId)
    .where('status', '=', 'Confirmed')
    .where('start_time', '>=', midnight - aroundDay)
    .where('start_time', '<', midnight + 2 * aroundDay)
    .orderBy('seq', 'desc')
    .execute();
  const rows = stored.map(appointments.decode);
  const types = await typesOf(db, accountId, rows);
  const isOfDay = ({ event_id: id, start_time: start }: Appointment) =>
    dateOf(dayOfLocalTime(findZone(types.get(id ?? '')?.timezone ?? 'UTC').localTime(start))) === date;
  return rows.filter((row) => isOfDay(row) && (before === undefined || row.seq < before)).slice(0, limit);
}
