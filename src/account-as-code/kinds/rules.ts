import * as z from 'zod';
import { type EntryPointType, entryPointTypes } from '../../contract/areas/routing/decide.ts';
import { createRule, deleteRule, listRules, updateRule } from '../../contract/areas/routing/endpoints.ts';
import { channelsFlaw, matchConfigs } from '../../contract/areas/routing/entry-point.ts';
import { schemaOf } from '../../contract/endpoint.ts';
import { inParallel } from '../../contract/in-parallel.ts';
import { problemOf } from '../../contract/issues.ts';
import { fieldsOfRow, noneAt404, sorted } from './rows.ts';
import { type IdOf, type Kind, readsAtOnce, type AnswerRow } from '../kind.ts';
import type { Caller } from '../../contract/call.ts';
import { once, reference, requestFields } from './schema.ts';
import { type Fields, isFields, pick } from '../values.ts';

const types = entryPointTypes.filter((type) => type !== 'channel_default');

const requested = once(() => requestFields(createRule, ['type', 'match_config']));

/** The settings of all rule types. */
const settings = once((): z.ZodRawShape =>
  Object.fromEntries(
    types
      .flatMap((type) => Object.entries(matchConfigs[type]().shape))
      .map(([field, schema]) => [field, withoutDefault(schema as z.ZodType).optional()]),
  ),
);

/** Removes the default of a schema: omitted fields must stay omitted. */
function withoutDefault(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodDefault ? (schema.unwrap() as z.ZodType) : schema;
}

/** Routing rules. They have no names; the first matching rule in a file wins. */
export const rules: Kind = {
  name: 'rules',
  noun: 'rule',
  file: 'routing.yaml',
  schema: () =>
    z.strictObject({ type: z.enum(types), ...requested(), ...settings(), agent: reference('the agent that answers').optional() }),
  flaw: ruleFlaw,
  normalise: (fields) => ({
    ...fields,
    ...('channels' in fields && { channels: sorted(fields.channels) }),
    // The service answers the default when the mode is cleared.
    ...(fields.first_response_mode === null && { first_response_mode: 'ai' }),
  }),
  endpoints: [listRules, createRule, updateRule, deleteRule],
  identity: {
    key: [],
    title: ruleTitle,
    hasFixedName: true,
  },
  references: {
    fields: { agent: 'agents' },
    isDeletedWithReference: true,
  },
  reading: {
    list: async (client, rows) =>
      await rulesOf(
        client,
        (rows.get('agents') ?? []).map(({ id }) => id as string),
      ),
    listsAfter: 'agents',
    listRequests: (count) => count('agents'),
    listNear: async ({ client, fields: { agent }, row, idOf }) => {
      const agents = [row?.agent_id, typeof agent === 'string' ? idOf('agents', agent) : undefined];
      return await rulesOf(client, [...new Set(agents.filter((id) => typeof id === 'string'))]);
    },
    leavesOut: ({ type }) => (type === 'channel_default' ? {} : undefined),
    fields: (row, nameOf) => [
      {
        type: row.type,
        ...fieldsOfRow(row, Object.keys(requested())),
        ...(isFields(row.match_config) && fieldsOfRow(row.match_config, Object.keys(settings()))),
        agent: nameOf('agents', row.agent_id as string),
      },
    ],
  },
  writing: {
    step: 5,
    required: ({ type }) => ['channels', 'agent', ...requiredSettings(type as EntryPointType)],
    create: async ({ client, fields, idOf }) => {
      const { agent, ...rest } = fields;
      const config = pick(rest, Object.keys(settings()));
      const body = { ...without(rest, config), match_config: config } as never;
      return { id: (await client.call(createRule, { params: { agentId: idOf('agents', agent as string) }, body })).entry_point_id };
    },
    update: async ({ client, fields, idOf, live: { id, row } }) => {
      // Any update moves a rule to the front, even one without changes.
      const changed = bodyOf(fields, idOf);
      const body = Object.keys(changed).length > 0 ? changed : { enabled: row.enabled };
      await client.call(updateRule, { params: { entryPointId: id }, body });
      return undefined;
    },
    remove: async ({ client, live: { id } }) => {
      await client.call(deleteRule, { params: { entryPointId: id } });
    },
  },
};

/** Describes a rule, which has no name. */
function ruleTitle({ type, channels, keywords, post_ids: posts, agent }: Fields): string {
  const list = (value: unknown) => (Array.isArray(value) ? value.join(', ') : '');
  const match = [list(keywords), list(posts)].filter((text) => text !== '').join(' / ');
  return `${String(type)} on ${list(channels)}${match === '' ? '' : `: ${match}`} → ${String(agent)}`;
}

function settingsOf(type: EntryPointType): Readonly<Record<string, z.ZodType>> {
  return schemaOf(matchConfigs[type]).shape;
}

/** The settings without which a rule of this type cannot be created. */
function requiredSettings(type: EntryPointType): string[] {
  return Object.entries(settingsOf(type)).flatMap(([field, schema]) => (schema.safeParse(undefined).success ? [] : [field]));
}

/** Checks whether the fields of a rule fit its type. */
function ruleFlaw(fields: Fields): { field: string; problem: string } | undefined {
  const type = fields.type as EntryPointType;
  const problem = Array.isArray(fields.channels) ? channelsFlaw(type, fields.channels as string[]) : undefined;
  if (problem !== undefined) return { field: 'channels', problem };
  const shape = settingsOf(type);
  for (const field of Object.keys(settings()).filter((name) => name in fields)) {
    const schema = shape[field];
    if (!schema) return { field, problem: `a rule of the type ${type} has no ${field}` };
    const [issue] = schema.safeParse(fields[field]).error?.issues ?? [];
    if (issue) return { field, problem: problemOf(issue) };
  }
  return undefined;
}

/** The rules of agents. Agents that no longer exist are skipped. */
async function rulesOf(client: Caller, agents: readonly string[]): Promise<AnswerRow[]> {
  const found = await inParallel(agents, readsAtOnce, async (agentId) => {
    const answer = await client.call(listRules, { params: { agentId } }).catch(noneAt404);
    return answer?.entry_points ?? [];
  });
  return found.flat();
}

function bodyOf({ agent, ...rest }: Fields, idOf: IdOf): Fields {
  const config = pick(rest, Object.keys(settings()));
  return {
    ...without(rest, config),
    ...Object.fromEntries(Object.entries(config).map(([field, value]) => [`match_config.${field}`, value])),
    ...(typeof agent === 'string' && { agent_id: idOf('agents', agent) }),
  };
}

function without(fields: Fields, left: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !(field in left)));
}
