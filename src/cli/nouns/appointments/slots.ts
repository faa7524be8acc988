import { availableSlots } from '../../../contract/areas/appointments/endpoints.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import { iso } from '../../../contract/time/instants.ts';
import { dateOf, dayOfLocalTime, startOfDay, type Zone } from '../../../contract/time/zones.ts';
import type { Options, Session } from '../../verb/noun.ts';
import { type CliError, usageError } from '../../errors.ts';
import { selectsFromAnswer } from '../../global-options.ts';
import { eventLookup } from '../../lookups/events.ts';
import { type Result, wholeList } from '../../output/result.ts';
import { readDay } from './read-day.ts';
import { periodWords, weekdayOf } from './slot-words.ts';
import { type NamedZone, openZone } from './zone.ts';

const minute = 60_000;

/** Number of days to show without `--to`. */
const defaultDays = 7;

/** A bookable slot, with its times in the displayed time zone. */
export interface SlotRow {
  /** When it starts, as `book` reads it. */
  readonly slot: string;
  readonly date: string;
  readonly day: string;
  /** Times of day, with their offsets if these matter. */
  readonly start: string;
  readonly end: string;
  readonly room_name: string | null;
  /** Null if the slot has a single place. */
  readonly spots_left: number | null;
  readonly timezone: string;
  readonly start_time: string;
  readonly event_id: string;
  readonly event: string;
}

type Slots = Answer<typeof availableSlots>;

type Day = Slots['data'][number];

interface EventType {
  readonly id: string;
  readonly name: string;
  readonly timezone: string;
  readonly slot_minutes: number;
  readonly rooms: readonly string[];
}

/** Which slots to show. */
interface Wanted {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly tz?: string | undefined;
  readonly room?: string | undefined;
}

/** Lists the slots of an event type: a row each, or in the documents of JSON and YAML as the service answers. @throws as `readSlots` */
export async function listSlots(session: Session, word: string, options: Options): Promise<Result> {
  const { globals } = session;
  const { answer, rows } = await readSlots(session, word, options);
  const isDocument = globals.output === 'json' || globals.output === 'yaml' || selectsFromAnswer(globals);
  if (isDocument && !Array.isArray(globals.fields)) return { kind: 'record', answer, record: answer };
  return wholeList('slots', rows);
}

/**
 * Reads the slots of an event type, as the service answers and as rows in the time zone of `--tz`.
 * @throws CliError 2 if days are invalid or the event type does not have the room, 5 if there is no such event type
 */
export async function readSlots(
  session: Session,
  word: string,
  { from, to, tz, room }: Wanted,
): Promise<{ answer: Slots; rows: SlotRow[] }> {
  const type = await session.names.record(eventLookup, word);
  if (room !== undefined && !type.rooms.includes(room)) throw noRoomError(type, room);
  const own = await openZone(type.timezone);
  const zone = tz === undefined ? own : await openZone(tz);
  const now = await session.serviceTime();
  const first = from === undefined ? dayOfLocalTime(zone.localTime(now)) : await readDay('--from', from, now, zone);
  const last = to === undefined ? first + defaultDays - 1 : await readDay('--to', to, now, zone, first);
  if (last < first) throw usageError('--to must not be before --from');
  const end = zone.instantFrom(startOfDay(last + 1));
  const client = await session.targets.client();
  const query = { event_id: type.id, start_time: iso(zone.instantFrom(startOfDay(first))), end_time: iso(end - 1) };
  const { data, ...further } = await client.call(availableSlots, { query });
  // The service answers with the whole last day of its own zone.
  const days = data
    .filter(({ room_name: of }) => room === undefined || of === room)
    .map((day) => ({ ...day, available_slots: day.available_slots.filter(({ start_time: time }) => (startOf(day, time, own) ?? 0) < end) }))
    .filter(({ available_slots: slots }) => slots.length > 0);
  return { answer: { data: days, ...further }, rows: days.flatMap((day) => rowsOf(day, type, own, zone, now)) };
}

function noRoomError({ name, rooms }: EventType, room: string): CliError {
  return usageError(
    `${name} has no room '${room}'`,
    rooms.length === 0 ? 'It has no rooms: omit --room.' : `Its rooms: ${rooms.join(', ')}.`,
  );
}

/** Converts the slots of a day from the event type's time zone to another one. */
function rowsOf(day: Day, type: EventType, own: Zone, shown: NamedZone, now: number): SlotRow[] {
  return day.available_slots.flatMap(({ start_time: time, spots_left: left }) => {
    const start = startOf(day, time, own);
    if (start === undefined) return [];
    const localDay = dayOfLocalTime(shown.localTime(start));
    const { words, ...times } = periodWords({ start, end: start + type.slot_minutes * minute }, shown, now);
    return [
      {
        slot: words,
        date: dateOf(localDay),
        day: weekdayOf(localDay),
        ...times,
        room_name: day.room_name ?? null,
        spots_left: left ?? null,
        timezone: shown.timezone,
        start_time: iso(start),
        event_id: type.id,
        event: type.name,
      },
    ];
  });
}

/** When a slot of a day starts. If a local time occurs twice, the service offers its first occurrence. */
function startOf({ date }: Day, time: string, own: Zone): number | undefined {
  const midnight = Date.parse(`${date.split('/').reverse().join('-')}T00:00:00Z`);
  return own.firstInstant(midnight + minutesOf(time) * minute);
}

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}
