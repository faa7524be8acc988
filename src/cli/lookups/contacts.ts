import type * as z from 'zod';
import type { Client } from '../../client/client.ts';
import { type ChannelName, numberChannels } from '../../contract/areas/channels/names.ts';
import { type contact, getContact, listContacts } from '../../contract/areas/contacts/endpoints.ts';
import { fold } from '../../contract/text/fold.ts';
import { lookup } from '../verb/lookup.ts';
import { spellingsIn } from '../verb/spellings.ts';

/** A contact as the API returns it. */
export type Contact = z.output<ReturnType<typeof contact>>;

/** Contacts by phone number, account name, email address, or first and last name. */
export const contactLookup = lookup(listContacts, 'contacts', 'phone_number', {
  names: (each) => [each.phone_number, each.identity, each.email, fullName(each) || null],
  givenBy: 'the id, the number, the account, the email address or the name',
  folded: fold,
  searchQuery: (search) => ({ search }),
  get: getContact,
});

/** The full name of a contact; empty if it has none. */
export function fullName({ first_name: first, last_name: last }: Pick<Contact, 'first_name' | 'last_name'>): string {
  return [first, last].filter(Boolean).join(' ');
}

/** The display name of a contact: its name, or else its phone number or account. */
export function contactName(contact: Contact): string {
  return fullName(contact) || (contact.phone_number ?? contact.identity ?? contact.id);
}

/** The contact with a phone number, or with an account on a channel; null if there is none yet. */
export async function findContactAt(client: Client, channel: ChannelName, address: string): Promise<Contact | null> {
  if (!numberChannels.has(channel))
    return await firstAmong(client, address, (each) => each.channel === channel && each.identity === address);
  for await (const spellings of spellingsIn(address)) {
    for (const number of spellings) {
      const found = await firstAmong(client, number, (each) => each.phone_number === number);
      if (found) return found;
    }
  }
  return null;
}

async function firstAmong(client: Client, search: string, isWanted: (contact: Contact) => boolean): Promise<Contact | null> {
  for await (const { rows } of client.pages(listContacts, { query: { search } })) {
    const found = rows.find(isWanted);
    if (found) return found;
  }
  return null;
}
