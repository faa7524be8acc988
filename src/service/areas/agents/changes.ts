import type * as z from 'zod';
import { agentFields, botFields } from '../../../contract/areas/agents/agent.ts';
import { agentAvailability } from '../../../contract/areas/agents/availability.ts';
import { anyObject } from '../../../contract/fields.ts';
import { checkNotEmpty } from '../../errors.ts';
import { type DottedField, readDotted, withDotted } from '../../http/dotted.ts';
import { parseField } from '../../http/validation.ts';
import type { Agent } from './table.ts';

/** The fields that a request sets, by their names. */
export type AgentFields = z.output<z.ZodObject<ReturnType<typeof agentFields>>> & { readonly name?: string | undefined };

let settable: ReadonlySet<string> | undefined;
let ofBot: ReadonlySet<string> | undefined;

/**
 * The names of the fields that an update can set. Created on first use, because most commands on the embedded store need no
 * schema of an agent.
 */
export function settableNames(): ReadonlySet<string> {
  return (settable ??= new Set(['name', ...Object.keys(agentFields())]));
}

/** The names of the fields that an update of the bot's configuration can set. */
export function botNames(): ReadonlySet<string> {
  return (ofBot ??= new Set(Object.keys(botFields())));
}

/** The fields that dotted keys can lead into. The other fields are not objects. */
const nested = {
  availability: agentAvailability,
  follow_up_config: anyObject,
} as const;

type Nested = keyof typeof nested;

/** The change that a request describes. */
interface RequestedChange {
  readonly fields: AgentFields;
  readonly dotted: readonly DottedField<Nested>[];
}

/**
 * Reads the fields that a body sets. Ignores fields that cannot be set, including dotted keys into them.
 * @param settable the names of the fields that can be set
 * @throws ApiError 400 when no field is set, or a dotted key leads into something that is not an object
 */
export function readChange(body: object, settable: ReadonlySet<string>): RequestedChange {
  const fields = Object.fromEntries(Object.entries(body).filter(([key, value]) => settable.has(key) && value !== undefined)) as AgentFields;
  const dotted = readDotted(body, settable, Object.keys(nested) as Nested[]);
  if (dotted.length === 0) checkNotEmpty(fields);
  // This also reports a wrong weekday in a path that leads into a day.
  for (const { root, path, value } of dotted)
    if (root === 'availability') parseField(agentAvailability(), { [path[0] ?? '']: path.length === 1 ? value : undefined }, root);
  return { fields, dotted };
}

/**
 * The changed fields. Fields with dotted keys are included as a whole.
 * @throws ApiError 400 when a dotted key leads through something that is not an object, or to an invalid value
 */
export function changedFields(agent: Pick<Agent, Nested>, { fields, dotted }: RequestedChange): AgentFields {
  const changed: Record<string, unknown> = { ...fields };
  for (const field of dotted) changed[field.root] = withDotted(changed[field.root] ?? agent[field.root], field);
  for (const root of new Set(dotted.map((field) => field.root))) changed[root] = parseField(nested[root](), changed[root], root);
  return changed;
}

/** The size of an agent: the size in bytes of its settable fields as JSON. */
export function agentBytes(agent: Agent): number {
  return Buffer.byteLength(JSON.stringify(Object.fromEntries(Object.entries(agent).filter(([name]) => settableNames().has(name)))));
}
