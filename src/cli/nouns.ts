import type { Noun } from './command.ts';

interface NounEntry {
  readonly name: string;
  readonly group: string;
  readonly summary: string;
  readonly load: () => Promise<Noun>;
}

/** Every noun, in the order of the root help; a noun's code is loaded when the command line names it. */
export const nouns: readonly NounEntry[] = [
  {
    name: 'keys',
    group: 'Account',
    summary: 'Rotate the main key, manage scoped keys',
    load: async () => (await import('./commands/keys.ts')).keys,
  },
  {
    name: 'accounts',
    group: 'Account',
    summary: 'Manage the sub-accounts of an agency',
    load: async () => (await import('./commands/accounts.ts')).accounts,
  },
  {
    name: 'credits',
    group: 'Account',
    summary: 'Show the credit balance',
    load: async () => (await import('./commands/credits.ts')).credits,
  },
  {
    name: 'whoami',
    group: 'Account',
    summary: 'Show the account, the key and the service in use',
    load: async () => (await import('./commands/whoami.ts')).whoami,
  },
  {
    name: 'health',
    group: 'Account',
    summary: 'Check that the service answers and the key works',
    load: async () => (await import('./commands/health.ts')).health,
  },
  {
    name: 'tags',
    group: 'Contacts',
    summary: 'Manage the labels of contacts',
    load: async () => (await import('./commands/tags.ts')).tags,
  },
  {
    name: 'lists',
    group: 'Contacts',
    summary: 'Manage the lists of contacts',
    load: async () => (await import('./commands/lists.ts')).lists,
  },
  {
    name: 'channels',
    group: 'Contacts',
    summary: 'Show the connected channels',
    load: async () => (await import('./commands/channels.ts')).channels,
  },
  { name: 'serve', group: 'Service', summary: 'Run the service', load: async () => (await import('./commands/serve.ts')).serve },
  {
    name: 'sandbox',
    group: 'Service',
    summary: 'Control the embedded service: clock, accounts, faults',
    load: async () => (await import('./commands/sandbox.ts')).sandbox,
  },
  {
    name: 'openapi',
    group: 'Service',
    summary: 'Print the interface as an OpenAPI 3.1 document',
    load: async () => (await import('./commands/openapi.ts')).openapi,
  },
];
