import type { Db } from '../../../store/database.ts';
import type { NewRow } from '../../../store/table.ts';
import { dayLength } from '../../../../contract/time/days.ts';
import { dayOf, hourLength } from '../../activity/counts.ts';
import type { EventType } from '../../events/table.ts';
import type { appointments } from '../../appointments/table.ts';
import { appointmentTimes } from './names.ts';

const slotLength = appointmentTimes.slotMinutes * 60_000;
const slotsOfDay = ((appointmentTimes.lastHour - appointmentTimes.firstHour) * hourLength) / slotLength;

/** The place of an appointment. */
type Place = Pick<NewRow<typeof appointments>, 'event_id' | 'start_time' | 'end_time' | 'place'>;

/** How many places of an event type are taken, by the start of the slot. */
type TakenPlaces = ReadonlyMap<number, number>;

/** Reads the places of an event type that are taken from an instant on, in epoch milliseconds. */
export async function readTakenPlaces(db: Db, { id }: EventType, from: number): Promise<TakenPlaces> {
  const rows = await db
    .selectFrom('appointments')
    .select(['start_time', (eb) => eb.fn.max('place').as('place')])
    .where('event_id', '=', id)
    .where('status', '=', 'Confirmed')
    .where('start_time', '>=', from)
    .groupBy('start_time')
    .execute();
  return new Map(rows.map(({ start_time: start, place }) => [start, place ?? 0]));
}

/** The places of an event type. */
export class Slots {
  readonly #type: EventType;
  readonly #taken: Map<number, number>;
  /** For each full slot, a later slot at which the search continues. A history can fill the slots of years. */
  readonly #later = new Map<number, number>();

  constructor(type: EventType, taken: TakenPlaces) {
    this.#type = type;
    this.#taken = new Map(taken);
  }

  /** Takes a place in the slot that is `ahead` slots after the day of a booking, or in the next slot with a free place. */
  take(at: number, ahead: number): Place {
    for (let slot = this.#slotFrom(firstSlotAfter(at) + ahead); ; slot = this.#slotFrom(slot)) {
      const start = startOfSlot(slot);
      const place = (this.#taken.get(start) ?? 0) + 1;
      if (place > this.#type.max_bookings_per_slot) {
        this.#later.set(slot, slot + 1);
        continue;
      }
      this.#taken.set(start, place);
      return { event_id: this.#type.id, start_time: start, end_time: start + slotLength, place };
    }
  }

  /** The first slot, from the given one, that may have a free place. */
  #slotFrom(slot: number): number {
    let found = slot;
    for (let later; (later = this.#later.get(found)) !== undefined;) found = later;
    // Path compression: the next search from any of these slots takes one step.
    for (let passed = slot; passed !== found;) {
      const later = this.#later.get(passed) ?? found;
      this.#later.set(passed, found);
      passed = later;
    }
    return found;
  }
}

/** The number of days in a week and of working days, from Monday. */
const [daysOfWeek, workingDays] = [7, 5];

/** A Monday before every history, in days since 1970-01-01. */
const firstMonday = -3 - daysOfWeek * 1_000;

/** The first slot of the first working day after an instant. Slots are numbered from the first Monday. */
function firstSlotAfter(instant: number): number {
  const days = dayOf(instant) + 1 - firstMonday;
  return (Math.floor(days / daysOfWeek) * workingDays + Math.min(days % daysOfWeek, workingDays)) * slotsOfDay;
}

/** The start of a slot. */
function startOfSlot(slot: number): number {
  const workingDay = Math.floor(slot / slotsOfDay);
  const day = firstMonday + Math.floor(workingDay / workingDays) * daysOfWeek + (workingDay % workingDays);
  return day * dayLength + appointmentTimes.firstHour * hourLength + (slot % slotsOfDay) * slotLength;
}
