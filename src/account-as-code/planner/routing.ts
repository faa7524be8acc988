import { spellingsOf } from '../../contract/areas/contacts/number-forms.ts';
import { decide, hasKeywordRule, type Rule } from '../../contract/areas/routing/decide.ts';
import { compareTexts } from '../../contract/text/compare-texts.ts';
import { someOf } from '../../contract/text/some-of.ts';
import type { KindName } from '../kind.ts';
import { routingKinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import type { Answerer } from '../plan/plan.ts';
import { type Fields, revealed } from '../values.ts';
import type { Matched, MatchedRecord } from './matched.ts';
import type { Draft } from './order.ts';

/** The kinds that must be read to plan the given kinds: if one of them affects routing, all routing kinds. */
export function routingKindsOf(planned: readonly KindName[]): readonly KindName[] {
  return planned.some((name) => routingKinds.includes(name)) ? routingKinds : [];
}

/** The data that determines who answers a new contact. Agents are identified by name. */
interface Routing {
  readonly defaults: readonly Fields[];
  readonly rules: readonly Fields[];
  readonly activeAgents: readonly string[];
}

/** The routing before the plan. Renamed agents have their new names, so that they compare as the same agent. */
function routingBefore(matched: Matched): Routing {
  return routingOf((kind) => {
    const newNames = new Map(changing(matched, kind).map(({ live, record }) => [live?.id, record.fields.name]));
    return matched.liveOf(kind).map(({ id, fields }) => ({ ...fields, name: newNames.get(id) ?? fields.name }));
  });
}

/** The records in the files that the plan writes, without blocked ones. */
function changing(matched: Matched, name: KindName): MatchedRecord[] {
  return matched.names.includes(name) ? matched.of(name).filter(({ blocked }) => blocked === undefined) : [];
}

/** The routing after the plan. */
function routingAfter(matched: Matched, drafts: readonly Draft[]): Routing {
  return routingOf((name) => {
    const gone = new Set(drafts.filter(({ kind, action }) => kind === name && action === 'delete').map(({ id }) => id));
    const kept = matched.liveOf(name).filter(({ id }) => !gone.has(id));
    const matches = changing(matched, name);
    const changed = new Map(matches.map(({ live, record }) => [live?.id, record.fields]));
    const fresh = matches.filter(({ live }) => !live).map(({ record }) => record.fields);
    return [...fresh, ...kept.map(({ id, fields }) => ({ ...fields, ...changed.get(id) }))];
  });
}

/** The routing of an account. @param fieldsOf returns the fields of the records of a kind */
export function routingOf(fieldsOf: (name: KindName) => readonly Fields[]): Routing {
  const active = fieldsOf('agents').filter(({ active }) => active !== false);
  const rules = fieldsOf('rules').map((rule) => revealed(rule) as Fields);
  return { defaults: fieldsOf('defaults'), rules, activeAgents: active.map(({ name }) => String(name)) };
}

/** Whether the kinds that determine who answers were read. */
export function isRoutingRead({ records }: Live): boolean {
  return routingKinds.every((name) => records.has(name));
}

/** The channels on which another agent answers after the plan; none if the routing kinds were not read. */
export function changedAnswerers(matched: Matched, drafts: readonly Draft[]): Answerer[] {
  if (!isRoutingRead(matched.live)) return [];
  return answererChanges(routingBefore(matched), routingAfter(matched, drafts), matched.live.channels);
}

/** The channels on which different agents answer. @param connected the connected channels; null if they are unknown */
export function answererChanges(before: Routing, after: Routing, connected: Live['channels']): Answerer[] {
  const lines = new Map<string, { channel: string; number: string | null }>();
  const add = (channel: string, number: string | null) => lines.set(`${channel}\0${number ?? ''}`, { channel, number });
  for (const { defaults, rules } of [before, after]) {
    for (const { channel, number } of defaults) add(String(channel), typeof number === 'string' ? number : null);
    for (const { channels } of rules) for (const channel of Array.isArray(channels) ? (channels as string[]) : []) add(channel, null);
  }
  for (const { channel } of connected ?? []) add(channel, null);
  return [...lines.values()]
    .map((line) => ({ ...line, before: answererOf(before, line), after: answererOf(after, line) }))
    .filter((each) => each.before !== each.after)
    .sort((one, other) => compareTexts(`${one.channel}\0${one.number ?? ''}`, `${other.channel}\0${other.number ?? ''}`));
}

/**
 * The agent that answers the first message of a new contact if it matches no keyword, according to the routing function of the
 * service; null if nobody does or the agent is inactive.
 */
function answererOf(
  { defaults, rules, activeAgents }: Routing,
  { channel, number }: { channel: string; number: string | null },
): string | null {
  const all = [...defaults.map(defaultRule), ...rules.map(narrowRule)];
  const { agent_id: agent } = decide({
    arrival: { kind: 'message', text: '' },
    channel: channel as 'chatapp',
    ownIdentity: number ?? '',
    takeover: 'none',
    agentId: null,
    broadcast: null,
    hasWritten: false,
    rules: all,
    hasKeywordRule: hasKeywordRule(all, channel as 'chatapp'),
    activeAgents,
  });
  return agent !== null && activeAgents.includes(agent) ? agent : null;
}

function defaultRule({ channel, number, agent }: Fields, index: number): Rule {
  return {
    id: `default ${index}`,
    type: 'channel_default',
    channels: [channel as 'chatapp'],
    agent_id: typeof agent === 'string' ? agent : '',
    enabled: true,
    match_config: typeof number === 'string' ? { phone_numbers: [number] } : {},
    revision: 0,
  };
}

function narrowRule({ type, channels, agent, enabled, keywords }: Fields, index: number): Rule {
  return {
    id: `rule ${index}`,
    type: type as 'keyword',
    channels: (channels ?? []) as 'chatapp'[],
    agent_id: String(agent),
    enabled: enabled !== false,
    match_config: { keywords: (keywords ?? []) as string[] },
    revision: -index,
  };
}

/** Whether a number is connected on a channel, as far as the service tells. @param channels see `Live` */
export function isConnected(channels: Live['channels'], channel: string, number: string): boolean {
  const spellings = spellingsOf(number);
  return channels?.some((each) => each.channel === channel && spellings.includes(each.identity)) ?? true;
}

/** Notes about defaults that the service will refuse, because their numbers are not connected. */
export function unconnectedNotes(matched: Matched): string[] {
  const { channels } = matched.live;
  const refused = changing(matched, 'defaults').flatMap(({ changed, record: { fields } }) => {
    const { channel, number } = fields;
    if (typeof number !== 'string' || Object.keys(changed).length === 0) return [];
    return isConnected(channels, String(channel), number) ? [] : `${number} is not connected on ${String(channel)}`;
  });
  return refused.length === 0 ? [] : [`The service will refuse these channel defaults: ${someOf(refused)}.`];
}
