import { agentHandlers } from './handlers.ts';
import type { Area } from '../../area.ts';

/** Agents, their drafts and their tagging rules. */
export const agentArea = {
  handlers: agentHandlers,
  rows: [
    {
      table: 'agents',
      dependents: [
        { table: 'agent_sources', column: 'agent_id' },
        { table: 'agent_functions', column: 'agent_id' },
        { table: 'agent_tool_servers', column: 'agent_id' },
        { table: 'agent_media', column: 'agent_id' },
        { table: 'gap_agents', column: 'agent_id' },
        { table: 'contacts', column: 'agent_id', isKept: true },
      ],
    },
  ],
} satisfies Area;
