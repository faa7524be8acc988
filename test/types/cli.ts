import { createBroadcast, getBroadcast, listBroadcasts } from '../../src/contract/areas/broadcasts/endpoints.ts';
import { getContact, listContacts } from '../../src/contract/areas/contacts/endpoints.ts';
import { createKey, listKeys } from '../../src/contract/areas/keys/endpoints.ts';
import { callVerb, recordVerb } from '../../src/cli/verb/call-verb.ts';
import { lookup } from '../../src/cli/verb/lookup.ts';

// Mistakes in nouns that the type checker must find. Nothing here runs: an error that is not found fails `tsc -p .`.

const examples = [] as const;

// Correct uses are accepted: nested fields and columns, fields of the query, columns of the items of a list.
callVerb({
  name: 'get',
  endpoint: getBroadcast,
  examples,
  arguments: [{ param: 'id', summary: '' }],
  shown: { field: 'broadcast', columns: ['counts.sent'] },
});
callVerb({ name: 'list', endpoint: listContacts, examples, fields: ['search'], shown: { columns: ['tags.name'] } });
callVerb({ name: 'list', endpoint: listKeys, examples, shown: { rows: 'api_keys', columns: ['scopes.read_only'] } });
recordVerb({
  name: 'create',
  endpoint: createKey,
  examples,
  fields: ['scopes.tags'],
  record: () => ({}),
  shown: { columns: ['any name'] },
});

// @ts-expect-error -- the body has no such field
callVerb({ name: 'create', endpoint: createBroadcast, examples, fields: ['subject'], shown: { field: 'broadcast', columns: [] } });

// @ts-expect-error -- the body has no such nested field
callVerb({ name: 'create', endpoint: createKey, examples, fields: [{ field: 'scopes.write' }], shown: { columns: [] } });

// @ts-expect-error -- the query has no such field
callVerb({ name: 'list', endpoint: listContacts, examples, fields: [{ field: 'tag', flag: 'tag' }], shown: { columns: [] } });

// @ts-expect-error -- an argument names a field that the body does not have
callVerb({ name: 'create', endpoint: createBroadcast, examples, arguments: [{ field: 'title' }], shown: { columns: [] } });

// @ts-expect-error -- the path has no such parameter
callVerb({ name: 'get', endpoint: getContact, examples, arguments: [{ param: 'contactId', summary: '' }], shown: { columns: [] } });

// @ts-expect-error -- the record has no such column
callVerb({ name: 'get', endpoint: getContact, examples, shown: { field: 'contact', columns: ['id', 'nickname'] } });

// @ts-expect-error -- the record has no such nested column
callVerb({ name: 'get', endpoint: getBroadcast, examples, shown: { field: 'broadcast', columns: ['counts.opened'] } });

// @ts-expect-error -- the items of the list have no such column
callVerb({ name: 'list', endpoint: listContacts, examples, shown: { columns: ['tags.colour'] } });

// @ts-expect-error -- the rows of a list that pages have no such column
callVerb({ name: 'list', endpoint: listBroadcasts, examples, shown: { columns: ['subject'] } });

// @ts-expect-error -- the answer has no such field
callVerb({ name: 'get', endpoint: getContact, examples, shown: { field: 'person', columns: [] } });

// @ts-expect-error -- the answer has no such rows
callVerb({ name: 'list', endpoint: listKeys, examples, shown: { rows: 'keys', columns: [] } });

// @ts-expect-error -- the body has no such field
callVerb({ name: 'create', endpoint: createBroadcast, examples, body: () => ({ subject: 'x' }), shown: { columns: [] } });

// @ts-expect-error -- the answer has no such field
callVerb({ name: 'get', endpoint: getContact, examples, shown: { columns: [] }, done: ({ person }) => String(person) });

// @ts-expect-error -- the answer has no such rows
lookup(listContacts, 'people', 'id');

// @ts-expect-error -- the rows have no such field
lookup(listContacts, 'contacts', 'nickname');
