import type { ErrorCode } from '../../../contract/areas/errors/codes.ts';
import { parseInstant } from '../../../contract/time/instants.ts';
import { readNow } from '../../clock/state.ts';
import { counted } from '../../../contract/text/counted.ts';
import type { Finish, Job, JobDefinition } from '../../jobs/job.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { findAccount } from '../../identity/accounts.ts';
import { finishOnAccount } from '../activity/account-job.ts';
import { tellImportFailed } from '../notices/import-failed.ts';
import { nextOwnEvents, readConnection } from '../calendars/records.ts';
import type { StoredCalendarEvent } from '../calendars/table.ts';
import { contacts } from '../contacts/table.ts';
import { type ContactIndex, indexContacts } from './attendees.ts';
import { type Appointment, appointments, calendarImports } from './table.ts';

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    calendar_import: { readonly import: string };
  }
}

/** The number of events that are imported in one transaction. */
const eventsAtOnce = 200;

type NewImport = Parameters<typeof calendarImports.create>[2];

/** Queues an import from the account's calendar. */
export async function startImport(db: Db, accountId: string, fields: NewImport, now: number) {
  const started = await calendarImports.create(db, accountId, fields, now);
  await enqueue(db, { kind: 'calendar_import', accountId, payload: { import: started.id }, dueAt: now });
  return started;
}

/** The results of an import. */
interface Tally {
  imported: number;
  updated: number;
  leftOut: number;
}

/**
 * Defines the jobs that import events as appointments. They work in steps, so that other requests are served in between. Events
 * are matched by their external id, so a repeated job creates no duplicates.
 */
export const calendarImport: JobDefinition<'calendar_import'> = {
  run: async ({ accountId, payload: { import: id } }, parts) => {
    const { store, scheduler, realNow } = parts;
    if (accountId === null) return undefined;
    const write = <Result>(work: (db: Db, now: number) => Promise<Result>) =>
      store.write(async (db) => work(db, await readNow(db, realNow())), { accounts: [accountId] });
    const begun = await write((db, now) => begin(db, accountId, id, now));
    if (!begun) return undefined;
    if (!begun.isConnected) return failing(accountId, id, 'not_connected', 'No calendar is connected');
    const index = await indexContacts(parts, accountId, begun.identifier, begun.country);
    const tally: Tally = { imported: 0, updated: 0, leftOut: 0 };
    for (let after: number | undefined = 0; after !== undefined;) {
      const from: number = after;
      const events = await scheduler.run(() => store.read((db) => nextOwnEvents(db, accountId, from, eventsAtOnce)));
      await scheduler.run(() => write((db, now) => importEvents(db, accountId, events, index, now))).then((part) => add(tally, part));
      after = events.length < eventsAtOnce ? undefined : events.at(-1)?.seq;
    }
    return ending(accountId, id, { status: 'completed', message: describe(tally) });
  },
  giveUp: ({ accountId, payload }: Job<'calendar_import'>) => failing(accountId ?? '', payload.import, 'unreadable', 'The service failed'),
};

/** Marks an import as started. @returns undefined when it was deleted with its account */
async function begin(db: Db, accountId: string, id: string, now: number) {
  const found = await calendarImports.find(db, accountId, id);
  if (!found) return undefined;
  await calendarImports.change(db, accountId, id, { status: 'processing' }, now);
  const country = (await findAccount(db, accountId))?.defaultCountry ?? null;
  return { identifier: found.identifier, country, isConnected: (await readConnection(db, accountId)).connected === true };
}

type Ending = Partial<Parameters<typeof calendarImports.change>[3]>;

function ending(accountId: string, id: string, change: Ending): Finish {
  return async (db, now) => {
    if (await calendarImports.find(db, accountId, id)) await calendarImports.change(db, accountId, id, change, now);
  };
}

/** Ends an import as failed, and tells the account of it. */
function failing(accountId: string, id: string, code: ErrorCode, error: string): Finish {
  return finishOnAccount(accountId, async (db, journal) => {
    tellImportFailed(journal, null, code);
    await ending(accountId, id, { status: 'failed', error })(db, journal.now);
  });
}

function add(tally: Tally, part: Tally): void {
  tally.imported += part.imported;
  tally.updated += part.updated;
  tally.leftOut += part.leftOut;
}

/** Summarizes an import: `2 appointments imported, 1 updated; 3 events left out, because no attendee is among the contacts`. */
function describe({ imported, updated, leftOut }: Tally): string {
  const done = `${counted(imported, 'appointment')} imported, ${updated} updated`;
  return leftOut === 0 ? done : `${done}; ${counted(leftOut, 'event')} left out, because no attendee is among the contacts`;
}

async function importEvents(
  db: Db,
  accountId: string,
  events: readonly StoredCalendarEvent[],
  index: ContactIndex,
  now: number,
): Promise<Tally> {
  const tally: Tally = { imported: 0, updated: 0, leftOut: 0 };
  const found = events.map(({ event }) => index.find(event.attendees));
  // Some may have been deleted since the import indexed them.
  const existing = await contacts.existing(
    db,
    accountId,
    found.filter((id) => id !== undefined),
  );
  for (const [position, row] of events.entries()) {
    const contactId = found[position];
    if (contactId === undefined || !existing.has(contactId)) tally.leftOut += 1;
    else {
      const outcome = await importEvent(db, accountId, row, contactId, now);
      if (outcome) tally[outcome] += 1;
    }
  }
  return tally;
}

/** @returns what became of the event; undefined when its appointment is canceled, and stays so */
async function importEvent(
  db: Db,
  accountId: string,
  { id, event }: StoredCalendarEvent,
  contactId: string,
  now: number,
): Promise<'imported' | 'updated' | undefined> {
  const known = await findImported(db, accountId, id);
  if (known?.status === 'Canceled') return undefined;
  const start = parseInstant(event.start) as number;
  const fields = {
    contact_id: contactId,
    start_time: start,
    end_time: Math.max(start, parseInstant(event.end) as number),
    summary: event.summary,
    description: event.description ?? null,
    ...seriesOf(event.recurrence),
  };
  if (known) {
    await appointments.setColumns(db, known, { ...fields, updated_at: now });
    return 'updated';
  }
  const link = { imported: true, imported_event: id, ext_calendar_event_id: id, calendar_synced: true };
  await appointments.create(db, accountId, { ...fields, ...link }, now);
  return 'imported';
}

function seriesOf(recurrence: StoredCalendarEvent['event']['recurrence']): Partial<Appointment> {
  return {
    is_recurring: recurrence !== undefined,
    recurrence_frequency: recurrence?.frequency ?? null,
    recurring_event_id: recurrence?.event_id ?? null,
    recurring_interval: recurrence?.interval ?? null,
    recurring_sequence: recurrence?.sequence ?? null,
    end_after_x_occurrences: recurrence?.count ?? null,
  };
}

async function findImported(db: Db, accountId: string, externalId: string): Promise<Appointment | undefined> {
  const row = await db
    .selectFrom('appointments')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('imported_event', '=', externalId)
    .executeTakeFirst();
  return row && appointments.decode(row);
}
