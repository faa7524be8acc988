import { listContacts } from '../../contract/areas/contacts/endpoints.ts';
import * as contract from '../../contract/areas/lists/endpoints.ts';
import { callVerb, deleteVerb, given, type Lookup, type Noun, type Options } from '../command/command.ts';

const columns = ['id', 'name', 'contact_count', 'created_at', 'updated_at'];

const ids: Lookup = { endpoint: contract.listLists, rows: 'lists', label: 'name' };

const contactIds: Lookup = { endpoint: listContacts, rows: 'contacts', label: 'phone_number' };

const members = [
  ['<id>', 'the id of a list', ids],
  ['<contacts...>', 'the ids of contacts', contactIds],
] as const;

/** Those that are named, or none where `--input` names them. */
const memberIds = (_options: Options, [, ...contacts]: readonly string[]) => (contacts.length > 0 ? { contact_ids: contacts } : {});

export const lists: Noun = {
  name: 'lists',
  summary: 'Manage the lists of contacts',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listLists,
      examples: [['msgctl lists list --all -o ndjson', 'every list, one JSON object a line']],
      shown: { columns },
    }),
    callVerb({
      name: 'create',
      endpoint: contract.createList,
      examples: [["msgctl lists create 'Spring campaign'", 'an empty list']],
      arguments: [['<name>', 'the name of the list']],
      body: (_options, [name]) => given({ name }),
      shown: { field: 'list', columns },
    }),
    callVerb({
      name: 'update',
      endpoint: contract.updateList,
      examples: [["msgctl lists update lst_1 --name 'Summer campaign'", 'rename a list']],
      arguments: [['<id>', 'the id of a list', ids]],
      params: ['id'],
      options: [{ flags: '--name <text>', summary: 'the new name' }],
      body: ({ name }) => given({ name }),
      shown: { field: 'list', columns },
    }),
    deleteVerb('list', {
      endpoint: contract.deleteList,
      examples: [['msgctl lists delete lst_1', 'asks first; the contacts stay']],
      arguments: [['<id>', 'the id of a list', ids]],
      params: ['id'],
    }),
    callVerb({
      name: 'add',
      endpoint: contract.addListContacts,
      examples: [['msgctl lists add lst_1 con_1 con_2', 'those that are on it stay']],
      arguments: members,
      params: ['id'],
      body: memberIds,
      shown: { field: 'list', columns },
    }),
    callVerb({
      name: 'remove',
      endpoint: contract.removeListContacts,
      examples: [['msgctl lists remove lst_1 con_1', 'the contact stays, off the list']],
      arguments: members,
      params: ['id'],
      body: memberIds,
      shown: { columns: [] },
      done: (_answer, [id]) => `They are off the list ${id}.`,
    }),
  ],
};
