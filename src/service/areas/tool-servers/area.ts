import type { Area } from '../../area.ts';
import { toolServerHandlers } from './handlers.ts';

/** Tool servers, which speak the Model Context Protocol, and the agents that may call their tools. */
export const toolServerArea = {
  handlers: toolServerHandlers,
  rows: [{ table: 'mcp_servers', dependents: [{ table: 'agent_tool_servers', column: 'server_id' }] }],
} satisfies Area;
