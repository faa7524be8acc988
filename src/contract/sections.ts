/** The sections of the interface that a scoped key can be limited to (rule credentials.40). */
export const sections = [
  'Contacts',
  'Tags',
  'Lists',
  'Messages',
  'Chat Sessions',
  'Chat Exports',
  'Summaries',
  'Widgets',
  'Templates',
  'Webhooks',
  'Users',
  'Team',
  'SubAccounts',
  'Agency',
  'Snapshots',
  'White Label',
  'Billing',
  'System',
  'Analytics',
  'API Keys',
  'Appointments',
  'Events',
  'Campaigns',
  'Broadcasts',
  'Phone Numbers',
  'Channels',
  'FAQs',
  'Knowledge Base',
  'Agents',
  'Entry Points',
  'Custom Functions',
  'MCP Servers',
  'Tasks',
  'Deals',
  'Notifications',
  'Scheduled Tasks',
  'Short Links',
  'Error Log',
  'Account Config',
] as const;

export type Section = (typeof sections)[number];

/** The sections that a scoped key can have: not that of keys, with which it could make a key without limits (rule keys.19). */
export const grantableSections = sections.filter((section) => section !== 'API Keys');

const byFoldedName = new Map<string, Section>(sections.map((section) => [section.toLowerCase(), section]));

/** Finds a section by its name, ignoring case; undefined when no section has that name. */
export function findSection(name: string): Section | undefined {
  return byFoldedName.get(name.toLowerCase());
}
