import { agentLookup } from '../../lookups/agents.ts';

/** The agent that a verb acts on. */
export const agentArgument = { param: 'agentId', name: 'agent', summary: 'the id or the name of an agent', lookup: agentLookup } as const;
