/**
 * The kinds of configuration in snapshots, in the order in which they are created (rule snapshots.2). Settings of the account, keys,
 * sources, short links and media stay behind.
 */
export const snapshotKinds = [
  'tags',
  'lists',
  'events',
  'pipelines',
  'functions',
  'tool-servers',
  'agents',
  'campaigns',
  'faqs',
  'groups',
  'templates',
  'webhooks',
  'widgets',
  'defaults',
  'rules',
] as const;

export type SnapshotKind = (typeof snapshotKinds)[number];
