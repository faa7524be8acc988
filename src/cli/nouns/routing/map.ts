import type { Client } from '../../../client/client.ts';
import { listChannels } from '../../../contract/areas/channels/endpoints.ts';
import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { decide, hasKeywordRule, type Rule, type RoutingStep } from '../../../contract/areas/routing/decide.ts';
import type { Session } from '../../command/noun.ts';
import { counted } from '../../output/counted.ts';
import { type Result, type Row, wholeList } from '../../output/result.ts';
import type { Screen } from '../../output/screen.ts';
import { type Agent, type EntryPoint, readAgents, readEntryPoints } from '../../routing/entry-points.ts';
import { describeRule, nameOf } from '../../routing/words.ts';

/** Who answers on a channel, or on one number or account of it. */
interface Route {
  readonly channel: ChannelName;
  /** The account's number or account; null when none is connected on the channel. */
  readonly number: string | null;
  /** The step that decides for a new contact whom no rule is for. */
  readonly step: RoutingStep;
  readonly agent_id: string | null;
  readonly agent: string | null;
  /** The default that applies; null when there is none. */
  readonly default_id: string | null;
  readonly rules: readonly MapRule[];
  /** Why new contacts get no answer; null when they get one, or when that was decided. */
  readonly gap: string | null;
}

interface MapRule {
  readonly entry_point_id: string;
  readonly reacts_to: string;
  readonly agent_id: string;
  readonly agent: string;
}

/** Who answers what on an account: a row for each number that is connected, and for each channel with rules but without one. */
export async function readMap(session: Session): Promise<Result> {
  const client = await session.targets.client();
  const agents = await readAgents(client);
  const [entryPoints, connected] = await Promise.all([readEntryPoints(client, agents), readConnected(client)]);
  const inForce = entryPoints.filter(({ enabled }) => enabled);
  const unconnected = [...new Set(inForce.flatMap(({ channels }) => channels))].filter(
    (channel) => !connected.some((place) => place.channel === channel),
  );
  const places = [...connected, ...unconnected.map((channel) => ({ channel, number: null }))];
  const routes = places.map((place) => routeOf(place, inForce, agents));
  return wholeList('routes', routes);
}

interface Place {
  readonly channel: ChannelName;
  readonly number: string | null;
}

async function readConnected(client: Client): Promise<Place[]> {
  const places: Place[] = [];
  for await (const { rows } of client.pages(listChannels, {}, undefined))
    for (const { channel, identity, status } of rows)
      if (status === 'connected') places.push({ channel: channel as ChannelName, number: identity as string });
  return places.sort((a, b) => a.channel.localeCompare(b.channel) || (a.number ?? '').localeCompare(b.number ?? ''));
}

function routeOf({ channel, number }: Place, inForce: readonly EntryPoint[], agents: readonly Agent[]): Route {
  const active = agents.filter((agent) => agent.active);
  const rules = inForce as readonly Rule[];
  // An empty message is no keyword.
  const { step, agent_id, entry_point_id } = decide({
    arrival: { kind: 'message', text: '' },
    channel,
    ownIdentity: number ?? '',
    takeover: 'none',
    agentId: null,
    broadcast: null,
    hasWritten: false,
    rules,
    hasKeywordRule: hasKeywordRule(rules, channel),
    activeAgents: active.map(({ id }) => id),
  });
  const answering = agents.find(({ id }) => id === agent_id);
  const route = {
    channel,
    number,
    step,
    agent_id,
    agent: agent_id === null ? null : nameOf(agent_id, agents),
    default_id: entry_point_id,
    rules: inForce
      .filter(({ type, channels }) => type !== 'channel_default' && channels.includes(channel))
      .map((rule) => ({
        entry_point_id: rule.id,
        reacts_to: describeRule(rule),
        agent_id: rule.agent_id,
        agent: nameOf(rule.agent_id, agents),
      })),
  };
  return { ...route, gap: gapIn(route, active, answering) };
}

function gapIn({ number, step, agent }: Omit<Route, 'gap'>, active: readonly Agent[], answering: Agent | undefined): string | null {
  if (number === null) return 'nobody writes here: the channel is not connected';
  if (answering && !answering.active) return `nobody answers here: ${agent} is inactive`;
  if (step !== 'none') return null;
  const [only] = active;
  if (only && active.length === 1) return `only keywords are answered here: they stop ${only.name}, the only active agent`;
  return `nobody answers here: ${active.length === 0 ? 'no active agent' : counted(active.length, 'active agent')}, no default`;
}

/** The map as a table for people. */
export async function drawMap(rows: readonly Row[], screen: Screen): Promise<string> {
  const { TableFormatter } = await import('../../output/table.ts');
  const arrow = screen.unicode ? '→' : '->';
  const shown = (rows as unknown as readonly Route[]).map((route) => ({
    ...(isRowOfAccount(route) && { sub_account: route.sub_account }),
    channel: route.channel,
    number: route.number,
    default: route.default_id === null ? null : (route.agent ?? 'nobody'),
    new_contacts: route.gap ?? whoAnswers(route),
    rules: route.rules.map(({ reacts_to: what, agent }) => `${what} ${arrow} ${agent}`).join('; '),
  }));
  if (shown.length === 0) return 'No channel is connected, and no rule is in force.\n';
  const table = new TableFormatter(Object.keys(shown[0] ?? {}), screen);
  return (await table.page(shown)) + table.end();
}

/** Rows of several accounts name theirs. */
function isRowOfAccount(route: Route): route is Route & { readonly sub_account: string | null } {
  return 'sub_account' in route;
}

function whoAnswers({ step, agent }: Route): string {
  if (agent === null) return 'nobody: the default says so';
  return step === 'single_agent' ? `${agent}, the only active agent` : agent;
}
