import { getAgent, listAgents } from '../../contract/areas/agents/endpoints.ts';
import { lookup } from '../command/lookup.ts';

/** Agents by name. */
export const agentLookup = lookup(listAgents, 'agents', 'name', { get: getAgent });
