import { sql } from 'kysely';
import type { Slot } from '../../../contract/areas/appointments/slots.ts';
import { ApiError, invalidField } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { prepared } from '../../store/prepared.ts';
import type { EventType } from '../events/table.ts';

// A slot has places, and each appointment takes one. A unique index ensures that a place is taken only once, so that concurrent
// bookings never exceed the number of places. With rooms, each room has its own places.

/** An appointment that takes a place. */
interface Taken extends Slot {
  readonly room: string;
  readonly place: number;
}

/** A place for an appointment. */
export interface BookingPlace {
  readonly room_name: string | null;
  readonly place_room: string;
  readonly place: number;
}

const overlapping = prepared<Slot & { event: string; earliest: number }, Taken & { id: string }>((db, $) =>
  db
    .selectFrom('appointments')
    .select(['id', 'start_time as start', 'end_time as end', 'place_room as room', sql<number>`place`.as('place')])
    .where('event_id', '=', $.event)
    .where(sql<boolean>`status = 'Confirmed'`)
    .where('start_time', '>', $.earliest)
    .where('start_time', '<', $.end)
    .where('end_time', '>', $.start),
);

/** Reads the appointments of an event type that overlap a period. @param except the id of an appointment to leave out */
async function readTaken(db: Db, type: EventType, { start, end }: Slot, except?: string): Promise<Taken[]> {
  const earliest = start - Math.max(type.longest, type.slot_minutes * 60_000);
  const rows = await overlapping(db, { event: type.id, start, end, earliest });
  return except === undefined ? rows : rows.filter(({ id }) => id !== except);
}

/** Updates the length of an event type's longest appointment. Call it for each appointment that is created or moved. */
export async function keepLongest(db: Db, { id, longest }: EventType, { start, end }: Slot): Promise<void> {
  if (end - start <= longest) return;
  await db
    .updateTable('event_types')
    .set({ longest: end - start })
    .where('id', '=', id)
    .where('longest', '<', end - start)
    .execute();
}

/**
 * Finds a place for an appointment.
 * @param room the requested room; by default, the first one with a free place
 * @param except the id of the appointment that is moved
 * @throws ApiError 400 for a room that the event type does not have, 409 when all places are taken
 */
export async function findPlace(db: Db, type: EventType, time: Slot, room: string | undefined, except?: string): Promise<BookingPlace> {
  if (type.rooms.length > 0 && room !== undefined && !type.rooms.includes(room))
    throw invalidField('room_name', `is not a room of the event type; its rooms are ${type.rooms.join(', ')}`);
  const taken = await readTaken(db, type, time, except);
  const occupancy = new Occupancy(taken, type.rooms.length > 0);
  for (const candidate of roomsOf(type, room)) {
    if (occupancy.takenDuring(candidate, time) >= type.max_bookings_per_slot) continue;
    const ofRoom = candidate === '' ? taken : taken.filter((each) => each.room === candidate);
    return { room_name: candidate || (room ?? null), place_room: candidate, place: firstFree(ofRoom) };
  }
  throw allTaken(type, room);
}

/** The 409 for a time without a free place. An event type without rooms ignores the room that was asked for. */
function allTaken({ rooms }: EventType, room: string | undefined): ApiError {
  const where = rooms.length === 0 || room === undefined ? '' : ` in '${room}'`;
  return new ApiError(409, `All places${where} at this time are taken`);
}

/**
 * @param slots slots of an event type
 * @param time a time that overlaps them, at which none of them begins
 * @param except the id of the appointment that is moved
 * @throws ApiError 409 when all places of one of the slots are taken
 */
export async function checkOverlapped(
  db: Db,
  type: EventType,
  slots: readonly Slot[],
  time: Slot,
  room: string | undefined,
  except?: string,
): Promise<void> {
  const bounds = { start: slots[0]?.start ?? time.start, end: slots.at(-1)?.end ?? time.end };
  const occupancy = new Occupancy(await readTaken(db, type, bounds, except), type.rooms.length > 0);
  const isFull = (slot: Slot) => roomsOf(type, room).every((each) => occupancy.takenDuring(each, slot) >= type.max_bookings_per_slot);
  if (slots.some(isFull)) throw allTaken(type, room);
}

/** The rooms that may be used. An empty name represents an event type without rooms. */
function roomsOf({ rooms }: EventType, wanted: string | undefined): readonly string[] {
  if (rooms.length === 0) return [''];
  return wanted === undefined ? rooms : [wanted];
}

function firstFree(taken: readonly Taken[]): number {
  const places = new Set(taken.map(({ place }) => place));
  let place = 1;
  while (places.has(place)) place += 1;
  return place;
}

/** The number of places that are taken in each room at a given time. */
export class Occupancy {
  readonly #starts = new Map<string, number[]>();
  readonly #ends = new Map<string, number[]>();

  constructor(taken: readonly Taken[], hasRooms: boolean) {
    for (const { start, end, room } of taken) {
      const key = hasRooms ? room : '';
      add(this.#starts, key, start);
      add(this.#ends, key, end);
    }
    for (const times of [...this.#starts.values(), ...this.#ends.values()]) times.sort((a, b) => a - b);
  }

  /** Reads the occupancy of an event type for a range of time. */
  static async read(db: Db, type: EventType, range: Slot): Promise<Occupancy> {
    return new Occupancy(await readTaken(db, type, range), type.rooms.length > 0);
  }

  /**
   * The maximum number of places that are taken at the same time during a slot. @param room empty for an event type without rooms
   */
  takenDuring(room: string, { start, end }: Slot): number {
    const [starts, ends] = [this.#starts.get(room) ?? [], this.#ends.get(room) ?? []];
    const takenAt = (time: number) => countBelow(starts, time + 1) - countBelow(ends, time + 1);
    let most = takenAt(start);
    // The number can only increase when another appointment begins.
    const begun = starts.slice(countBelow(starts, start + 1), countBelow(starts, end));
    for (const time of begun) most = Math.max(most, takenAt(time));
    return most;
  }
}

function add(times: Map<string, number[]>, key: string, time: number): void {
  const known = times.get(key);
  if (known) known.push(time);
  else times.set(key, [time]);
}

/** The number of sorted values below a limit. */
function countBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
