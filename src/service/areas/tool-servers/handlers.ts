import { checkNotEmpty } from '../../errors.ts';
import { type AreaHandlers, ownTransactionsHandler, preparedHandler } from '../../http/handler.ts';
import { deleteRecord } from '../../http/record-handlers.ts';
import { checkAddress } from '../../network/address-rules.ts';
import { requireAgent } from '../agents/records.ts';
import { attach, attachedPage, detach } from '../functions/attached.ts';
import { changedHeaders, newHeaders } from '../functions/headers.ts';
import { checkNameFree } from '../functions/names.ts';
import { outcomeRecord, timed } from '../functions/outcome.ts';
import { toolServerRecord, toolServersOfAgents } from './records.ts';
import { toolServers } from './table.ts';

const names = { table: 'mcp_servers', what: 'tool server' } as const;

/** The handlers of the area. */
export const toolServerHandlers: AreaHandlers<'toolServers'> = {
  'toolServers.list': async ({ db, account, page }) => {
    const { rows, next_cursor } = await page((before, limit) => toolServers.list(db, account.id, before, limit));
    return { mcp_servers: rows.map(toolServerRecord), next_cursor };
  },

  'toolServers.create': preparedHandler(
    ({ body, service }) => checkAddress(body.url, 'url', service.outbound),
    async ({ db, account, body, now }) => {
      const fields = { ...body, headers: newHeaders(body.url, body.headers) };
      await checkNameFree(db, names, account.id, body.name, null);
      return { mcp_server: toolServerRecord(await toolServers.create(db, account.id, fields, now)) };
    },
  ),

  'toolServers.get': async ({ db, account, params }) => ({
    mcp_server: toolServerRecord(await toolServers.require(db, account.id, params.id)),
  }),

  'toolServers.update': preparedHandler(
    ({ body, service }) => checkAddress(body.url, 'url', service.outbound),
    async ({ db, account, params, body, now }) => {
      checkNotEmpty(body);
      const stored = await toolServers.require(db, account.id, params.id);
      const change = { ...body, headers: changedHeaders(stored, body) };
      await checkNameFree(db, names, account.id, body.name, stored.id);
      return { mcp_server: toolServerRecord(await toolServers.change(db, account.id, stored.id, change, now)) };
    },
  ),

  'toolServers.delete': deleteRecord(toolServers),

  // A transaction must not wait for the network.
  'toolServers.refresh': ownTransactionsHandler(async ({ service, account, params, write, now, keep }) => {
    const server = await service.store.read((db) => toolServers.require(db, account.id, params.id));
    const read = await service.toolServers.readTools(server);
    const change =
      'tools' in read
        ? { status: 'connected' as const, error: null, tools: read.tools, refreshed_at: now }
        : { status: 'failed' as const, error: { code: read.code, text: read.text } };
    return await write(
      async (db) => {
        const stored = await toolServers.require(db, account.id, params.id);
        const answer = { mcp_server: toolServerRecord(await toolServers.setColumns(db, stored, change)) };
        await keep(db, answer);
        return answer;
      },
      { accounts: [account.id] },
    );
  }),

  'toolServers.test': ownTransactionsHandler(async ({ service, account, params, body }) => {
    const server = await service.store.read((db) => toolServers.require(db, account.id, params.id));
    return outcomeRecord(await timed(() => service.toolServers.call(server, body.tool, body.arguments ?? {})));
  }),

  'toolServers.ofAgent': async (context) => {
    const { db, account, params } = context;
    await requireAgent(db, account.id, params.agentId);
    const { rows, next_cursor } = await attachedPage(context, toolServersOfAgents, params.agentId);
    return { mcp_servers: rows.map(toolServerRecord), next_cursor };
  },

  'toolServers.attach': async ({ db, account, params, body }) => {
    await requireAgent(db, account.id, params.agentId);
    const ids = await attach(db, toolServersOfAgents, account.id, params.agentId, body.mcp_server_ids);
    return { agent_id: params.agentId, mcp_server_ids: ids };
  },

  'toolServers.detach': async ({ db, account, params }) => {
    await requireAgent(db, account.id, params.agentId);
    await detach(db, toolServersOfAgents, account.id, params.agentId, params.serverId);
    return {};
  },
};
