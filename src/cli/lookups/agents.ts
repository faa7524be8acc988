import { getAgent, listAgents } from '../../contract/areas/agents/endpoints.ts';
import { lookup } from '../verb/lookup.ts';

/** Agents by name. */
export const agentLookup = lookup(listAgents, 'agents', 'name', { get: getAgent });

/** The agent that a verb acts on. */
export const agentArgument = { param: 'agentId', name: 'agent', summary: 'the id or the name of an agent', lookup: agentLookup } as const;
