import { listContacts } from '../../contract/areas/contacts/endpoints.ts';
import * as contract from '../../contract/areas/notes/endpoints.ts';
import { callVerb, deleteVerb } from '../command/call-verb.ts';
import { lookup } from '../command/lookup.ts';
import type { Noun } from '../command/noun.ts';

const columns = ['id', 'contact_id', 'text', 'pinned', 'remind_at', 'created_at'] as const;

const ids = lookup(contract.listNotes, 'notes', 'text');

const contactIds = lookup(listContacts, 'contacts', 'phone_number');

const shared = { arguments: [{ param: 'id', summary: 'the id of a note', completes: ids }] } as const;

const shown = { field: 'note', columns } as const;

const fields = [{ field: 'pinned', negative: 'do not pin the note' }, 'remind_at'] as const;

export const notes: Noun = {
  name: 'notes',
  summary: 'Manage notes on contacts',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listNotes,
      examples: [['msgctl notes list --contact con_1', 'notes on one contact, newest first']],
      fields: [{ field: 'contact_id', flag: 'contact', completes: contactIds }],
      shown: { columns },
    }),
    callVerb({ ...shared, name: 'get', endpoint: contract.getNote, examples: [['msgctl notes get not_1', 'show one note']], shown }),
    callVerb({
      name: 'create',
      endpoint: contract.createNote,
      examples: [["msgctl notes create con_1 'Prefers calls in the morning' --pinned", 'a note that is pinned']],
      arguments: [{ field: 'contact_id', name: 'contact', completes: contactIds }, { field: 'text' }],
      fields,
      shown,
    }),
    callVerb({
      ...shared,
      name: 'update',
      endpoint: contract.updateNote,
      examples: [
        ['msgctl notes update not_1 --no-pinned', 'fields you leave out keep their value'],
        ["msgctl notes update not_1 --remind-at ''", 'clear a field with an empty text'],
      ],
      fields: ['text', ...fields],
      shown,
    }),
    deleteVerb('note', {
      ...shared,
      endpoint: contract.deleteNote,
      examples: [['msgctl notes delete not_1 --yes', 'skip the confirmation']],
    }),
  ],
};
