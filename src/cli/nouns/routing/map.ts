import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import {
  appliesOn,
  byPrecedence,
  type Decision,
  decide,
  hasKeywordRule,
  type Rule,
  type RoutingStep,
} from '../../../contract/areas/routing/decide.ts';
import type { Session } from '../../verb/noun.ts';
import { counted } from '../../../contract/text/counted.ts';
import { showsColumn } from '../../global-options.ts';
import { type Result, type ResultRow, wholeList } from '../../output/result.ts';
import { showsUnicode } from '../../output/screen.ts';
import { readConnected } from '../../routing/connected.ts';
import { type Agent, type EntryPoint, readAgents, readEntryPoints } from '../../routing/entry-points.ts';
import { readSilences, type Silence } from '../../routing/silence.ts';
import { describeRule, nameOf } from '../../routing/words.ts';

/** Who answers on a channel, or on one of its numbers or accounts. */
interface Route {
  readonly channel: ChannelName;
  /** The connected number or account; null if none is connected on the channel. */
  readonly number: string | null;
  /** The routing step that applies to a new contact if no rule matches. */
  readonly step: RoutingStep;
  readonly agent_id: string | null;
  readonly agent: string | null;
  /** The default that applies; null if there is none. */
  readonly default_id: string | null;
  /** Those that apply on the channel, in the order in which they are tried. */
  readonly rules: readonly MapRule[];
  /** Why the agent would not respond now anyway; null if it would. */
  readonly silent: string | null;
  /** Why new contacts get no answer; null if they get one, or if that is intended. */
  readonly gap: string | null;
}

interface MapRule {
  readonly entry_point_id: string;
  readonly reacts_to: string;
  readonly agent_id: string;
  readonly agent: string;
  readonly silent: string | null;
}

type Silences = ReadonlyMap<string, Silence>;

/** Who answers on an account: a row for each connected number, and for each channel that has rules but no connected number. */
export async function readMap({ targets, globals, world }: Session): Promise<Result> {
  const client = await targets.client();
  const agents = await readAgents(client);
  const [entryPoints, connected] = await Promise.all([readEntryPoints(client, agents), readConnected(client)]);
  const inForce = entryPoints.filter(({ enabled }) => enabled);
  const unconnected = [...new Set(inForce.flatMap(({ channels }) => channels))].filter(
    (channel) => !connected.some((place) => place.channel === channel),
  );
  const places: Place[] = [
    ...connected
      .map(({ channel, identity }) => ({ channel, number: identity }))
      .sort((a, b) => a.channel.localeCompare(b.channel) || a.number.localeCompare(b.number)),
    ...unconnected.map((channel) => ({ channel, number: null })),
  ];
  const decided = places.map((place) => ({ ...place, decision: decideAt(place, inForce, agents) }));
  const answering = [...decided.map(({ decision }) => decision.agent_id), ...inForce.map((rule) => rule.agent_id)];
  const known = (id: string | null): id is string => agents.some((agent) => agent.id === id);
  const silences = await readSilences(client, answering.filter(known));
  const routes = decided.map((each) => routeOf(each, inForce, agents, silences));
  if (!showsColumn(globals, 'new_contacts')) return wholeList('routes', routes);
  const arrow = showsUnicode(world.env) ? '→' : '->';
  return wholeList(
    'routes',
    routes.map((route) => forPeople(route, arrow, silences)),
  );
}

interface Place {
  readonly channel: ChannelName;
  readonly number: string | null;
}

/** Who answers a new contact if no rule matches. */
function decideAt({ channel, number }: Place, inForce: readonly EntryPoint[], agents: readonly Agent[]): Decision {
  const rules = inForce as readonly Rule[];
  return decide({
    // An empty message matches no keyword.
    arrival: { kind: 'message', text: '' },
    channel,
    ownIdentity: number ?? '',
    takeover: 'none',
    agentId: null,
    broadcast: null,
    hasWritten: false,
    rules,
    hasKeywordRule: hasKeywordRule(rules, channel),
    activeAgents: agents.filter(({ active }) => active).map(({ id }) => id),
  });
}

function routeOf(
  { channel, number, decision }: Place & { readonly decision: Decision },
  inForce: readonly EntryPoint[],
  agents: readonly Agent[],
  silences: Silences,
): Route {
  const { step, agent_id, entry_point_id } = decision;
  const reasonOf = (id: string | null) => silences.get(id ?? '')?.reason ?? null;
  const route = {
    channel,
    number,
    step,
    agent_id,
    agent: agent_id === null ? null : nameOf(agent_id, agents),
    default_id: entry_point_id,
    rules: inForce
      .filter(({ type, channels }) => type !== 'channel_default' && channels.includes(channel) && appliesOn(type, channel))
      .sort(byPrecedence)
      .map((rule) => ({
        entry_point_id: rule.id,
        reacts_to: describeRule(rule),
        agent_id: rule.agent_id,
        agent: nameOf(rule.agent_id, agents),
        silent: reasonOf(rule.agent_id),
      })),
    silent: reasonOf(agent_id),
  };
  const active = agents.filter((agent) => agent.active);
  const answering = agents.find(({ id }) => id === agent_id);
  return { ...route, gap: gapIn(route, active, answering) };
}

function gapIn(
  { channel, number, step, agent }: Omit<Route, 'gap'>,
  active: readonly Agent[],
  answering: Agent | undefined,
): string | null {
  if (number === null) return 'nobody writes here: the channel is not connected';
  if (answering && !answering.active) return `nobody answers here: ${agent} is inactive`;
  if (step !== 'none') return null;
  const [only] = active;
  if (only && active.length === 1)
    return appliesOn('keyword', channel)
      ? `only keyword rules reply on this channel; ${only.name}, the only active agent, does not reply to other messages`
      : `a keyword rule covers ${channel} but never applies there; it keeps ${only.name}, the only active agent, from replying`;
  return `nobody answers here: ${active.length === 0 ? 'no active agent' : counted(active.length, 'active agent')}, no default`;
}

/** A route in the columns of a table. */
function forPeople(route: Route, arrow: string, silences: Silences): ResultRow {
  const stateOf = (id: string | null) => {
    const silence = silences.get(id ?? '');
    return silence ? ` (${silence.state} now)` : '';
  };
  const rules = route.rules.map(({ reacts_to: what, agent, agent_id: id }) => `${what} ${arrow} ${agent}${stateOf(id)}`);
  return {
    ...route,
    default: route.default_id === null ? null : (route.agent ?? 'nobody'),
    new_contacts: route.gap ?? `${whoAnswers(route)}${stateOf(route.agent_id)}`,
    rules: rules.join('; '),
  };
}

function whoAnswers({ step, agent }: Route): string {
  if (agent === null) return 'nobody: the default says so';
  return step === 'single_agent' ? `${agent}, the only active agent` : agent;
}
