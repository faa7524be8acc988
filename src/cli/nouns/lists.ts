import { listContacts } from '../../contract/areas/contacts/endpoints.ts';
import * as contract from '../../contract/areas/lists/endpoints.ts';
import { lookup } from '../command/lookup.ts';
import { callVerb, deleteVerb } from '../command/call-verb.ts';
import type { Noun } from '../command/noun.ts';

const columns = ['id', 'name', 'contact_count', 'created_at', 'updated_at'] as const;

const ids = lookup(contract.listLists, 'lists', 'name');

const contactIds = lookup(listContacts, 'contacts', 'phone_number');

const idArgument = { param: 'id', summary: 'the id of a list', completes: ids } as const;

const contactsArgument = { field: 'contact_ids', name: 'contacts', completes: contactIds, isRepeated: true } as const;

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
      examples: [["msgctl lists update lst_1 --name 'Summer campaign'", 'rename a list']],
      arguments: [idArgument],
      fields: ['name'],
      shown,
    }),
    deleteVerb('list', {
      endpoint: contract.deleteList,
      examples: [['msgctl lists delete lst_1', 'asks for confirmation; the contacts are kept']],
      arguments: [idArgument],
    }),
    callVerb({
      name: 'add',
      endpoint: contract.addListContacts,
      examples: [['msgctl lists add lst_1 con_1 con_2', 'add two contacts to a list']],
      arguments: [idArgument, contactsArgument],
      shown,
    }),
    callVerb({
      name: 'remove',
      endpoint: contract.removeListContacts,
      examples: [['msgctl lists remove lst_1 con_1', 'remove a contact from a list; the contact is kept']],
      arguments: [idArgument, contactsArgument],
      shown: { columns: [] },
      done: (_answer, [id]) => `Removed the contacts from the list ${id}.`,
    }),
  ],
};
