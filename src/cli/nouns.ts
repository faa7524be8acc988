import type { Noun } from './command/command.ts';

interface NounEntry {
  readonly name: string;
  readonly group: string;
  readonly summary: string;
  readonly load: () => Promise<Noun>;
}

/** Every noun, in the order of the root help; a noun's code is loaded when the command line names it. */
export const nouns: readonly NounEntry[] = [
  {
    name: 'login',
    group: 'Log in',
    summary: 'Store an API key in a profile, once it works',
    load: async () => (await import('./nouns/login.ts')).login,
  },
  {
    name: 'logout',
    group: 'Log in',
    summary: 'Forget the API key of a profile',
    load: async () => (await import('./nouns/logout.ts')).logout,
  },
  {
    name: 'profiles',
    group: 'Log in',
    summary: 'Manage the accounts that this machine knows',
    load: async () => (await import('./nouns/profiles.ts')).profiles,
  },
  {
    name: 'whoami',
    group: 'Log in',
    summary: 'Show the account, the key and the service in use',
    load: async () => (await import('./nouns/whoami.ts')).whoami,
  },
  {
    name: 'health',
    group: 'Log in',
    summary: 'Check that the service answers and the key works',
    load: async () => (await import('./nouns/health.ts')).health,
  },
  {
    name: 'keys',
    group: 'Account',
    summary: 'Rotate the main key, manage scoped keys',
    load: async () => (await import('./nouns/keys.ts')).keys,
  },
  {
    name: 'accounts',
    group: 'Account',
    summary: 'Manage the sub-accounts of an agency',
    load: async () => (await import('./nouns/accounts.ts')).accounts,
  },
  {
    name: 'credits',
    group: 'Account',
    summary: 'Show the credit balance',
    load: async () => (await import('./nouns/credits.ts')).credits,
  },
  {
    name: 'contacts',
    group: 'Contacts',
    summary: 'Manage contacts, import them, write to them',
    load: async () => (await import('./nouns/contacts.ts')).contacts,
  },
  {
    name: 'sessions',
    group: 'Contacts',
    summary: 'Show the conversations with contacts',
    load: async () => (await import('./nouns/sessions.ts')).sessions,
  },
  {
    name: 'tags',
    group: 'Contacts',
    summary: 'Manage the labels of contacts',
    load: async () => (await import('./nouns/tags.ts')).tags,
  },
  {
    name: 'lists',
    group: 'Contacts',
    summary: 'Manage the lists of contacts',
    load: async () => (await import('./nouns/lists.ts')).lists,
  },
  {
    name: 'tasks',
    group: 'Contacts',
    summary: 'Manage what is to be done for contacts',
    load: async () => (await import('./nouns/tasks.ts')).tasks,
  },
  {
    name: 'events',
    group: 'Contacts',
    summary: 'Manage the event types that can be booked',
    load: async () => (await import('./nouns/events.ts')).events,
  },
  {
    name: 'channels',
    group: 'Messaging',
    summary: 'Show the channels, pair and disconnect numbers',
    load: async () => (await import('./nouns/channels.ts')).channels,
  },
  {
    name: 'campaigns',
    group: 'Messaging',
    summary: 'Manage classic campaigns',
    load: async () => (await import('./nouns/campaigns.ts')).campaigns,
  },
  {
    name: 'broadcasts',
    group: 'Messaging',
    summary: 'Send a message to many, and watch what comes back',
    load: async () => (await import('./nouns/broadcasts.ts')).broadcasts,
  },
  {
    name: 'links',
    group: 'Messaging',
    summary: 'Manage short links, and count their clicks',
    load: async () => (await import('./nouns/links.ts')).links,
  },
  {
    name: 'webhooks',
    group: 'Webhooks',
    summary: 'Subscribe receivers to events, watch and mend deliveries',
    load: async () => (await import('./nouns/webhooks.ts')).webhooks,
  },
  { name: 'serve', group: 'Service', summary: 'Run the service', load: async () => (await import('./nouns/serve.ts')).serve },
  {
    name: 'sandbox',
    group: 'Service',
    summary: 'Control the embedded service: clock, accounts, faults',
    load: async () => (await import('./nouns/sandbox.ts')).sandbox,
  },
  {
    name: 'api',
    group: 'Interface',
    summary: 'Make any call of the interface',
    load: async () => (await import('./nouns/api.ts')).api,
  },
  {
    name: 'openapi',
    group: 'Interface',
    summary: 'Print the interface as an OpenAPI 3.1 document',
    load: async () => (await import('./nouns/openapi.ts')).openapi,
  },
  {
    name: 'completion',
    group: 'Interface',
    summary: 'Print the completion script of a shell',
    load: async () => (await import('./nouns/completion.ts')).completion,
  },
];
