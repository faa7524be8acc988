import * as z from 'zod';
import { newTaggingRule } from '../../contract/areas/agents/agent.ts';
import { agentAvailability } from '../../contract/areas/agents/availability.ts';
import {
  attachSources,
  createAgent,
  deleteAgent,
  detachSources,
  getAgent,
  listAgents,
  setActive,
  updateAgent,
} from '../../contract/areas/agents/endpoints.ts';
import { attachFunctions, detachFunction } from '../../contract/areas/functions/endpoints.ts';
import { attachToolServers, detachToolServer } from '../../contract/areas/tool-servers/endpoints.ts';
import type { Caller } from '../../contract/call.ts';
import { limits } from '../../contract/limits.ts';
import { counted } from '../../contract/text/counted.ts';
import { compareTexts } from '../../contract/text/compare-texts.ts';
import { fieldsOfRow, sorted } from './rows.ts';
import type { IdOf, Kind, KindName, Rows } from '../kind.ts';
import { hoursInFiles, once, receiverUrl, reference, requestFields } from './schema.ts';
import { type Fields, isFields, revealed } from '../values.ts';
import { normalHours } from './hours.ts';
import { normalPage, uploaded } from './sources.ts';

/** The fields of requests that have another form in files. */
const renamed = ['event_id', 'event_ids', 'tags'];

const taggingRule = () => {
  const { name: _, tag_id: __, ...rest } = newTaggingRule().shape;
  return z.strictObject({
    tag: reference('the tag to apply'),
    ...rest,
    webhook: receiverUrl().nullable().optional().describe('the address to call when the agent applies the tag'),
    absent: z.literal(true).optional(),
  });
};

const requested = once(() => requestFields(updateAgent, renamed));

/** Agents are created inactive, and activated once everything that they need exists. */
export const agents: Kind = {
  name: 'agents',
  noun: 'agent',
  mainText: 'instructions',
  schema: () =>
    z.strictObject({
      ...requested(),
      availability: hoursInFiles(agentAvailability()).describe('when the agent answers, by weekday'),
      event: reference('the event type that it can book').nullable().optional(),
      events: z.array(reference('an event type')).max(100).optional().describe('the event types that it can book'),
      tags: z.array(taggingRule()).optional().describe('the tagging rules'),
      sources: z.array(z.string()).optional().describe('the addresses of its knowledge sources'),
      functions: z.array(reference('a function')).max(limits.agentFunctions).optional().describe('the functions that it may call'),
      tool_servers: z
        .array(reference('a tool server'))
        .max(limits.agentToolServers)
        .optional()
        .describe('the tool servers that it may call'),
    }),
  normalise,
  endpoints: [
    listAgents,
    createAgent,
    getAgent,
    updateAgent,
    deleteAgent,
    setActive,
    attachSources,
    detachSources,
    attachFunctions,
    detachFunction,
    attachToolServers,
    detachToolServer,
  ],
  identity: { key: ['name'] },
  references: {
    fields: {
      event: 'events',
      events: 'events',
      'tags.tag': 'tags',
      sources: 'sources',
      functions: 'functions',
      tool_servers: 'tool-servers',
    },
    keptBy: ['campaigns'],
  },
  reading: {
    list: async (client) => (await client.call(listAgents, {})).agents,
    get: async (client, id) => (await client.call(getAgent, { params: { agentId: id } })).agent,
    notDumped: uploadedSources,
    fields: (row, nameOf) => {
      const {
        event_id: event,
        event_ids: events,
        tags,
        kb_source_refs: sources,
        custom_function_ids: functions,
        mcp_server_ids: servers,
      } = row;
      return [
        {
          ...fieldsOfRow(row, Object.keys(requested())),
          ...(typeof event === 'string' && { event: nameOf('events', event) }),
          ...(Array.isArray(events) && { events: events.map((id) => nameOf('events', id as string)) }),
          ...(Array.isArray(tags) && { tags: tags.filter(isFields).map((rule) => ruleOf(rule, nameOf('tags', rule.tag_id as string))) }),
          ...(Array.isArray(sources) && { sources: namesOf(sources as readonly string[], (id) => nameOf('sources', id)) }),
          ...(Array.isArray(functions) && { functions: namesOf(functions as readonly string[], (id) => nameOf('functions', id)) }),
          ...(Array.isArray(servers) && { tool_servers: namesOf(servers as readonly string[], (id) => nameOf('tool-servers', id)) }),
        },
      ];
    },
    addresses: ['webhook'],
  },
  writing: {
    step: 2,
    create: async ({ client, fields, idOf }) => {
      const { agent_id: id } = await client.call(createAgent, { body: { ...bodyOf(fields, idOf), active: false } });
      return { id };
    },
    completion: {
      fields: ['sources', 'functions', 'tool_servers'],
      write: async ({ client, fields, idOf, id }) => await attachAll(client, id, {}, fields, idOf),
    },
    isActivatedLast: true,
    update: async ({ client, fields, idOf, live: { id, fields: before } }) => {
      const { active, ...rest } = fields;
      const body = bodyOf(rest, idOf);
      if (Object.keys(body).length > 0) await client.call(updateAgent, { params: { agentId: id }, body });
      await attachAll(client, id, before, fields, idOf);
      if (typeof active === 'boolean') await client.call(setActive, { params: { agentId: id }, body: { active } });
      return undefined;
    },
    remove: async ({ client, live: { id } }) => {
      await client.call(deleteAgent, { params: { agentId: id } });
    },
    exceeds: (fields, live, { max_agent_bytes: most, ai_model_tiers: tiers }) => {
      if (typeof fields.ai_model_tier === 'string' && !tiers.includes(fields.ai_model_tier as 'max'))
        return `the plan does not include the tier ${fields.ai_model_tier}`;
      const bytes = Buffer.byteLength(JSON.stringify(revealed({ ...live?.fields, ...fields })));
      return bytes > most ? `it has ${bytes} bytes, but the plan allows at most ${most}` : undefined;
    },
    room: (rows, { max_agents: most }) => ({
      left: most - rows.length,
      isFreed: true,
      reason: `the plan allows ${counted(most, 'agent')}`,
    }),
  },
};

