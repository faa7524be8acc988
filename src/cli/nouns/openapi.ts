import { usageError } from '../errors.ts';
import { wholeList } from '../output/result.ts';
import type { Noun } from '../verb/noun.ts';

export const openapi: Noun = {
  name: 'openapi',
  verbs: [
    {
      name: '',
      summary: 'Print the API as an OpenAPI 3.1 document',
      examples: [
        ['msgctl openapi > openapi.json', 'as JSON'],
        ['msgctl openapi -o yaml', 'as YAML'],
        ["msgctl openapi search 'webhook secret'", 'the endpoints that are about something'],
      ],
      run: async () => {
        const [{ endpoints }, { openApiDocument }] = await Promise.all([
          import('../../contract/endpoints.ts'),
          import('../../contract/openapi.ts'),
        ]);
        return { kind: 'document', document: openApiDocument(endpoints) };
      },
    },
    {
      name: 'search',
      summary: 'Find endpoints by words in their path, their summary and the names of their fields',
      examples: [
        ["msgctl openapi search 'webhook secret'", 'which endpoints there are'],
        ["msgctl openapi search createTag -o json --jq '.endpoints[0].request'", 'the schema of a body'],
      ],
      arguments: [{ name: 'words', summary: 'words, all of which must occur', isRepeated: true }],
      readsUnless: [],
      showsPart: true,
      shown: { rows: 'endpoints', columns: ['method', 'path', 'summary', 'operation', 'request'], table: ['method', 'path', 'summary'] },
      run: async (_session, words) => {
        if (words.every((word) => word.trim() === '')) throw usageError('Give words to search for');
        const { searchEndpoints } = await import('./openapi/search.ts');
        return wholeList('endpoints', searchEndpoints(words.join(' ')));
      },
    },
  ],
};
