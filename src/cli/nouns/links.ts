import * as contract from '../../contract/areas/links/endpoints.ts';
import { lookup } from '../verb/lookup.ts';
import { callVerb } from '../verb/call-verb.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import type { Noun } from '../verb/noun.ts';

const columns = ['id', 'slug', 'clicks', 'url', 'created_at'] as const;

const linkLookup = lookup(contract.listLinks, 'short_links', 'slug', { what: 'short link' });

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
      existing: { lookup: linkLookup, nameOf: ({ slug }) => slug as string },
      shown: { field: 'short_link', columns },
    }),
    deleteVerb({
      lookup: linkLookup,
      endpoint: contract.deleteLink,
      examples: [['msgctl links delete spring', 'by slug or by id; the short address stops redirecting']],
      consequence: ({ url }) => (url === undefined ? '' : `, which redirects to ${url as string}`),
    }),
  ],
};
