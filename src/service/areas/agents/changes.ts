import * as z from 'zod';
import { agentFields, botFields } from '../../../contract/areas/agents/agent.ts';
import { agentAvailability } from '../../../contract/areas/agents/availability.ts';
import { ApiError } from '../../errors.ts';
import { parseWith } from '../../http/validation.ts';
import type { Agent } from './table.ts';

/** The fields that a request sets, by their names. */
export type AgentFields = z.output<z.ZodObject<ReturnType<typeof agentFields>>> & { readonly name?: string | undefined };

/** The names of the fields that an update can set. */
export const settableNames: ReadonlySet<string> = new Set(['name', ...Object.keys(agentFields())]);

/** The names of the fields that an update of the bot's configuration can set. */
export const botNames: ReadonlySet<string> = new Set(Object.keys(botFields()));

/** The fields that dotted keys can lead into. The others are not objects. */
const nested = {
  availability: agentAvailability,
  follow_up_config: () => z.record(z.string(), z.unknown()),
} as const;

type Nested = keyof typeof nested;

/** A dotted key such as `availability.monday`, with its value. */
interface DottedField {
  readonly root: Nested;
  readonly path: readonly string[];
  readonly value: unknown;
}

/** How many objects deep a dotted key may lead. */
const pathMax = 16;

/** The change that a request asks for. */
export interface RequestedChange {
  readonly fields: AgentFields;
  readonly dotted: readonly DottedField[];
}

/**
 * Reads the fields that a body sets. Fields that cannot be set are ignored, also those that a dotted key leads into.
 * @param settable the names of the fields that can be set
 * @throws ApiError 400 when no field is set, or a dotted key leads into something that is not an object
 */
export function readChange(body: object, settable: ReadonlySet<string>): RequestedChange {
  const set = Object.entries(body).filter(([, value]) => value !== undefined);
  const fields = Object.fromEntries(set.filter(([key]) => settable.has(key))) as AgentFields;
  const dotted = set.filter(([key]) => settable.has(key.split('.')[0] ?? '') && key.includes('.')).map(readDotted);
  if (Object.keys(fields).length === 0 && dotted.length === 0) throw new ApiError(400, 'No fields to update');
  return { fields, dotted };
}

function readDotted([key, value]: readonly [string, unknown]): DottedField {
  const [root = '', ...path] = key.split('.');
  if (!isNested(root)) throw new ApiError(400, `${key}: ${root} is not an object, so it can be set only as a whole`);
  if (path.some((name) => name === '') || path.length > pathMax) throw new ApiError(400, `${key}: is not the path of a field`);
  // Also checks the weekday of a longer path.
  if (root === 'availability') parseWith(agentAvailability(), { [path[0] ?? '']: path.length === 1 ? value : undefined }, root);
  return { root, path, value };
}

function isNested(name: string): name is Nested {
  return Object.hasOwn(nested, name);
}

/**
 * Applies a change to an agent.
 * @returns the fields that change, without those of dotted keys
 * @throws ApiError 400 when a dotted key leads into something that is not an object, or to an invalid value
 */
export function changedFields(agent: Pick<Agent, Nested>, { fields, dotted }: RequestedChange): AgentFields {
  const changed: Record<string, unknown> = { ...fields };
  for (const { root, path, value } of dotted) changed[root] = setIn(changed[root] ?? agent[root] ?? {}, path, value, root);
  for (const root of new Set(dotted.map((field) => field.root))) changed[root] = parseWith(nested[root](), changed[root], root);
  return changed;
}

/** A copy of an object with another value at a path. Objects on the way that are missing are made. */
function setIn(target: unknown, [name = '', ...rest]: readonly string[], value: unknown, place: string): object {
  if (typeof target !== 'object' || target === null || Array.isArray(target)) throw new ApiError(400, `${place}: is not an object`);
  const inner = Object.hasOwn(target, name) ? (target as Record<string, unknown>)[name] : undefined;
  return { ...target, [name]: rest.length === 0 ? value : setIn(inner ?? {}, rest, value, `${place}.${name}`) };
}

/** The size of an agent: the bytes of the JSON of the fields that requests can set. */
export function agentBytes(agent: Agent): number {
  return Buffer.byteLength(JSON.stringify(Object.fromEntries(Object.entries(agent).filter(([name]) => settableNames.has(name)))));
}
