import type { Noun } from '../verb/noun.ts';

export const schema: Noun = {
  name: 'schema',
  verbs: [
    {
      name: 'account',
      summary: 'Print the JSON Schema of the files that dump writes and apply reads',
      examples: [['msgctl schema account > account.schema.json', 'for editors, which use it to complete and check the files']],
      run: async () => {
        const { accountSchema } = await import('../../account-as-code/files/schema-document.ts');
        return { kind: 'document', document: accountSchema() };
      },
    },
  ],
};
