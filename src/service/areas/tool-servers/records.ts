import { limits } from '../../../contract/limits.ts';
import type { Attachable } from '../functions/attached.ts';
import { type Tool, toolServers, type ToolServer } from './table.ts';

/** The tool servers whose tools agents may call. */
export const toolServersOfAgents: Attachable<ToolServer> = {
  records: toolServers,
  record: 'mcp_server',
  links: 'agent_tool_servers',
  column: 'server_id',
  most: limits.agentToolServers,
  plural: 'tool servers',
};

/** Whether agents may call a tool of a server. */
export function isAllowed({ allowed_tools: allowed }: ToolServer, { name }: Tool): boolean {
  return allowed === null || allowed.includes(name);
}

/** A tool server as answers show it. */
export function toolServerRecord(row: ToolServer) {
  return { ...toolServers.show(row), tools: row.tools.map((tool) => ({ ...tool, allowed: isAllowed(row, tool) })) };
}
