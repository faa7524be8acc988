import { availableSlots } from '../../../contract/areas/appointments/endpoints.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import { iso, parseInstant } from '../../../contract/instants.ts';
import { dateOf, dayOfLocalTime, startOfDay, timeOfDay, type Zone } from '../../../contract/zones.ts';
import type { Options, Session } from '../../command/noun.ts';
import { orUsageError } from '../../command/invalid-value.ts';
import { parseWhen } from '../../command/when.ts';
import { type CliError, usageError } from '../../errors.ts';
import { eventLookup } from '../../lookups/events.ts';
import { type Result, wholeList } from '../../output/result.ts';
import { dayWords, readSlot, slotWords } from './slot-words.ts';
import { type NamedZone, openZone } from './zone.ts';

const minute = 60_000;

/** Number of days to show without `--to`. */
const defaultDays = 7;

/** A bookable slot, with its times in the displayed time zone. */
export interface SlotRow {
  /** In the format that `book` accepts: in words, or as a timestamp if the words would mean another time. */
  readonly slot: string;
  readonly date: string;
  readonly day: string;
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

type List = Extract<Result, { kind: 'list' }>;

type Day = Answer<typeof availableSlots>['data'][number];

interface EventType {
  readonly id: string;
  readonly name: string;
  readonly timezone: string;
  readonly slot_minutes: number;
  readonly rooms: readonly string[];
}

/**
 * Lists the slots of an event type, one row each, in the time zone of `--tz`.
 * @throws CliError 2 if days are invalid or the event type does not have the room, 5 if there is no such event type
 */
export async function listSlots(session: Session, word: string, options: Options): Promise<List> {
  const { from, to, tz, room } = options as { from?: string; to?: string; tz?: string; room?: string };
  const type = await session.names.record(eventLookup, word);
  if (room !== undefined && !type.rooms.includes(room)) throw noRoomError(type, room);
  const own = await openZone(type.timezone);
  const zone = tz === undefined ? own : await openZone(tz);
  const now = await session.serviceTime();
  const first = from === undefined ? dayOfLocalTime(zone.localTime(now)) : await readDay('--from', from, now, zone);
  const last = to === undefined ? first + defaultDays - 1 : await readDay('--to', to, now, zone);
  if (last < first) throw usageError('--to must not be before --from');
  const start = zone.instantFrom(startOfDay(first));
  const end = zone.instantFrom(startOfDay(last + 1));
  const client = await session.targets.client();
  const query = { event_id: type.id, start_time: iso(start), end_time: iso(end - 1) };
  const { data } = await client.call(availableSlots, { query });
  const rows = data
    .flatMap((day) => rowsOf(day, type, own, zone, now))
    .filter(({ start_time: time, room_name: of }) => Date.parse(time) < end && (room === undefined || of === room));
  return wholeList('slots', rows);
}

function noRoomError({ name, rooms }: EventType, room: string): CliError {
  return usageError(
    `${name} has no room '${room}'`,
    rooms.length === 0 ? 'It has no rooms: omit --room.' : `Its rooms: ${rooms.join(', ')}.`,
  );
}

/** Parses a day in a time zone: a date, or the day of a time such as `tomorrow`. */
async function readDay(what: string, text: string, now: number, zone: NamedZone): Promise<number> {
  const when = await orUsageError(what, text, () => parseWhen(text, now, zone.timezone));
  const instant = parseInstant(when) as number;
  return dayOfLocalTime(when.includes('T') ? zone.localTime(instant) : instant);
}

/** Converts the slots of a day from the event type's time zone to another one. */
function rowsOf(
  { date, room_name: room, available_slots: slots }: Day,
  type: EventType,
  own: Zone,
  shown: NamedZone,
  now: number,
): SlotRow[] {
  const midnight = Date.parse(`${date.split('/').reverse().join('-')}T00:00:00Z`);
  return slots.flatMap(({ start_time: from, spots_left: left }) => {
    // If a local time occurs twice, the service offers its first occurrence.
    const start = own.firstInstant(midnight + minutesOf(from) * minute);
    if (start === undefined) return [];
    const localTime = shown.localTime(start);
    return [
      {
        slot: bookableWords(start, shown, now),
        date: dateOf(dayOfLocalTime(localTime)),
        day: dayWords(dayOfLocalTime(localTime)).slice(0, 3),
        start: timeOfDay(localTime),
        end: timeOfDay(shown.localTime(start + type.slot_minutes * minute)),
        room_name: room ?? null,
        spots_left: left ?? null,
        timezone: shown.timezone,
        start_time: iso(start),
        event_id: type.id,
        event: type.name,
      },
    ];
  });
}

/**
 * The start of a slot in words, if `book` would read them as the same time. For a time that occurs twice, the words mean the
 * first occurrence.
 */
function bookableWords(start: number, zone: NamedZone, now: number): string {
  const words = slotWords(zone.localTime(start), dayOfLocalTime(zone.localTime(now)));
  return readSlot(words, now, zone, zone.timezone) === iso(start) ? words : iso(start);
}

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}
