import * as z from 'zod';
import {
  createToolServer,
  deleteToolServer,
  getToolServer,
  listToolServers,
  updateToolServer,
} from '../../contract/areas/tool-servers/endpoints.ts';
import type { Kind } from '../kind.ts';
import { headersInFiles, headersOf, lossOfHeaders, missingHeaders, sentHeaders, sentToNewOrigin } from './headers.ts';
import { fieldsOfRow, sorted } from './rows.ts';
import { once, receiverUrl, requestFields } from './schema.ts';

const requested = once(() => requestFields(updateToolServer, ['url', 'headers']));

/** Tool servers. The tools that were read from them are data. */
export const toolServers: Kind = {
  name: 'tool-servers',
  noun: 'tool server',
  file: 'tool-servers.yaml',
  schema: () =>
    z.strictObject({
      ...requested(),
      url: receiverUrl().optional().describe('the address of the server; must be https except in a sandbox'),
      headers: headersInFiles(),
    }),
  normalise: (fields) => ({ ...fields, ...('allowed_tools' in fields && { allowed_tools: sorted(fields.allowed_tools) }) }),
  endpoints: [listToolServers, createToolServer, getToolServer, updateToolServer, deleteToolServer],
  identity: { key: ['name'] },
  reading: {
    list: (client) => client.all(listToolServers, {}),
    get: async (client, id) => (await client.call(getToolServer, { params: { id } })).mcp_server,
    isServedBySomeOnly: true,
    fields: (row) => [{ ...fieldsOfRow(row, [...Object.keys(requested()), 'url']), headers: headersOf(row) }],
    addresses: ['url'],
    hidden: ['headers'],
  },
  writing: {
    step: 1,
    required: () => ['url'],
    create: async ({ client, fields }) => {
      const body = { ...fields, ...sentHeaders(fields) } as { name: string; url: string };
      return { id: (await client.call(createToolServer, { body })).mcp_server.id };
    },
    update: async ({ client, fields, live }) => {
      await client.call(updateToolServer, { params: { id: live.id }, body: { ...fields, ...sentHeaders(fields, live.fields) } });
      return undefined;
    },
    writesAgain: sentToNewOrigin,
    remove: async ({ client, live: { id } }) => {
      await client.call(deleteToolServer, { params: { id } });
    },
    refuses: missingHeaders,
  },
  loss: lossOfHeaders,
};