/** Notes about uploaded sources that are attached to agents, if the sources themselves are not dumped. */
function uploadedSources(rows: Rows, names: readonly KindName[]): string[] {
  if (names.includes('sources')) return [];
  const attached = new Set((rows.get('agents') ?? []).flatMap(({ kb_source_refs: ids }) => ids as string[] | undefined));
  const left = (rows.get('sources') ?? []).filter(({ source_id: id }) => attached.has(id as string));
  return left.flatMap((row) => uploaded(row)?.note ?? []).map((note) => `${note}.`);
}

function ruleOf({ description, webhook, ai_can_remove: canRemove }: Fields, tag: string): Fields {
  return { tag, description, webhook, ai_can_remove: canRemove };
}

function normalise(fields: Fields): Fields {
  return {
    ...fields,
    ...('availability' in fields && { availability: normalHours(fields.availability) }),
    ...('events' in fields && { events: sorted(fields.events) }),
    ...('functions' in fields && { functions: sorted(fields.functions) }),
    ...('tool_servers' in fields && { tool_servers: sorted(fields.tool_servers) }),
    ...(Array.isArray(fields.sources) && { sources: sorted(fields.sources.map(normalPage)) }),
    ...(Array.isArray(fields.tags) && { tags: fields.tags.filter(isFields).map(normalRule).sort(byTag) }),
  };
}

/** Removes nulls, and false because it is the default. A rule is replaced as a whole, so omitted fields are reset. */
function normalRule(rule: Fields): Fields {
  return Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== null && value !== undefined && value !== false));
}

function byTag(one: Fields, other: Fields): number {
  return compareTexts(String(one.tag), String(other.tag));
}

/** The fields as the request body. */
function bodyOf({ event, events, tags, sources: _, functions: __, tool_servers: ___, ...fields }: Fields, idOf: IdOf): Fields {
  return {
    ...fields,
    ...(event !== undefined && { event_id: event === null ? null : idOf('events', event as string) }),
    ...(Array.isArray(events) && { event_ids: events.map((name) => idOf('events', name as string)) }),
    ...(Array.isArray(tags) && {
      tags: tags.filter(isFields).map(({ tag, ...rule }) => ({ name: tag, tag_id: idOf('tags', tag as string), ...rule })),
    }),
  };
}

/** What is attached to an agent, by the field that names it: the kind, and the calls that attach and detach records by their ids. */
const attachments = {
  sources: {
    kind: 'sources',
    attach: (client: Caller, agentId: string, ids: string[]) =>
      client.call(attachSources, { params: { agentId }, body: { kb_source_ids: ids } }),
    detach: (client: Caller, agentId: string, ids: string[]) =>
      client.call(detachSources, { params: { agentId }, body: { kb_source_ids: ids } }),
  },
  functions: {
    kind: 'functions',
    attach: (client: Caller, agentId: string, ids: string[]) =>
      client.call(attachFunctions, { params: { agentId }, body: { custom_function_ids: ids } }),
    detach: async (client: Caller, agentId: string, ids: string[]) => {
      for (const functionId of ids) await client.call(detachFunction, { params: { agentId, functionId } });
    },
  },
  tool_servers: {
    kind: 'tool-servers',
    attach: (client: Caller, agentId: string, ids: string[]) =>
      client.call(attachToolServers, { params: { agentId }, body: { mcp_server_ids: ids } }),
    detach: async (client: Caller, agentId: string, ids: string[]) => {
      for (const serverId of ids) await client.call(detachToolServer, { params: { agentId, serverId } });
    },
  },
} as const;

/** Attaches and detaches records, so that the agent has those of the given fields. */
async function attachAll(client: Caller, agentId: string, before: Fields, after: Fields, idOf: IdOf): Promise<void> {
  for (const [field, { kind, attach, detach }] of Object.entries(attachments)) {
    if (!Array.isArray(after[field])) continue;
    const ids = (names: unknown) => (Array.isArray(names) ? (names as string[]).map((name) => idOf(kind, name)) : []);
    const [old, wanted] = [ids(before[field]), ids(after[field])];
    const missing = wanted.filter((id) => !old.includes(id));
    const surplus = old.filter((id) => !wanted.includes(id));
    // An agent can have a certain number only, so that what it loses goes first.
    if (surplus.length > 0) await detach(client, agentId, surplus);
    if (missing.length > 0) await attach(client, agentId, missing);
  }
}

/** The names of what is attached. Uploaded documents, and what the key may not read, have none: files cannot refer to it, and it stays attached. */
function namesOf(ids: readonly string[], nameOf: (id: string) => string): string[] {
  return ids.map((id) => [id, nameOf(id)] as const).flatMap(([id, name]) => (name === id ? [] : [name]));
}
