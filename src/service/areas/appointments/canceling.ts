import type { Account } from '../../identity/accounts.ts';
import type { Db } from '../../store/database.ts';
import { type Journal, withJournal } from '../activity/journal.ts';
import { appointmentRecord } from './records.ts';
import { syncLater } from './sync.ts';
import { type Appointment, appointments } from './table.ts';

/** Removes the link between an appointment and its calendar event. */
export const unlinked = { ext_calendar_event_id: null, calendar_synced: false };

/** Announces that a confirmed appointment was canceled. An imported one emits no event. */
export async function announceEnd(db: Db, journal: Journal, before: Appointment, ended: Appointment): Promise<void> {
  if (!before.imported) journal.emit('Appointment Cancelled', () => ({ appointment: appointmentRecord(ended) }));
  await syncLater(db, journal, before.id, before.ext_calendar_event_id);
}

/** Cancels a confirmed appointment. */
export async function cancelAppointment(
  db: Db,
  account: Account,
  before: Appointment,
  reason: string | null,
  now: number,
): Promise<Appointment> {
  const change = { status: 'Canceled', cancelation_reason: reason, ...unlinked, updated_at: now } as const;
  const canceled = await appointments.setColumns(db, before, change);
  await withJournal(db, account, now, (journal) => announceEnd(db, journal, before, canceled));
  return canceled;
}
