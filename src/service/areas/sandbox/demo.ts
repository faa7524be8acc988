import { readNow } from '../../clock/state.ts';
import type { Db } from '../../store/database.ts';
import type { Store } from '../../store/store.ts';
import { createAccount } from '../accounts/records.ts';
import { transferCredits } from '../accounts/transfers.ts';
import { type Journal, withJournal } from '../activity/journal.ts';
import { connectChannel } from '../channels/records.ts';
import { addContacts } from '../contacts/memberships.ts';
import { readPhoneNumber } from '../contacts/phone-numbers.ts';
import { createContacts, findContactsByKey, newContact } from '../contacts/records.ts';
import { toMillionths } from '../../store/millionths.ts';
import { receive } from '../inbound/receive.ts';
import { lists } from '../lists/table.ts';
import { sendMessages } from '../messages/send.ts';
import { createTag } from '../tags/records.ts';
import { requireAccount } from './accounts.ts';

const subAccounts = [
  { name: 'Corner Bakery', email: 'hello@bakery.example', credits: 200 },
  { name: 'City Dental', email: 'desk@dental.example', credits: 50 },
];

const tagsToCreate = [
  { name: 'VIP', description: 'Buys often: answer first' },
  { name: 'Newsletter', description: 'Agreed to the newsletter' },
  { name: 'Complaint', description: 'Has an open complaint' },
];

const listNames = ['Spring campaign', 'Regulars'];

const people = [
  { number: '+14155550123', firstName: 'Ada', lastName: 'Lovelace', company: 'Analytical Engines' },
  { number: '+442079460958', firstName: 'Alan', lastName: 'Turing', company: null },
  { number: '+4930901820', firstName: 'Emmy', lastName: 'Noether', company: null },
  { number: '+14155550124', firstName: 'Grace', lastName: 'Hopper', company: 'Compilers Ltd' },
];

/** Fills the first account of a new store with demonstration data, in one transaction. */
export async function fillDemonstration(store: Store, agencyId: string, realNow: () => number): Promise<void> {
  await store.write(async (db) => {
    const now = await readNow(db, realNow());
    const agency = await requireAccount(db, agencyId);
    const tags: { id: string }[] = [];
    for (const { name, description } of tagsToCreate) tags.push(await createTag(db, agencyId, name, description, now));
    const demoLists: { id: string }[] = [];
    for (const name of listNames) demoLists.push(await lists.create(db, agencyId, { name }, now));
    await connectChannel(db, agencyId, { channel: 'chatapp', identity: '+14155550100', name: 'Front desk' }, now);
    for (const { name, email, credits } of subAccounts) {
      const id = await createAccount(db, { name, email, kind: 'standard', parentId: agencyId, plan: {} }, now);
      await transferCredits(db, agency, await requireAccount(db, id), toMillionths(credits), now);
    }
    await withJournal(db, agency, now, (journal) => fillContacts(db, journal, tags[0]?.id ?? '', demoLists[0]?.id ?? ''));
  });
}

/** Creates contacts with a tag and a list, and a conversation with one of them. */
async function fillContacts(db: Db, journal: Journal, tagId: string, listId: string): Promise<void> {
  const { account, now } = journal;
  const contacts = people.flatMap(({ number, ...person }) => {
    const phone = readPhoneNumber(number);
    return phone ? [newContact(account.id, 'chatapp', phone, person, now)] : [];
  });
  await createContacts(db, journal, contacts);
  const stored = await findContactsByKey(
    db,
    account.id,
    people.map(({ number }) => number),
  );
  const contact = stored.get(people[0]?.number ?? '');
  if (contact) await addContacts(db, 'tags', tagId, [contact.seq]);
  await addContacts(
    db,
    'lists',
    listId,
    [...stored.values()].map(({ seq }) => seq),
  );
  const from = contact && readPhoneNumber(contact.identity_key);
  if (!from) return;
  const text = 'Do you have a table for two tonight?';
  await receive(db, journal, { channel: 'chatapp', from, text, person: {} });
  const answer = { contact, isNewContact: false, channel: 'chatapp', sender: 'automated', agentId: null, broadcastId: null } as const;
  await sendMessages(db, [{ journal, ...answer, body: 'Yes, at half past seven. Shall we hold it for you?' }]);
}
