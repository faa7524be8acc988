import { weekdayOf } from '../../../../contract/areas/appointments/slots.ts';
import type { Db } from '../../../store/database.ts';
import type { NewRow } from '../../../store/table.ts';
import { dayLength, dayOf, hourLength } from '../../activity/counts.ts';
import type { EventType } from '../../events/records.ts';
import type { appointments } from '../../appointments/table.ts';
import { consultation } from './players.ts';

const slotLength = consultation.slotMinutes * 60_000;
const slotsOfDay = ((consultation.lastHour - consultation.firstHour) * hourLength) / slotLength;

/** The place that an appointment takes. */
type Place = Pick<NewRow<typeof appointments>, 'event_id' | 'start_time' | 'end_time' | 'place'>;

/** The places of an event type that are taken, by the begin of the slot. */
export class Slots {
  readonly #type: EventType;
  readonly #taken: Map<number, number>;

  private constructor(type: EventType, taken: Map<number, number>) {
    this.#type = type;
    this.#taken = taken;
  }

  static async load(db: Db, type: EventType): Promise<Slots> {
    const rows = await db
      .selectFrom('appointments')
      .select(['start_time', (eb) => eb.fn.max('place').as('place')])
      .where('event_id', '=', type.id)
      .where('status', '=', 'Confirmed')
      .groupBy('start_time')
      .execute();
    return new Slots(type, new Map(rows.map(({ start_time: start, place }) => [start, place ?? 0])));
  }

  /** Takes a place some slots after the day of a booking, or in the next slot that has one. */
  take(at: number, ahead: number): Place {
    for (let slot = ahead; ; slot++) {
      const start = slotAfter(at, slot);
      const place = (this.#taken.get(start) ?? 0) + 1;
      if (place > this.#type.max_bookings_per_slot) continue;
      this.#taken.set(start, place);
      return { event_id: this.#type.id, start_time: start, end_time: start + slotLength, place };
    }
  }
}

/** The begin of a slot, counted from the first working day after an instant. */
function slotAfter(at: number, slot: number): number {
  let day = dayOf(at);
  for (let left = Math.floor(slot / slotsOfDay) + 1; left > 0;) if (isWorkingDay(++day)) left--;
  return day * dayLength + consultation.firstHour * hourLength + (slot % slotsOfDay) * slotLength;
}

/** Monday to Friday. */
function isWorkingDay(day: number): boolean {
  return !['saturday', 'sunday'].includes(weekdayOf(day));
}
