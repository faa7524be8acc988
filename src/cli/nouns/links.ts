import * as contract from '../../contract/areas/links/endpoints.ts';
import { callVerb, deleteVerb, given, type Lookup, type Noun } from '../command/command.ts';

const columns = ['id', 'slug', 'url', 'clicks', 'created_at'];

const ids: Lookup = { endpoint: contract.listLinks, rows: 'short_links', label: 'slug' };

export const links: Noun = {
  name: 'links',
  summary: 'Manage short links, and count their clicks',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listLinks,
      examples: [['msgctl links list', 'each with its clicks']],
      shown: { columns },
    }),
    callVerb({
      name: 'create',
      endpoint: contract.createLink,
      examples: [['msgctl links create https://shop.example/spring --slug spring', 'leads there from /l/spring']],
      arguments: [['<url>', 'where it leads']],
      options: [{ flags: '--slug <slug>', summary: 'its short name; one is made when left out' }],
      body: ({ slug }, [url]) => given({ url, slug }),
      shown: { field: 'short_link', columns },
    }),
    deleteVerb('short link', {
      endpoint: contract.deleteLink,
      examples: [['msgctl links delete lnk_1', 'asks first; it leads nowhere from then on']],
      arguments: [['<id>', 'the id of a short link', ids]],
      params: ['id'],
    }),
  ],
};
