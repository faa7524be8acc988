import * as contract from '../../contract/areas/tags/endpoints.ts';
import { callVerb, deleteVerb, given, type Lookup, type Noun, type Options } from '../command/command.ts';

const columns = ['id', 'name', 'description', 'contact_count', 'created_at', 'updated_at'];

const fields = ({ name, description }: Options) => given({ name, description });

const ids: Lookup = { endpoint: contract.listTags, rows: 'tags', label: 'name' };

export const tags: Noun = {
  name: 'tags',
  summary: 'Manage the labels of contacts',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listTags,
      examples: [
        ['msgctl tags list', 'the newest 50'],
        ['msgctl tags list --all -o csv', 'every tag, for a spreadsheet'],
      ],
      shown: { columns },
    }),
    callVerb({
      name: 'create',
      endpoint: contract.createTag,
      examples: [["msgctl tags create VIP --description 'Buys often'", 'a tag with a description']],
      arguments: [['<name>', 'the name of the tag']],
      options: [{ flags: '--description <text>', summary: 'what the tag is for' }],
      body: (options, [name]) => fields({ ...options, name }),
      shown: { field: 'tag', columns },
    }),
    callVerb({
      name: 'update',
      endpoint: contract.updateTag,
      examples: [['msgctl tags update tag_1 --name Regulars', 'rename a tag']],
      arguments: [['<id>', 'the id of a tag', ids]],
      params: ['id'],
      options: [
        { flags: '--name <text>', summary: 'the new name' },
        { flags: '--description <text>', summary: 'what the tag is for' },
      ],
      body: fields,
      shown: { field: 'tag', columns },
    }),
    deleteVerb('tag', {
      endpoint: contract.deleteTag,
      examples: [['msgctl tags delete tag_1 --yes', 'without being asked']],
      arguments: [['<id>', 'the id of a tag', ids]],
      params: ['id'],
      consequence: ' and take it off its contacts',
    }),
  ],
};
