import { agents } from './kinds/agents.ts';
import { campaigns } from './kinds/campaigns.ts';
import { config } from './kinds/config.ts';
import { defaults } from './kinds/defaults.ts';
import { events } from './kinds/events.ts';
import { faqs } from './kinds/faqs.ts';
import { functions } from './kinds/functions.ts';
import { groups } from './kinds/groups.ts';
import { keys } from './kinds/keys.ts';
import { lists } from './kinds/lists.ts';
import { pipelines } from './kinds/pipelines.ts';
import { rules } from './kinds/rules.ts';
import { shortLinks } from './kinds/short-links.ts';
import { sources } from './kinds/sources.ts';
import { tags } from './kinds/tags.ts';
import { templates } from './kinds/templates.ts';
import { toolServers } from './kinds/tool-servers.ts';
import { webhooks } from './kinds/webhooks.ts';
import { widgets } from './kinds/widgets.ts';
import { type Kind, type KindName, kindNames } from './kind.ts';

/** All kinds by name, in the order in which they are written. To add a kind, add a file and an entry here. */
export const kinds: Readonly<Record<KindName, Kind>> = {
  config,
  tags,
  lists,
  events,
  pipelines,
  functions,
  'tool-servers': toolServers,
  sources,
  agents,
  campaigns,
  faqs,
  groups,
  templates,
  webhooks,
  'short-links': shortLinks,
  widgets,
  defaults,
  rules,
  keys,
};

/** The kinds that say who answers a channel. */
export const channelKinds: readonly KindName[] = ['defaults', 'rules'];

/** The kinds that determine who answers new contacts. */
export const routingKinds: readonly KindName[] = ['agents', ...channelKinds];

/** The kinds that a copy of an account can have. */
export const copiedKinds: readonly KindName[] = kindNames.filter((name) => kinds[name].loss?.isCredential !== true);

/** Adds the kinds that the given kinds need: those that they refer to, and those by which their configuration is recognised. */
export function neededKinds(names: Iterable<KindName>): KindName[] {
  const needed = new Set<KindName>();
  const add = (name: KindName) => {
    if (needed.has(name)) return;
    needed.add(name);
    const { references, reading } = kinds[name];
    for (const other of [...Object.values({ ...references?.fields, ...references?.keys }), ...(reading.recognisedBy ?? [])]) add(other);
  };
  for (const name of names) add(name);
  return kindNames.filter((name) => needed.has(name));
}
