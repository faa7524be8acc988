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
      ],
      run: async () => {
        const [{ endpoints }, { openApiDocument }] = await Promise.all([
          import('../../contract/endpoints.ts'),
          import('../../contract/openapi.ts'),
        ]);
        return { kind: 'document', document: openApiDocument(endpoints) };
      },
    },
  ],
};
