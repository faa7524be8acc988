import { sql } from 'kysely';
import type { updateAppointment } from '../../../contract/areas/appointments/endpoints.ts';
import type { Body } from '../../../contract/endpoint.ts';
import { parseInstant } from '../../../contract/time/instants.ts';
import { type FindZone, loadZones } from '../../../contract/time/zones.ts';
import { ApiError, checkNotEmpty, invalidField } from '../../errors.ts';
import { type AreaHandlers, batchedHandler, ownTransactionsHandler, preparedHandler } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { noteDeleted } from '../activity/incomplete-days.ts';
import { withJournal } from '../activity/journal.ts';
import { requireAgent } from '../agents/records.ts';
import { readConnection } from '../calendars/records.ts';
import { campaigns } from '../campaigns/table.ts';
import { contacts } from '../contacts/table.ts';
import { type EventType, eventTypes } from '../events/table.ts';
import { checkRange, listSlots, readRange } from './available.ts';
import { bookAll, requireSlot } from './booking.ts';
import { announceEnd, cancelAppointment, unlinked } from './canceling.ts';
import { startImport } from './importing.ts';
import { findPlace, keepLongest, type BookingPlace } from './places.ts';
import { appointmentRecord, appointmentRecords, listAppointments, listOfDay, requireAppointment } from './records.ts';
import { syncLater } from './sync.ts';
import { type Appointment, appointments, calendarImports } from './table.ts';

/** @throws ApiError 400 when the appointment would end before it starts */
function checkOrder(start: number, end: number): void {
  if (end <= start) throw invalidField('end_time', 'must be after the start');
}

/** The new time of an appointment, and its new place if it needs another one. */
async function move(
  db: Db,
  { appointment, type }: { appointment: Appointment; type?: EventType },
  body: Body<typeof updateAppointment>,
  findZone: FindZone | undefined,
  now: number,
): Promise<Pick<Appointment, 'start_time' | 'end_time' | 'room_name'> & Partial<BookingPlace> & { readonly event_id?: null }> {
  const before = { start: appointment.start_time, end: appointment.end_time };
  const start = body.start_time === undefined ? before.start : (parseInstant(body.start_time) as number);
  const end = body.end_time === undefined ? start + before.end - before.start : (parseInstant(body.end_time) as number);
  checkOrder(start, end);
  const { room_name: current } = appointment;
  const { room_name: wanted = current } = body;
  const moved = { start_time: start, end_time: end, room_name: wanted };
  // A deleted event type has no places.
  if (!type) return { ...moved, event_id: null };
  // If the event type no longer has the room, any other room may be used.
  const isGone = body.room_name === undefined && type.rooms.length > 0 && !type.rooms.includes(current ?? '');
  const room = isGone ? undefined : (wanted ?? undefined);
  if (start !== before.start && findZone) await requireSlot(db, type, findZone, { start, end }, room, now, appointment.id);
  const keepsRoom = type.rooms.length === 0 || wanted === current;
  if (start >= before.start && end <= before.end && keepsRoom) return moved;
  await keepLongest(db, type, { start, end });
  return { ...moved, ...(await findPlace(db, type, { start, end }, room, appointment.id)) };
}

