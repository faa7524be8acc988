import type { availableSlots } from '../../../contract/areas/appointments/endpoints.ts';
import { type Slot, slotsOfDay, weekdayOf } from '../../../contract/areas/appointments/slots.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import { parseInstant } from '../../../contract/time/instants.ts';
import { dateOf, dayOfLocalTime, startOfDay, timeOfDay, type Zone } from '../../../contract/time/zones.ts';
import { invalidField } from '../../errors.ts';
import type { Service } from '../../http/handler.ts';
import type { EventType } from '../events/table.ts';
import { Occupancy } from './places.ts';

/** The maximum length of a range, in days, and the maximum number of slots in an answer (rule appointments.11). */
const limits = { days: 400, slots: 100_000 };

/** The days and instants for which slots are requested. */
interface Range {
  readonly firstDay: number;
  readonly lastDay: number;
  /** Slots begin at this instant or later. */
  readonly from: number;
}

const endsBefore = () => invalidField('end_time', 'must not be before start_time');

/** Checks a range without its time zone, as far as that is possible. @throws ApiError 400 when it ends before it starts */
export function checkRange(start: string, end: string): void {
  if (isDate(start) === isDate(end) && (parseInstant(end) as number) < (parseInstant(start) as number)) throw endsBefore();
}

/**
 * Reads the range for which slots are requested. Dates are whole local days; the last day is included.
 * @param now slots before this instant are not offered
 * @throws ApiError 400 when it ends before it starts, or is too long
 */
export function readRange(zone: Zone, start: string, end: string, now: number): Range {
  const first = localTimeOf(zone, start);
  const last = localTimeOf(zone, end);
  if (isDate(end) ? dayOfLocalTime(last) < dayOfLocalTime(first) : last < first) throw endsBefore();
  const from = isDate(start) ? zone.instantFrom(first) : (parseInstant(start) as number);
  const firstDay = Math.max(dayOfLocalTime(first), dayOfLocalTime(zone.localTime(now)));
  const lastDay = dayOfLocalTime(last);
  if (lastDay - firstDay >= limits.days) throw invalidField('end_time', `must be less than ${limits.days} days after start_time`);
  return { firstDay, lastDay, from: Math.max(from, now) };
}

function isDate(text: string): boolean {
  return !text.includes('T');
}

function localTimeOf(zone: Zone, text: string): number {
  const instant = parseInstant(text) as number;
  return isDate(text) ? instant : zone.localTime(instant);
}

/** The number of days whose slots are computed in one step. */
const daysAtOnce = 30;

/**
 * Lists the free slots of a range, by day and room. Works in steps, so that other requests are served in between.
 * @throws ApiError 400 when there are too many
 */
export async function listSlots({ store, scheduler }: Service, type: EventType, zone: Zone, { firstDay, lastDay, from }: Range) {
  const bounds = { start: from, end: zone.instantFrom(startOfDay(lastDay + 2)) };
  const occupancy = await store.read((db) => Occupancy.read(db, type, bounds));
  const rooms = type.rooms.length > 0 ? type.rooms : [''];
  const records: DayRecord[] = [];
  let count = 0;
  for (let first = firstDay; first <= lastDay; first += daysAtOnce)
    await scheduler.run(async () => {
      for (let day = first; day < first + daysAtOnce && day <= lastDay; day++) {
        const slots = slotsOfDay(type, zone, day).filter(({ start }) => start >= from);
        count += slots.length * rooms.length;
        if (count > limits.slots) throw invalidField('end_time', `there are more than ${limits.slots} slots; ask for fewer days`);
        for (const room of rooms) records.push(...dayRecords(type, zone, day, room, slots, occupancy));
      }
    });
  return records;
}

/**
 * The free slots of an event type that begin in a range, in any room, the earliest first. Works in steps, so that other requests are
 * served in between.
 * @param last slots begin at this instant or earlier
 * @param most how many slots are wanted at most
 */
export async function freeSlots(
  { store, scheduler }: Pick<Service, 'store' | 'scheduler'>,
  type: EventType,
  zone: Zone,
  { from, last, most = limits.slots }: { readonly from: number; readonly last: number; readonly most?: number | undefined },
): Promise<Slot[]> {
  const firstDay = dayOfLocalTime(zone.localTime(from));
  const lastDay = dayOfLocalTime(zone.localTime(last));
  const end = zone.instantFrom(startOfDay(lastDay + 2));
  const occupancy = await store.read((db) => Occupancy.read(db, type, { start: from, end }));
  const rooms = type.rooms.length > 0 ? type.rooms : [''];
  const isFree = (slot: Slot) => rooms.some((room) => occupancy.takenDuring(room, slot) < type.max_bookings_per_slot);
  const free: Slot[] = [];
  for (let day = firstDay; day <= lastDay && free.length < most; day++)
    await scheduler.run(async () => {
      for (const slot of slotsOfDay(type, zone, day)) if (slot.start >= from && slot.start <= last && isFree(slot)) free.push(slot);
    });
  return free.slice(0, most);
}

type DayRecord = Answer<typeof availableSlots>['data'][number];

/** The free slots of a day in a room, as answers show them; empty when all places are taken. */
function dayRecords(type: EventType, zone: Zone, day: number, room: string, slots: readonly Slot[], occupancy: Occupancy): DayRecord[] {
  const { max_bookings_per_slot: places } = type;
  const free = slots.flatMap((slot) => {
    const left = places - occupancy.takenDuring(room, slot);
    if (left <= 0) return [];
    const [start, end] = [timeOfDay(zone.localTime(slot.start)), timeOfDay(zone.localTime(slot.end))];
    return [{ start_time: start, end_time: end, available: true as const, ...(places > 1 && { spots_left: left }) }];
  });
  if (free.length === 0) return [];
  const date = dateOf(day).split('-').reverse().join('/');
  return [{ date, day: weekdayOf(day), ...(room !== '' && { room_name: room }), available_slots: free }];
}

/** The maximum length of a period whose slots are looked for, in milliseconds. */
const longestPeriod = 31 * 86_400_000;

/** The offered slots that overlap a period, oldest first. Of a long period, only those of its first month. */
export function slotsDuring(type: EventType, zone: Zone, { start, end }: Slot, now: number): Slot[] {
  const until = Math.min(end, start + longestPeriod);
  const dayAt = (instant: number) => dayOfLocalTime(zone.localTime(instant));
  const slots: Slot[] = [];
  // A slot of the day before can last until this one.
  for (let day = dayAt(start) - 1; day <= dayAt(until); day++) slots.push(...slotsOfDay(type, zone, day));
  return slots.filter((slot) => slot.start >= now && slot.start < until && slot.end > start);
}

/** The offered slot that begins at an instant; undefined when no slot begins then. */
export function slotAt(type: EventType, zone: Zone, start: number, now: number): Slot | undefined {
  if (start < now) return undefined;
  return slotsOfDay(type, zone, dayOfLocalTime(zone.localTime(start))).find((slot) => slot.start === start);
}
