import { type Account, findAccount, insertAccount } from '../../identity/accounts.ts';
import { type Journal, withJournal } from '../activity/journal.ts';
import { readNow } from '../../clock/state.ts';
import type { Db, Store } from '../../store/store.ts';
import { connectChannel } from '../channels/records.ts';
import { addContacts } from '../contacts/memberships.ts';
import { readPhoneNumber } from '../contacts/phone-numbers.ts';
import { findContactsByKey, insertContacts, announceContact, newContact } from '../contacts/records.ts';
import { toMillionths } from '../credits/rules.ts';
import { transfer } from '../credits/transfers.ts';
import { insertList } from '../lists/records.ts';
import { receiveMessage } from '../messages/receive.ts';
import { sendMessages } from '../messages/send.ts';
import { insertTag } from '../tags/records.ts';

const subAccounts = [
  { name: 'Corner Bakery', email: 'hello@bakery.example', credits: 200 },
  { name: 'City Dental', email: 'desk@dental.example', credits: 50 },
];

const tags = [
  { name: 'VIP', description: 'Buys often: answer first' },
  { name: 'Newsletter', description: 'Agreed to the newsletter' },
  { name: 'Complaint', description: 'Has an open complaint' },
];

const lists = ['Spring campaign', 'Regulars'];

const people = [
  { number: '+14155550123', firstName: 'Ada', lastName: 'Lovelace', company: 'Analytical Engines' },
  { number: '+442079460958', firstName: 'Alan', lastName: 'Turing', company: null },
  { number: '+4930901820', firstName: 'Emmy', lastName: 'Noether', company: null },
  { number: '+14155550124', firstName: 'Grace', lastName: 'Hopper', company: 'Compilers Ltd' },
];

/** Fills a new store with a demonstration account, in one transaction (5/A1, `--demo`). */
export async function fillDemonstration(store: Store, agencyId: string, realNow: () => number): Promise<void> {
  await store.write(async (db) => {
    const now = await readNow(db, realNow());
    const agency = await requireAccount(db, agencyId);
    const madeTags: { id: string }[] = [];
    for (const tag of tags) madeTags.push(await insertTag(db, agencyId, tag, now));
    const madeLists: { id: string }[] = [];
    for (const name of lists) madeLists.push(await insertList(db, agencyId, name, now));
    await connectChannel(db, agencyId, { channel: 'chatapp', identity: '+14155550100', name: 'Front desk' }, now);
    for (const { name, email, credits } of subAccounts) {
      const id = await insertAccount(db, { name, email, kind: 'standard', parentId: agencyId, plan: {}, now });
      await transfer(db, agency, await requireAccount(db, id), toMillionths(credits), now);
    }
    await withJournal(db, agency, now, (journal) => fillContacts(db, journal, madeTags[0]?.id ?? '', madeLists[0]?.id ?? ''));
  });
}

/** People with a tag and a list, and a conversation with one of them. */
async function fillContacts(db: Db, journal: Journal, tagId: string, listId: string): Promise<void> {
  const { account, now } = journal;
  const contacts = people.flatMap(({ number, ...person }) => {
    const phone = readPhoneNumber(number);
    return phone ? [newContact(account.id, 'chatapp', phone, person, now)] : [];
  });
  await insertContacts(db, contacts);
  for (const contact of contacts) announceContact(journal, contact);
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
  await receiveMessage(db, journal, { channel: 'chatapp', from, to: undefined, text, person: {}, replyTo: undefined });
  const answer = { contact, isNewContact: false, channel: 'chatapp', sender: 'automated', agentId: null, broadcastId: null } as const;
  await sendMessages(db, journal, [{ ...answer, body: 'Yes, at half past seven. Shall we hold it for you?' }]);
}

async function requireAccount(db: Db, id: string): Promise<Account> {
  const account = await findAccount(db, id);
  if (!account) throw new Error(`The account ${id} was not made`);
  return account;
}