export const appointmentHandlers: AreaHandlers<'appointments'> = {
  'appointments.slots': ownTransactionsHandler(async ({ service, account, query, now }) => {
    checkRange(query.start_time, query.end_time);
    const findZone = await loadZones();
    const type = await service.store.read((db) => eventTypes.require(db, account.id, query.event_id));
    const zone = findZone(type.timezone);
    return { data: await listSlots(service, type, zone, readRange(zone, query.start_time, query.end_time, now)) };
  }),

  'appointments.book': batchedHandler(loadZones, bookAll),

  'appointments.get': async ({ db, account, params }) => ({
    appointment: appointmentRecord((await requireAppointment(db, account.id, params.appointmentId)).appointment),
  }),

  'appointments.list': preparedHandler(
    async ({ query }) => (query.date === undefined ? undefined : await loadZones()),
    async ({ db, account, query, page }, findZone) => {
      const { contact_id: contactId, date } = query;
      if (contactId !== undefined) await contacts.require(db, account.id, contactId);
      const { rows, next_cursor } = await page((before, limit) =>
        findZone && contactId !== undefined && date !== undefined
          ? listOfDay(db, account.id, contactId, date, findZone, before, limit)
          : listAppointments(db, account.id, query, before, limit),
      );
      return { appointments: await appointmentRecords(db, account.id, rows), next_cursor };
    },
  ),

  'appointments.reschedule': preparedHandler(
    async ({ body }) => {
      checkNotEmpty(body);
      const [start, end] = [body.start_time, body.end_time].map((text) => (text === undefined ? undefined : parseInstant(text)));
      if (start !== undefined && end !== undefined) checkOrder(start, end);
      return body.start_time === undefined ? undefined : await loadZones();
    },
    async ({ db, account, params, body, now }, findZone) => {
      const found = await requireAppointment(db, account.id, params.appointmentId);
      const before = found.appointment;
      if (before.status === 'Canceled') throw new ApiError(400, 'The appointment is canceled: it cannot be changed');
      const { description, summary } = body;
      const moved = await move(db, found, body, findZone, now);
      const appointment = await appointments.setColumns(db, before, {
        ...moved,
        ...(description !== undefined && { description }),
        ...(summary !== undefined && { summary }),
        updated_at: now,
      });
      const record = appointmentRecord(appointment);
      await withJournal(db, account, now, async (journal) => {
        const isMoved = appointment.start_time !== before.start_time || appointment.end_time !== before.end_time;
        if (isMoved && !before.imported) journal.emit('Appointment Rescheduled', () => ({ appointment: record }));
        await syncLater(db, journal, appointment.id);
      });
      return { appointment_id: appointment.id, appointment: record };
    },
  ),

  'appointments.cancel': async ({ db, account, params, body, now }) => {
    const { appointment: before } = await requireAppointment(db, account.id, params.appointmentId);
    if (before.status === 'Canceled') throw new ApiError(400, 'The appointment is already canceled');
    await cancelAppointment(db, account, before, body.cancellation_reason ?? null, now);
    return { appointment_id: before.id };
  },

  'appointments.delete': async ({ db, account, params, now }) => {
    const { appointment } = await requireAppointment(db, account.id, params.appointmentId);
    await noteDeleted(db, 'appointments', 'created_at', sql`id = ${appointment.id}`);
    await appointments.delete(db, account.id, appointment.id);
    if (appointment.status === 'Canceled') return {};
    const ended = { ...appointment, status: 'Canceled', ...unlinked, updated_at: now } as const;
    await withJournal(db, account, now, (journal) => announceEnd(db, journal, appointment, ended));
    return {};
  },

  'appointments.calendars': async ({ db, account }) => {
    const { connected = false, calendars = [] } = await readConnection(db, account.id);
    if (!connected) throw new ApiError(400, 'No calendar is connected: connect one in the app first', { reason: 'no_calendar' });
    return { data: calendars };
  },

  'appointments.import': async ({ db, account, body, now }) => {
    const { campaign_id: campaignId = null, agent_id: agentId = null, identifier } = body;
    if (campaignId !== null) await campaigns.require(db, account.id, campaignId);
    if (agentId !== null) await requireAgent(db, account.id, agentId);
    const { id, status } = await startImport(db, account.id, { campaign_id: campaignId, agent_id: agentId, identifier }, now);
    return { job_id: id, status, campaign_id: campaignId, agent_id: agentId };
  },

  'appointments.importStatus': async ({ db, account, params }) => {
    const { id, status, message, error } = await calendarImports.require(db, account.id, params.jobId);
    return { job_id: id, status, message, error };
  },
};
