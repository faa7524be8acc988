import type { bookAppointment } from '../../../contract/areas/appointments/endpoints.ts';
import type { Slot } from '../../../contract/areas/appointments/slots.ts';
import type { Body } from '../../../contract/endpoint.ts';
import { parseInstant } from '../../../contract/time/instants.ts';
import type { FindZone } from '../../../contract/time/zones.ts';
import { ApiError, notFound, invalidField } from '../../errors.ts';
import type { Account } from '../../identity/accounts.ts';
import type { Db } from '../../store/database.ts';
import { type Journal, readForJournals, withJournals } from '../activity/journal.ts';
import { readConnected } from '../calendars/records.ts';
import { contacts, type StoredContact } from '../contacts/table.ts';
import { type EventType, eventTypes } from '../events/table.ts';
import { findPresentSessions, markBooked } from '../sessions/booked.ts';
import { slotAt, slotsDuring } from './available.ts';
import { checkOverlapped, findPlace, keepLongest } from './places.ts';
import { appointmentRecord } from './records.ts';
import { queueSync } from './sync.ts';
import { type Appointment, appointments } from './table.ts';

/** A request to book an appointment. */
interface Booking {
  readonly account: Account;
  readonly body: Body<typeof bookAppointment>;
  /** What stands on the appointment of a guest. */
  readonly description?: string | undefined;
  readonly now: number;
  readonly prepared: FindZone;
}

/**
 * Handles a batch of booking requests, for any accounts, in one transaction. Returns the appointment of each request, or the
 * reason it was refused.
 */
export async function bookAll(db: Db, requests: readonly Booking[]) {
  const now = Math.max(...requests.map((request) => request.now));
  // Requests of the same account can have different copies of its settings, if they changed while requests waited. The copy of
  // the latest request is used.
  const accounts = new Map(requests.map(({ account }) => [account.id, account]));
  const ids = [...accounts.keys()];
  const contactIds = requests.map(({ body }) => body.contact_id);
  const typeIds = requests.map(({ body }) => body.event_id);
  const [forJournals, connected, foundContacts, foundTypes, sessions] = await Promise.all([
    readForJournals(db, ids),
    readConnected(db, ids),
    contacts.findAnywhere(db, contactIds),
    eventTypes.findAnywhere(db, typeIds),
    findPresentSessions(db, contactIds, now),
  ]);
  const bookEach = async (journals: readonly Journal[]) => {
    const outcomes: (Appointment | ApiError)[] = [];
    for (const { account, body, description, prepared: findZone } of requests) {
      const [contact, type] = [foundContacts.get(body.contact_id), foundTypes.get(body.event_id)];
      const session = sessions.get(body.contact_id);
      const outcome = await bookOne(db, account, contact, type, { ...body, description }, findZone, session?.campaign_id ?? null, now);
      outcomes.push(outcome);
      const journal = journals.find((each) => each.account.id === account.id);
      if (outcome instanceof ApiError || !contact || !journal) continue;
      announce(journal, outcome);
      if (session) await markBooked(db, journal, session);
      if (connected.has(account.id)) await queueSync(db, journal, outcome.id);
    }
    return outcomes;
  };
  const outcomes = await withJournals(db, [...accounts.values()], now, bookEach, forJournals);
  return outcomes.map((outcome) =>
    outcome instanceof ApiError ? outcome : { appointment_id: outcome.id, appointment: appointmentRecord(outcome) },
  );
}

/** @returns an ApiError when the request is refused; nothing is changed then */
async function bookOne(
  db: Db,
  account: Account,
  contact: StoredContact | undefined,
  type: EventType | undefined,
  body: Booking['body'] & Pick<Booking, 'description'>,
  findZone: FindZone,
  campaignId: string | null,
  now: number,
): Promise<Appointment | ApiError> {
  if (contact?.account_id !== account.id) return notFound('contact');
  if (type?.account_id !== account.id) return notFound('event');
  const start = parseInstant(body.start_time) as number;
  const time = { start, end: start + type.slot_minutes * 60_000 };
  try {
    const slot = await requireSlot(db, type, findZone, time, body.room_name, now);
    return await book(db, contact, type, slot, { room: body.room_name, campaignId, description: body.description }, now);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/**
 * The slot that begins at a time.
 * @param time of the appointment that is wanted
 * @param except the id of the appointment that is moved
 * @throws ApiError when no slot begins then: 409 if all places of one that it overlaps are taken, 400 otherwise
 */
export async function requireSlot(
  db: Db,
  type: EventType,
  findZone: FindZone,
  time: Slot,
  room: string | undefined,
  now: number,
  except?: string,
): Promise<Slot> {
  const zone = findZone(type.timezone);
  const slot = slotAt(type, zone, time.start, now);
  if (slot) return slot;
  await checkOverlapped(db, type, slotsDuring(type, zone, time, now), time, room, except);
  throw invalidField('start_time', `is not one of the slots that ${type.name} offers`, { reason: 'not_a_slot' });
}

/** Emits the event of a booking, and counts the booking. */
function announce(journal: Journal, appointment: Appointment): void {
  const { campaign_id: campaignId, agent_id: agentId, channel } = appointment;
  journal.emit('Appointment Booked', () => ({ appointment: appointmentRecord(appointment) }));
  journal.count('booked', { campaignId, agentId, channel, ownIdentity: null });
}

/**
 * Books a slot for a contact. If another transaction took the place after it was found free, the database refuses the insertion,
 * and the next place is tried.
 * @param wanted.room the room; by default, the first one with a free place
 * @param wanted.campaignId the campaign of the contact's conversation, which the booking counts for
 * @param wanted.description what stands on the appointment
 * @throws ApiError 400 for a room that the event type does not have, 409 when all places are taken
 */
export async function book(
  db: Db,
  { id, account_id: accountId, agent_id, channel }: StoredContact,
  type: EventType,
  slot: Slot,
  {
    room,
    campaignId,
    description = null,
  }: { readonly room: string | undefined; readonly campaignId: string | null; readonly description?: string | null | undefined },
  now: number,
): Promise<Appointment> {
  for (;;) {
    const place = await findPlace(db, type, slot, room);
    const fields = {
      contact_id: id,
      event_id: type.id,
      start_time: slot.start,
      end_time: slot.end,
      ...place,
      description,
      campaign_id: campaignId,
      agent_id,
      channel,
    };
    const appointment = await appointments.createUnless('on conflict do nothing', db, accountId, fields, now);
    if (!appointment) continue;
    await keepLongest(db, type, slot);
    return appointment;
  }
}
