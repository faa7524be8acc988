import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { anyObject, id, nextCursor, pageQuery, recordId, text, timestamp } from '../../fields.ts';
import { limits } from '../../limits.ts';
import { callError, testedCall } from '../functions/calls.ts';
import { headers, newHeaders } from '../functions/headers.ts';

const serverStatuses = ['new', 'connected', 'failed'] as const;

const serverName = () =>
  z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,30}$/, { error: 'must have at most 31 lower-case letters, digits and _, and begin with a letter' })
    .describe('the name, with which those of its tools begin');

const toolName = () => text(limits.nameLength).min(1, { error: 'must not be empty' });

const url = () => text(limits.pageUrlLength).describe('the address of the server, https except in a sandbox');

const fields = () => ({
  headers: newHeaders().optional().describe('headers of each request by name, such as a token; their values are secrets'),
  enabled: z.boolean().optional().meta({ description: 'whether agents may call its tools', defaultText: 'true' }),
  allowed_tools: z
    .array(toolName())
    .max(200)
    .nullable()
    .optional()
    .meta({ description: 'the names of the tools that agents may call', defaultText: 'all' }),
});

/** A tool as answers show it. */
const tool = () =>
  z.object({
    name: z.string(),
    description: z.string().nullable(),
    input_schema: z.record(z.string(), z.unknown()).describe('the arguments, as a JSON Schema'),
    allowed: z.boolean().describe('whether agents may call it'),
  });

/** A tool server as answers show it. */
const toolServer = () =>
  z.object({
    id: recordId('mcp_'),
    name: z.string(),
    url: z.string().describe('the address of the server'),
    headers: headers().describe('the headers of each request; the values are masked'),
    enabled: z.boolean().describe('whether agents may call its tools'),
    allowed_tools: z.array(z.string()).nullable().describe('the names of the tools that agents may call; null for all'),
    status: z.enum(serverStatuses).describe('what came of the last refresh; new before the first one'),
    error: callError().nullable().describe('why the last refresh failed; null when it did not'),
    tools: z.array(tool()).describe('the tools, as they were read last'),
    refreshed_at: timestamp().nullable().describe('when the tools were read last'),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

const shared = { section: 'MCP Servers', access: 'account' } as const;
const edit = { ...shared, permission: 'agents.edit' } as const;
const ofAgents = { section: 'Agents', access: 'account' } as const;
const answer = { 200: () => z.object({ mcp_server: toolServer() }) } as const;

/** A page can hold the schemas of thousands of tools. */
const answerLimits = { bytes: 256 * 1024 * 1024, milliseconds: 60_000 };

export const listToolServers = endpoint({
  ...shared,
  name: 'toolServers.list',
  hasLargeAnswer: true,
  answerLimits,
  method: 'GET',
  path: '/mcp-servers',
  summary: 'List the tool servers, newest first',
  query: () => z.object(pageQuery()),
  rows: 'mcp_servers',
  responses: { 200: () => z.object({ mcp_servers: z.array(toolServer()), next_cursor: nextCursor() }) },
});

export const createToolServer = endpoint({
  ...edit,
  name: 'toolServers.create',
  method: 'POST',
  path: '/mcp-servers',
  summary: 'Add a tool server, which speaks the Model Context Protocol',
  body: () => z.object({ name: serverName(), url: url(), ...fields() }),
  responses: { 201: () => z.object({ mcp_server: toolServer() }) },
  errors: [409],
});

export const getToolServer = endpoint({
  ...shared,
  name: 'toolServers.get',
  hasLargeAnswer: true,
  method: 'GET',
  path: '/mcp-servers/{id}',
  summary: 'Show a tool server',
  responses: answer,
  errors: [404],
});

export const updateToolServer = endpoint({
  ...edit,
  name: 'toolServers.update',
  method: 'PUT',
  path: '/mcp-servers/{id}',
  summary: 'Update a tool server; headers replace all there were, and those sent as ******** keep their values',
  body: () => z.object({ name: serverName().optional(), url: url().optional(), ...fields() }),
  responses: answer,
  errors: [404, 409],
});

export const deleteToolServer = endpoint({
  ...edit,
  name: 'toolServers.delete',
  method: 'DELETE',
  path: '/mcp-servers/{id}',
  summary: 'Delete a tool server; agents lose its tools',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const refreshToolServer = endpoint({
  ...edit,
  name: 'toolServers.refresh',
  method: 'POST',
  path: '/mcp-servers/{id}/refresh',
  summary: 'Read the tools of a tool server',
  answerLimits,
  responses: answer,
  errors: [404],
});

export const testTool = endpoint({
  ...edit,
  name: 'toolServers.test',
  method: 'POST',
  path: '/mcp-servers/{id}/test',
  summary: 'Call a tool of a tool server with arguments',
  answerLimits: { bytes: 4 * 1024 * 1024, milliseconds: 60_000 },
  body: () =>
    z.object({
      tool: toolName().describe('the name of the tool'),
      arguments: anyObject().optional().meta({ description: 'the arguments', defaultText: 'none' }),
    }),
  responses: { 200: () => z.object(testedCall()) },
  errors: [404],
});

export const listAgentToolServers = endpoint({
  ...ofAgents,
  name: 'toolServers.ofAgent',
  hasLargeAnswer: true,
  answerLimits,
  method: 'GET',
  path: '/agents/{agentId}/mcp-servers',
  summary: 'List the tool servers of an agent, newest first',
  query: () => z.object(pageQuery()),
  rows: 'mcp_servers',
  responses: { 200: () => z.object({ mcp_servers: z.array(toolServer()), next_cursor: nextCursor() }) },
  errors: [404],
});

export const attachToolServers = endpoint({
  ...ofAgents,
  permission: 'agents.edit',
  name: 'toolServers.attach',
  method: 'POST',
  path: '/agents/{agentId}/mcp-servers',
  summary: 'Let an agent call the tools of tool servers',
  body: () => z.object({ mcp_server_ids: z.array(id()).min(1).max(100).describe('the ids of tool servers') }),
  responses: { 200: () => z.object({ agent_id: z.string(), mcp_server_ids: z.array(z.string()) }) },
  errors: [404],
});

export const detachToolServer = endpoint({
  ...ofAgents,
  permission: 'agents.edit',
  name: 'toolServers.detach',
  method: 'DELETE',
  path: '/agents/{agentId}/mcp-servers/{serverId}',
  summary: 'Take a tool server away from an agent; the server stays',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const toolServerEndpoints = [
  listToolServers,
  createToolServer,
  getToolServer,
  updateToolServer,
  deleteToolServer,
  refreshToolServer,
  testTool,
  listAgentToolServers,
  attachToolServers,
  detachToolServer,
] as const;
