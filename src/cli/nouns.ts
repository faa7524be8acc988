import type { Noun } from './verb/noun.ts';

export interface NounEntry {
  readonly name: string;
  /** Other names of the noun: the words in the API's paths. */
  readonly aliases?: readonly string[];
  /** A line of its help that explains the API's name for it. */
  readonly note?: string;
  readonly group: string;
  readonly summary: string;
  readonly load: () => Promise<Noun>;
}

/** All nouns, in the order of the root help. The code of a noun is loaded only when it is used. */
export const nouns: readonly NounEntry[] = [
  {
    name: 'login',
    group: 'Log in',
    summary: 'Verify an API key and store it in a profile',
    load: async () => (await import('./nouns/login.ts')).login,
  },
  {
    name: 'logout',
    group: 'Log in',
    summary: 'Remove the API key from a profile',
    load: async () => (await import('./nouns/logout.ts')).logout,
  },
  {
    name: 'profiles',
    group: 'Log in',
    summary: 'Manage stored profiles: list, switch, rename, remove',
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
    name: 'status',
    group: 'Account',
    summary: 'Show what needs attention',
    load: async () => (await import('./nouns/status.ts')).status,
  },
  {
    name: 'keys',
    aliases: ['api-keys'],
    note: 'The API calls them API keys: /api-keys.',
    group: 'Account',
    summary: 'Rotate the main key and manage scoped keys',
    load: async () => (await import('./nouns/keys.ts')).keys,
  },
  {
    name: 'notifications',
    group: 'Account',
    summary: 'What happened on the account: list, read, watch',
    load: async () => (await import('./nouns/notifications.ts')).notifications,
  },
  {
    name: 'errors',
    aliases: ['error-log'],
    note: 'The API calls them the error log: /error-log.',
    group: 'Account',
    summary: 'What failed where nobody saw it',
    load: async () => (await import('./nouns/errors.ts')).errors,
  },
  {
    name: 'config',
    aliases: ['account-config'],
    note: 'The API calls them the account configuration: /account-config.',
    group: 'Account',
    summary: 'The settings of the account: show, set',
    load: async () => (await import('./nouns/config.ts')).config,
  },
  {
    name: 'team',
    group: 'Account',
    summary: 'Invite people, set what they may do, switch accounts',
    load: async () => (await import('./nouns/team.ts')).team,
  },
  {
    name: 'accounts',
    aliases: ['subaccounts', 'sub-accounts'],
    note: 'The API calls them sub-accounts: /subaccounts.',
    group: 'Account',
    summary: 'Manage the sub-accounts of an agency',
    load: async () => (await import('./nouns/accounts.ts')).accounts,
  },
  {
    name: 'snapshots',
    group: 'Account',
    summary: 'Keep configurations, and apply them to sub-accounts',
    load: async () => (await import('./nouns/snapshots.ts')).snapshots,
  },
  {
    name: 'credits',
    group: 'Account',
    summary: 'Show the credit balance',
    load: async () => (await import('./nouns/credits.ts')).credits,
  },
  {
    name: 'billing',
    group: 'Account',
    summary: 'Plans and monthly credits: show, compare, change',
    load: async () => (await import('./nouns/billing.ts')).billing,
  },
  {
    name: 'agency',
    group: 'Account',
    summary: 'What sub-accounts used, and the price of credits',
    load: async () => (await import('./nouns/agency.ts')).agency,
  },
  {
    name: 'branding',
    aliases: ['white-label'],
    note: 'The API calls them white labels: /white-label.',
    group: 'Account',
    summary: 'The brand of an agency and its storefront',
    load: async () => (await import('./nouns/branding.ts')).branding,
  },
  {
    name: 'batch',
    group: 'Account',
    summary: 'List and resume interrupted commands over several accounts',
    load: async () => (await import('./nouns/batch.ts')).batch,
  },
  {
    name: 'dump',
    group: 'Account as code',
    summary: 'Write the configuration of the account to a folder of files',
    load: async () => (await import('./nouns/dump.ts')).dump,
  },
  {
    name: 'diff',
    group: 'Account as code',
    summary: 'Show what apply would do to the account',
    load: async () => (await import('./nouns/diff.ts')).diff,
  },
  {
    name: 'apply',
    group: 'Account as code',
    summary: 'Apply the files to the account',
    load: async () => (await import('./nouns/apply.ts')).apply,
  },
  {
    name: 'undo',
    group: 'Account as code',
    summary: 'Undo an apply',
    load: async () => (await import('./nouns/undo.ts')).undo,
  },
  {
    name: 'schema',
    group: 'Account as code',
    summary: 'Print the JSON Schema of the files',
    load: async () => (await import('./nouns/schema.ts')).schema,
  },
  {
    name: 'contacts',
    group: 'Contacts',
    summary: 'Manage, import and message contacts',
    load: async () => (await import('./nouns/contacts.ts')).contacts,
  },
  {
    name: 'messages',
    group: 'Contacts',
    summary: 'Search messages, follow them, see why they were answered so',
    load: async () => (await import('./nouns/messages.ts')).messages,
  },
  {
    name: 'sessions',
    aliases: ['chat-sessions'],
    note: 'The API calls them chat sessions: /chat-sessions.',
    group: 'Contacts',
    summary: 'Show conversations with contacts',
    load: async () => (await import('./nouns/sessions.ts')).sessions,
  },
  {
    name: 'summaries',
    group: 'Contacts',
    summary: 'Show summaries of days and conversations',
    load: async () => (await import('./nouns/summaries.ts')).summaries,
  },
  {
    name: 'tags',
    group: 'Contacts',
    summary: 'Manage tags of contacts',
    load: async () => (await import('./nouns/tags.ts')).tags,
  },
  {
    name: 'lists',
    group: 'Contacts',
    summary: 'Manage lists of contacts',
    load: async () => (await import('./nouns/lists.ts')).lists,
  },
  {
    name: 'schedules',
    aliases: ['scheduled-tasks'],
    note: 'The API calls them scheduled tasks: /scheduled-tasks.',
    group: 'Contacts',
    summary: 'Schedule messages, broadcasts, tasks and tags',
    load: async () => (await import('./nouns/schedules.ts')).schedules,
  },
  {
    name: 'deals',
    group: 'Contacts',
    summary: 'Manage deals with contacts',
    load: async () => (await import('./nouns/deals.ts')).deals,
  },
  {
    name: 'pipelines',
    group: 'Contacts',
    summary: 'Manage the pipelines of deals and their stages',
    load: async () => (await import('./nouns/pipelines.ts')).pipelines,
  },
  {
    name: 'notes',
    group: 'Contacts',
    summary: 'Notes on contacts, deals and tasks',
    load: async () => (await import('./nouns/notes.ts')).notes,
  },
  {
    name: 'tasks',
    group: 'Contacts',
    summary: 'Manage tasks',
    load: async () => (await import('./nouns/tasks.ts')).tasks,
  },
  {
    name: 'events',
    group: 'Appointments',
    summary: 'Manage bookable event types',
    load: async () => (await import('./nouns/events.ts')).events,
  },
  {
    name: 'appointments',
    group: 'Appointments',
    summary: 'Show free slots, book and move appointments',
    load: async () => (await import('./nouns/appointments.ts')).appointments,
  },
  {
    name: 'channels',
    group: 'Messaging',
    summary: 'List channels, pair and disconnect numbers',
    load: async () => (await import('./nouns/channels.ts')).channels,
  },
  {
    name: 'numbers',
    aliases: ['phone-numbers'],
    note: 'The API calls them phone numbers: /phone-numbers.',
    group: 'Messaging',
    summary: 'The own phone numbers, with who answers on them',
    load: async () => (await import('./nouns/numbers.ts')).numbers,
  },
  {
    name: 'campaigns',
    group: 'Agents',
    summary: 'Manage campaigns, the groups of FAQs that agents answer from',
    load: async () => (await import('./nouns/campaigns.ts')).campaigns,
  },
  {
    name: 'faqs',
    group: 'Agents',
    summary: 'Manage the questions and answers that agents know',
    load: async () => (await import('./nouns/faqs.ts')).faqs,
  },
  {
    name: 'kb',
    aliases: ['kb-sources'],
    note: 'The API calls them knowledge sources: /kb-sources.',
    group: 'Agents',
    summary: 'Import websites and documents that agents answer from',
    load: async () => (await import('./nouns/kb.ts')).kb,
  },
  {
    name: 'templates',
    aliases: ['chatapp-templates'],
    note: 'The API calls them chat-app templates: /chatapp-templates.',
    group: 'Messaging',
    summary: 'Manage, preview, check and send message templates',
    load: async () => (await import('./nouns/templates.ts')).templates,
  },
  {
    name: 'provider-templates',
    group: 'Messaging',
    summary: 'Manage message templates in your own account at the provider',
    load: async () => (await import('./nouns/provider-templates.ts')).providerTemplates,
  },
  {
    name: 'broadcasts',
    group: 'Messaging',
    summary: 'Send a message to many contacts',
    load: async () => (await import('./nouns/broadcasts.ts')).broadcasts,
  },
  {
    name: 'links',
    aliases: ['short-links'],
    note: 'The API calls them short links: /short-links.',
    group: 'Messaging',
    summary: 'Manage short links and see their clicks',
    load: async () => (await import('./nouns/links.ts')).links,
  },
  {
    name: 'agents',
    group: 'Agents',
    summary: 'Manage the agents that answer contacts',
    load: async () => (await import('./nouns/agents.ts')).agents,
  },
  {
    name: 'functions',
    aliases: ['custom-functions'],
    note: 'The API calls them custom functions: /custom-functions.',
    group: 'Agents',
    summary: 'Manage and test the functions that agents call',
    load: async () => (await import('./nouns/functions.ts')).functions,
  },
  {
    name: 'tool-servers',
    aliases: ['mcp-servers'],
    note: 'The API calls them MCP servers: /mcp-servers.',
    group: 'Agents',
    summary: 'Manage and test servers of tools that agents call',
    load: async () => (await import('./nouns/tool-servers.ts')).toolServers,
  },
  {
    name: 'routing',
    aliases: ['entry-points', 'channel-routing'],
    note: 'The API calls them entry points: /entry-points.',
    group: 'Agents',
    summary: 'Decide which agent answers which contact, and see why',
    load: async () => (await import('./nouns/routing.ts')).routing,
  },
  {
    name: 'widgets',
    group: 'Agents',
    summary: 'Chats and buttons for websites',
    load: async () => (await import('./nouns/widgets.ts')).widgets,
  },
  {
    name: 'webhooks',
    group: 'Webhooks',
    summary: 'Manage webhook subscriptions and diagnose deliveries',
    load: async () => (await import('./nouns/webhooks.ts')).webhooks,
  },
  {
    name: 'analytics',
    group: 'Analytics',
    summary: 'Show figures of messages, credits, AI and conversations',
    load: async () => (await import('./nouns/analytics.ts')).analytics,
  },
  {
    name: 'export',
    group: 'Analytics',
    summary: 'Export every dataset of every account to a folder',
    load: async () => (await import('./nouns/export.ts')).exporting,
  },
  { name: 'serve', group: 'Service', summary: 'Run the service', load: async () => (await import('./nouns/serve.ts')).serve },
  {
    name: 'sandbox',
    group: 'Service',
    summary: 'Control the sandbox: clock, accounts, faults',
    load: async () => (await import('./nouns/sandbox.ts')).sandbox,
  },
  {
    name: 'api',
    group: 'Interface',
    summary: 'Call any endpoint of the API',
    load: async () => (await import('./nouns/api.ts')).api,
  },
  {
    name: 'openapi',
    group: 'Interface',
    summary: 'Print the API as an OpenAPI 3.1 document',
    load: async () => (await import('./nouns/openapi.ts')).openapi,
  },
  {
    name: 'completion',
    group: 'Interface',
    summary: 'Print a shell completion script',
    load: async () => (await import('./nouns/completion.ts')).completion,
  },
];

/** Finds a noun by its name, an alias, or the singular of either; undefined if there is none. */
export function findNoun(word: string): NounEntry | undefined {
  const named = (matches: (name: string) => boolean) => nouns.find(({ name, aliases = [] }) => [name, ...aliases].some(matches));
  return named((name) => name === word) ?? named((name) => singularOf(name) === word);
}

/** `tag` for `tags` and `reply` for `replies`; undefined for a name that is not a plural, such as `status`. */
export function singularOf(name: string): string | undefined {
  if (name.endsWith('ies')) return `${name.slice(0, -3)}y`;
  return /[^su]s$/.test(name) ? name.slice(0, -1) : undefined;
}
