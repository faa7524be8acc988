import * as contract from '../../contract/lists.ts';
import { callVerb, given, type Lookup, type Noun } from '../command.ts';

const columns = ['id', 'name', 'contact_count', 'created_at', 'updated_at'];

const ids: Lookup = { endpoint: contract.listLists, rows: 'lists', label: 'name' };

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
    callVerb({
      name: 'delete',
      endpoint: contract.deleteList,
      examples: [['msgctl lists delete lst_1', 'asks first; the contacts stay']],
      arguments: [['<id>', 'the id of a list', ids]],
      params: ['id'],
      confirm: ([id]) => `Delete the list ${id}?`,
      shown: { columns: [] },
      done: (_answer, [id]) => `The list ${id} is deleted.`,
    }),
  ],
};
