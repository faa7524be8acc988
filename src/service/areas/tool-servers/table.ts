import type { ErrorCode } from '../../../contract/areas/errors/codes.ts';
import { accountTable } from '../../store/account-table.ts';
import { boolean, instant, integer, json, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';
import { headersColumn } from '../functions/headers.ts';

/** A tool, as its server described it. */
export interface Tool {
  readonly name: string;
  readonly description: string | null;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

export const toolServers = accountTable(
  'mcp_servers',
  { prefix: 'mcp', record: 'mcp_server' },
  {
    name: text(),
    url: text(),
    headers: headersColumn().default({}),
    enabled: boolean().default(true),
    allowed_tools: json<string[]>().nullable(),
    status: text<'new' | 'connected' | 'failed'>().default('new'),
    error: json<{ readonly code: ErrorCode; readonly text: string }>().nullable(),
    tools: json<readonly Tool[]>().default([]),
    refreshed_at: instant().nullable(),
    /** The calls in conversations that failed since the last one that succeeded. */
    failures: integer().default(0).internal(),
  },
);

export type ToolServer = Row<typeof toolServers>;

export const agentToolServers = table('agent_tool_servers', { agent_id: text(), server_id: text() });

declare module '../../store/database.ts' {
  interface Database {
    mcp_servers: StoredRow<typeof toolServers>;
    agent_tool_servers: StoredRow<typeof agentToolServers>;
  }
}
