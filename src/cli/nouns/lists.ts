import * as contract from '../../contract/areas/lists/endpoints.ts';
import { callVerb } from '../verb/call-verb.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import type { Noun } from '../verb/noun.ts';
import { contactLookup } from '../lookups/contacts.ts';
import { listLookup } from '../lookups/lists.ts';
import { counted } from '../../contract/text/counted.ts';

const columns = ['id', 'name', 'contact_count', 'created_at', 'updated_at'] as const;

const idArgument = { param: 'id', summary: 'the id or the name of a list', lookup: listLookup } as const;

const contactsArgument = {
  field: 'contact_ids',
  name: 'contacts',
  summary: 'contacts by id, phone number, email address or name',
  lookup: contactLookup,
  isRepeated: true,
} as const;

const shown = { field: 'list', columns } as const;

export const lists: Noun = {
  name: 'lists',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listLists,
      examples: [['msgctl lists list --all -o ndjson', 'every list, one JSON object per line']],
      shown: { columns },
    }),
    callVerb({
      name: 'create',
      endpoint: contract.createList,
      examples: [["msgctl lists create 'Spring campaign'", 'create an empty list']],
      arguments: [{ field: 'name' }],
      shown,
    }),
    callVerb({
      name: 'update',
      endpoint: contract.updateList,
      examples: [["msgctl lists update 'Spring campaign' --name 'Summer campaign'", 'rename a list']],
      arguments: [idArgument],
      fields: ['name'],
      shown,
    }),
    deleteVerb({
      lookup: listLookup,
      endpoint: contract.deleteList,
      examples: [["msgctl lists delete 'Spring campaign'", 'asks for confirmation; the contacts are kept']],
      consequence: ({ contact_count: count }) => ` and keep its ${counted(Number(count ?? 0), 'contact')}`,
    }),
    callVerb({
      name: 'add',
      endpoint: contract.addListContacts,
      examples: [["msgctl lists add 'Spring campaign' +14155550123 ada@shop.example", 'add two contacts to a list']],
      arguments: [idArgument, contactsArgument],
      shown,
    }),
    callVerb({
      name: 'remove',
      endpoint: contract.removeListContacts,
      examples: [["msgctl lists remove 'Spring campaign' +14155550123", 'remove a contact from a list; the contact is kept']],
      arguments: [idArgument, contactsArgument],
      shown: { columns: [] },
      done: (_answer, [id]) => `Removed the contacts from the list ${id}.`,
    }),
  ],
};
