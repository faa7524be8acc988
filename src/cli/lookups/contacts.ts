import { getContact, listContacts } from '../../contract/areas/contacts/endpoints.ts';
import { fold } from '../../contract/fold.ts';
import { lookup } from '../command/lookup.ts';

/** Contacts by phone number, account name, email address, or first and last name. */
export const contactLookup = lookup(listContacts, 'contacts', 'phone_number', {
  names: ({ phone_number, identity, email, first_name, last_name }) => [
    phone_number,
    identity,
    email,
    [first_name, last_name].filter(Boolean).join(' ') || null,
  ],
  folded: fold,
  searchQuery: (search) => ({ search }),
  get: getContact,
});
