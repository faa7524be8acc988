import * as contract from '../../contract/areas/tags/endpoints.ts';
import { lookup } from '../command/lookup.ts';
import { callVerb, deleteVerb } from '../command/call-verb.ts';
import type { Noun } from '../command/noun.ts';

const columns = ['id', 'name', 'description', 'contact_count', 'created_at', 'updated_at'] as const;

const ids = lookup(contract.listTags, 'tags', 'name');

const shared = { arguments: [{ param: 'id', summary: 'the id of a tag', completes: ids }] } as const;

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
      shown: { field: 'tag', columns },
    }),
    callVerb({
      ...shared,
      name: 'update',
      endpoint: contract.updateTag,
      examples: [['msgctl tags update tag_1 --name Regulars', 'rename a tag']],
      fields: ['name', 'description'],
      shown: { field: 'tag', columns },
    }),
    deleteVerb('tag', {
      ...shared,
      endpoint: contract.deleteTag,
      examples: [['msgctl tags delete tag_1 --yes', 'skip the confirmation']],
      consequence: ' and remove it from its contacts',
    }),
  ],
};
