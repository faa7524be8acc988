import { iso, parseInstant } from '../../../contract/time/instants.ts';
import { dayLength } from '../../../contract/time/days.ts';
import type { Session } from '../../verb/noun.ts';
import { toCliError } from '../../explain.ts';
import { readSlots } from './slots.ts';

/** Number of alternative slots to suggest. */
const named = 3;

/** How far after the refused slot to search for alternatives, in milliseconds. Many event types have only one day a week. */
const searched = 14 * dayLength;

/** The requested slot. */
interface Wanted {
  readonly eventId: string;
  /** As ISO 8601. */
  readonly start: string;
  readonly tz: string | undefined;
  readonly room: string | undefined;
}

/** Whether an error reports that a slot is taken or does not exist. */
export function isRefusedSlot(error: unknown): boolean {
  const { status, reason } = toCliError(error);
  return status === 409 || reason === 'not_a_slot';
}

/** Adds the next free slots to the error for an unavailable slot. */
export async function withFreeSlots(error: unknown, session: Session, wanted: Wanted): Promise<unknown> {
  // A key that may book need not be allowed to read slots.
  const free = await nextFree(session, wanted).catch(() => []);
  if (free.length === 0) return error;
  return toCliError(error).with({ hint: `Next free slots: ${free.map((slot) => `'${slot}'`).join(', ')}.` });
}

/** The next free slots after a time, in the format that `book` accepts. */
async function nextFree(session: Session, { eventId, start, tz, room }: Wanted): Promise<string[]> {
  const refused = parseInstant(start) as number;
  // As timestamps, because dates would be interpreted in the time zone.
  const { rows } = await readSlots(session, eventId, { from: iso(refused), to: iso(refused + searched), tz, room });
  return [...new Set(rows.filter((row) => Date.parse(row.start_time) > refused).map(({ slot }) => slot))].slice(0, named);
}
