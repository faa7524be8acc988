import type { attendeeIdentifiers } from '../../../contract/areas/appointments/endpoints.ts';
import type { CalendarEvent } from '../../../contract/areas/sandbox/calendar.ts';
import type { Db } from '../../store/database.ts';
import type { Store } from '../../store/store.ts';
import type { StepScheduler } from '../../flow/steps.ts';
import { firstOf } from '../contacts/records.ts';

type Attendees = CalendarEvent['attendees'];

/** Finds the contact of an event among its attendees. */
export interface ContactIndex {
  /** The id of the contact of the first attendee who is a contact; undefined when no attendee is. */
  readonly find: (attendees: Attendees) => string | undefined;
}

/** The number of contacts that are read at a time. */
const contactsAtOnce = 2_000;

/**
 * Indexes the contacts of an account by email address or phone number. If several contacts share one, the oldest is found.
 * @param country the country of numbers of attendees without a plus sign; null for none
 */
export async function indexContacts(
  { store, scheduler }: { readonly store: Store; readonly scheduler: StepScheduler },
  accountId: string,
  identifier: (typeof attendeeIdentifiers)[number],
  country: string | null,
): Promise<ContactIndex> {
  const column = identifier === 'EMAIL' ? 'email' : 'phone_number';
  const ids = new Map<string, string>();
  for (let after: number | undefined = 0; after !== undefined;) {
    const from: number = after;
    const rows = await scheduler.run(() => store.read((db) => nextContacts(db, accountId, column, from)));
    for (const { id, value } of rows) if (value !== null && !ids.has(value.toLowerCase())) ids.set(value.toLowerCase(), id);
    after = rows.length < contactsAtOnce ? undefined : rows.at(-1)?.seq;
  }
  const { readNationalNumber } = await import('../../../contract/areas/contacts/phone-numbers.ts');
  const keysOf = ({ email, phone }: Attendees[number]): readonly string[] =>
    identifier === 'EMAIL' ? [email?.trim().toLowerCase() ?? ''] : (phone && readNationalNumber(phone, country)?.spellings) || [];
  return { find: (attendees) => firstOf(ids, attendees.flatMap(keysOf)) };
}

async function nextContacts(db: Db, accountId: string, column: 'email' | 'phone_number', after: number) {
  return await db
    .selectFrom('contacts')
    .select(['seq', 'id', `${column} as value`])
    .where('account_id', '=', accountId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(contactsAtOnce)
    .execute();
}
