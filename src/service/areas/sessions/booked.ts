import type { Db } from '../../store/database.ts';
import { preparedChange } from '../../store/prepared.ts';
import type { Journal } from '../activity/journal.ts';
import { countSession } from './conclude.ts';
import { openSessionsOf } from './open-sessions.ts';
import { endsAt } from './rules.ts';
import { type ChatSession, chatSessions } from './table.ts';

/**
 * Reads the open conversation of each contact. If a contact has several, on different channels, the one with the latest message
 * is used.
 * @param now epoch milliseconds; conversations that should have ended by then are left out
 * @returns by contact id
 */
export async function findPresentSessions(db: Db, contactIds: readonly string[], now: number): Promise<Map<string, ChatSession>> {
  const found = new Map<string, ChatSession>();
  for (const row of await openSessionsOf(db, { contacts: JSON.stringify(contactIds) })) {
    const session = chatSessions.decode(row);
    const other = found.get(session.contact_id);
    if (endsAt(session) > now && (!other || other.last_message_at < session.last_message_at)) found.set(session.contact_id, session);
  }
  return found;
}

/** Marks a conversation during which an appointment was booked, and counts the conversation once (rule analytics.34). */
export async function markBooked(db: Db, journal: Journal, session: ChatSession): Promise<void> {
  if (session.booked) return;
  await setBooked(db, { id: session.id });
  const before = { ...session };
  session.booked = true;
  countSession(journal, before, session);
}

const setBooked = preparedChange<{ id: string }>((db, $) => db.updateTable('chat_sessions').set({ booked: 1 }).where('id', '=', $.id));
