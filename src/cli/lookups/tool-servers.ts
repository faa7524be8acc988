import { getToolServer, listToolServers } from '../../contract/areas/tool-servers/endpoints.ts';
import { lookup } from '../verb/lookup.ts';

/** Tool servers by name. */
export const toolServerLookup = lookup(listToolServers, 'mcp_servers', 'name', {
  what: 'tool server',
  record: 'mcp_server',
  idPrefix: 'mcp_',
  get: getToolServer,
});
