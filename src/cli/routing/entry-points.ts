import type { Client } from '../../client/client.ts';
import { listAgents } from '../../contract/areas/agents/endpoints.ts';
import { listDefaults, listRules } from '../../contract/areas/routing/endpoints.ts';
import type { Answer } from '../../contract/endpoint.ts';
import { inParallel } from '../../contract/in-parallel.ts';

export type EntryPoint = Answer<typeof listDefaults>['entry_points'][number];

/** The agent data that routing output needs. */
export interface Agent {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
}

/** Maximum number of agents whose rules or hours are read in parallel. */
export const readAtOnce = 4;

/** The agents of an account, newest first. */
export async function readAgents(client: Client): Promise<Agent[]> {
  const { agents } = await client.call(listAgents, { query: { view: 'summary' } });
  return agents.map(({ id, name, active }) => ({ id, name: name ?? id, active: active ?? true }));
}

/** All entry points of an account, newest first: those of its agents, and the defaults that have no agent. */
export async function readEntryPoints(client: Client, agents: readonly Agent[]): Promise<EntryPoint[]> {
  const [{ entry_points: defaults }, ofAgents] = await Promise.all([
    client.call(listDefaults, {}),
    inParallel(agents, readAtOnce, async ({ id }) => (await client.call(listRules, { params: { agentId: id } })).entry_points),
  ]);
  const all = new Map([...ofAgents.flat(), ...defaults].map((each) => [each.id, each]));
  return [...all.values()].sort((a, b) => b.created_at - a.created_at || b.revision - a.revision);
}
