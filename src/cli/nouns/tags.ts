import * as contract from '../../contract/areas/tags/endpoints.ts';
import { callVerb } from '../verb/call-verb.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import type { Noun } from '../verb/noun.ts';
import { counted } from '../../contract/text/counted.ts';
import { tagLookup } from '../lookups/tags.ts';

const columns = ['id', 'name', 'contact_count', 'description', 'created_at', 'updated_at'] as const;

const shared = { arguments: [{ param: 'id', summary: 'the id or the name of a tag', lookup: tagLookup }] } as const;

export const tags: Noun = {
  name: 'tags',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listTags,
      examples: [
        ['msgctl tags list', 'the 50 newest tags'],
        ['msgctl tags list --all -o csv', 'every tag as CSV'],
      ],
      shown: { columns },
    }),
    callVerb({
      name: 'create',
      endpoint: contract.createTag,
      examples: [["msgctl tags create VIP --description 'Buys often'", 'create a tag with a description']],
      arguments: [{ field: 'name' }],
      fields: ['description'],
      existing: { lookup: tagLookup, nameOf: ({ name }) => name as string, update: contract.updateTag },
      shown: { field: 'tag', columns },
    }),
    callVerb({
      ...shared,
      name: 'update',
      endpoint: contract.updateTag,
      examples: [['msgctl tags update VIP --name Regulars', 'rename a tag']],
      fields: ['name', 'description'],
      shown: { field: 'tag', columns },
    }),
    deleteVerb({
      lookup: tagLookup,
      endpoint: contract.deleteTag,
      examples: [
        ['msgctl tags delete VIP', 'by name or by id; asks for confirmation'],
        ["msgctl tags delete VIP --sub-account 'Client*' --yes", 'on several accounts'],
      ],
      consequence: ({ contact_count: count }) => ` and remove it from ${counted(Number(count ?? 0), 'contact')}`,
    }),
  ],
};
