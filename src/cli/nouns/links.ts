import * as contract from '../../contract/areas/links/endpoints.ts';
import { lookup } from '../command/lookup.ts';
import { callVerb, deleteVerb } from '../command/call-verb.ts';
import type { Noun } from '../command/noun.ts';

const columns = ['id', 'slug', 'url', 'clicks', 'created_at'] as const;

const ids = lookup(contract.listLinks, 'short_links', 'slug');

export const links: Noun = {
  name: 'links',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listLinks,
      examples: [['msgctl links list', 'every short link with its clicks']],
      shown: { columns },
    }),
    callVerb({
      name: 'create',
      endpoint: contract.createLink,
      examples: [['msgctl links create https://shop.example/spring --slug spring', '/l/spring redirects there']],
      arguments: [{ field: 'url' }],
      fields: [{ field: 'slug', placeholder: 'slug' }],
      shown: { field: 'short_link', columns },
    }),
    deleteVerb('short link', {
      endpoint: contract.deleteLink,
      examples: [['msgctl links delete lnk_1', 'asks for confirmation; the address stops redirecting']],
      arguments: [{ param: 'id', summary: 'the id of a short link', completes: ids }],
    }),
  ],
};
