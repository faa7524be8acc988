import { iso, parseInstant } from '../../../contract/instants.ts';
import { dayLength } from '../../../contract/days.ts';
import type { Session } from '../../command/noun.ts';
import { CliError } from '../../errors.ts';
import { toCliError } from '../../explain.ts';
import type { Row } from '../../output/result.ts';
import { listSlots, type SlotRow } from './slots.ts';

/** How many slots are named instead of the one that cannot be had. */
const named = 3;

/** How far behind the refused one they are looked for, in milliseconds: many event types have one day a week. */
const searched = 14 * dayLength;

/** What was asked for. */
interface Wanted {
  readonly eventId: string;
  /** As ISO 8601. */
  readonly start: string;
  readonly tz: unknown;
  readonly room: string | undefined;
}

/** Whether an error says that a slot is taken, or is none. */
export function isRefusedSlot(error: unknown): boolean {
  const { status, message } = toCliError(error);
  return status === 409 || (status === 400 && message.includes('is not one of the slots'));
}

/** The error of a slot that cannot be had, with the next ones that are free. */
export async function withFreeSlots(error: unknown, session: Session, wanted: Wanted): Promise<unknown> {
  // Who may book may be refused to read the slots.
  const free = await nextFree(session, wanted).catch(() => []);
  if (free.length === 0) return error;
  const said = toCliError(error);
  return new CliError(said.exitCode, said.code, said.message, {
    ...said,
    hint: `Free next: ${free.map((slot) => `'${slot}'`).join(', ')}.`,
  });
}

/** The next free slots after a time, as `book` takes them. */
async function nextFree(session: Session, { eventId, start, tz, room }: Wanted): Promise<string[]> {
  const rows: Row[] = [];
  const refused = parseInstant(start) as number;
  // As instants, because their days are those of the zone.
  const { pages } = await listSlots(session, eventId, { from: iso(refused), to: iso(refused + searched), tz, room });
  for await (const page of pages) rows.push(...page.rows);
  const slots = rows as unknown as SlotRow[];
  return [...new Set(slots.filter((row) => Date.parse(row.start_time) > refused).map(({ slot }) => slot))].slice(0, named);
}
