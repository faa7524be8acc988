import { sendMedia } from '../../../contract/areas/functions/endpoints.ts';
import { type Schema, supportedPart } from '../../../contract/areas/functions/parameters.ts';
import type { Db } from '../../store/database.ts';
import { attachedRecords } from '../functions/attached.ts';
import { functionsOfAgents } from '../functions/records.ts';
import type { CustomFunction } from '../functions/table.ts';
import { mediaOf } from '../media/records.ts';
import type { AgentMedia } from '../media/table.ts';
import { isAllowed, toolServersOfAgents } from '../tool-servers/records.ts';
import type { ToolServer } from '../tool-servers/table.ts';

/** What an agent can do. */
export interface Abilities {
  readonly functions: readonly CustomFunction[];
  readonly servers: readonly ToolServer[];
  readonly media: readonly AgentMedia[];
}

/** Who answers a call. */
type Target =
  | { readonly kind: 'function'; readonly called: CustomFunction }
  | { readonly kind: 'tool'; readonly server: ToolServer; readonly tool: string }
  | { readonly kind: 'media' };

/** A tool as a model is offered it. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string | null;
  /** The JSON Schema of the arguments, as it is told to the model. */
  readonly parameters: Schema;
  /** The part of it that is checked. */
  readonly checked: Schema | boolean;
  readonly target: Target;
}

/** The most tools that a model is offered, and the longest name that it can have. */
const offeredMax = 64;
const nameLength = 64;

/** Reads what an agent can do. */
export async function readAbilities(db: Db, accountId: string, agentId: string): Promise<Abilities> {
  const [functions, servers, media] = await Promise.all([
    attachedRecords(db, functionsOfAgents, accountId, agentId),
    attachedRecords(db, toolServersOfAgents, accountId, agentId),
    mediaOf(db, agentId),
  ]);
  return { functions: functions.filter(({ enabled }) => enabled), servers: servers.filter(({ enabled }) => enabled), media };
}

/** The tools that a model is offered (rule functions.9). Tools of servers whose names are too long or not unique are left out. */
export function offeredTools({ functions, servers, media }: Abilities): OfferedTool[] {
  const own = [...functions.map(functionTool), ...(media.length > 0 ? [mediaTool(media)] : [])];
  const tools = servers.flatMap(serverTools).filter(({ name }) => name.length <= nameLength);
  const counts = Map.groupBy([...own, ...tools], ({ name }) => name);
  return [...own, ...tools.filter(({ name }) => counts.get(name)?.length === 1)].slice(0, offeredMax);
}

function functionTool(called: CustomFunction): OfferedTool {
  const { name, description, parameters } = called;
  return { name, description, parameters, checked: parameters, target: { kind: 'function', called } };
}

function serverTools(server: ToolServer): OfferedTool[] {
  const allowed = server.tools.filter((tool) => isAllowed(server, tool));
  return allowed.map(({ name, description, input_schema: parameters }) => ({
    name: `${server.name}__${name}`.replace(/[^\w-]/gu, '_'),
    description,
    parameters,
    checked: supportedPart(parameters),
    target: { kind: 'tool', server, tool: name },
  }));
}

function mediaTool(media: readonly AgentMedia[]): OfferedTool {
  const described = media.map(({ name, description }) => (description === null ? name : `${name}: ${description}`));
  const parameters = {
    type: 'object',
    properties: { name: { type: 'string', enum: media.map(({ name }) => name), description: described.join('\n') } },
    required: ['name'],
    additionalProperties: false,
  };
  const description = 'Sends a file to the contact after your reply.';
  return { name: sendMedia, description, parameters, checked: parameters, target: { kind: 'media' } };
}
