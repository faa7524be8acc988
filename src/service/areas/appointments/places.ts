import { sql } from 'kysely';
import type { Slot } from '../../../contract/areas/appointments/slots.ts';
import { ApiError } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { prepared } from '../../store/prepared.ts';
import type { EventType } from '../events/records.ts';

// A slot has places, and an appointment takes one of them. Each place is taken once: a unique index sees to it, so that as
// many appointments are made as there are places, whoever books at the same time. With rooms, each room has places of its own.

/** An appointment that takes a place. */
interface Taken extends Slot {
  readonly room: string;
  readonly place: number;
}

/** A place for an appointment. */
export interface Place {
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

/** Reads the appointments of an event type that overlap a time. @param except an appointment that is left out */
async function readTaken(db: Db, type: EventType, { start, end }: Slot, except?: string): Promise<Taken[]> {
  const earliest = start - Math.max(type.longest, type.slot_minutes * 60_000);
  const rows = await overlapping(db, { event: type.id, start, end, earliest });
  return except === undefined ? rows : rows.filter(({ id }) => id !== except);
}

/** Keeps the length of the longest appointment of an event type. Call it with each appointment that is made or moved. */
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
 * @param room the room that is wanted; by default, the first one with a place
 * @param except the appointment that moves
 * @throws ApiError 400 for a room that the event type does not have, 409 when all places are taken
 */
export async function findPlace(db: Db, type: EventType, time: Slot, room: string | undefined, except?: string): Promise<Place> {
  if (type.rooms.length > 0 && room !== undefined && !type.rooms.includes(room))
    throw new ApiError(400, `room_name: is not a room of the event type; its rooms are ${type.rooms.join(', ')}`);
  const taken = await readTaken(db, type, time, except);
  const occupancy = new Occupancy(taken, type.rooms.length > 0);
  for (const candidate of roomsOf(type, room)) {
    if (occupancy.takenDuring(candidate, time) >= type.max_bookings_per_slot) continue;
    const ofRoom = candidate === '' ? taken : taken.filter((each) => each.room === candidate);
    return { room_name: candidate || (room ?? null), place_room: candidate, place: firstFree(ofRoom) };
  }
  throw new ApiError(409, room === undefined ? 'All places at this time are taken' : `All places in '${room}' at this time are taken`);
}

/** The rooms whose places can be taken; an empty name for the places of an event type without rooms. */
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

/** How many places are taken at any time, in each room. */
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

  /** Reads the occupancy of an event type from one instant to another. */
  static async read(db: Db, type: EventType, range: Slot): Promise<Occupancy> {
    return new Occupancy(await readTaken(db, type, range), type.rooms.length > 0);
  }

  /** The greatest number of places that are taken at the same time during a slot. @param room empty for an event type without rooms */
  takenDuring(room: string, { start, end }: Slot): number {
    const [starts, ends] = [this.#starts.get(room) ?? [], this.#ends.get(room) ?? []];
    const takenAt = (time: number) => countBelow(starts, time + 1) - countBelow(ends, time + 1);
    let most = takenAt(start);
    // More can be taken only where another appointment begins.
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

/** How many of some sorted numbers are below a limit. */
function countBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
