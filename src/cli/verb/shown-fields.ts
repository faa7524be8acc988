import type * as z from 'zod';
import { answerSchema } from '../../contract/endpoint.ts';
import { bare } from './fields.ts';
import type { Verb } from './noun.ts';

/** The fields that a verb can show, including nested ones such as `scopes.read_only`. */
export function shownFields(verb: Verb): string[] {
  const { shown, makesKey } = verb;
  if (!shown) return [];
  const record = shownRecord(verb);
  const { columns, table = [], further = [] } = shown;
  return [...new Set([...columns, ...table, ...further, ...(makesKey ? ['key_file'] : []), ...(record ? paths(record) : [])])];
}

/** The columns that show a verb's rows or record completely. For lists in a row, the column that the verb shows by default. */
export function allFields(verb: Verb): string[] {
  const record = shownRecord(verb);
  return record ? leaves(record, verb.shown?.columns ?? []) : shownFields(verb);
}

/** The schema of the rows or record, if a verb shows them unchanged. */
function shownRecord({ endpoint, shown, showsAnswer }: Verb): z.core.$ZodType | undefined {
  if (!shown || !showsAnswer) return undefined;
  const answer = endpoint && answerSchema(endpoint);
  const field = shown.rows ?? shown.field;
  return (field === undefined ? answer : answer?.shape[field]) as z.core.$ZodType | undefined;
}

/** The paths of all fields in an object, or in the objects of a list, including nested ones. */
function paths(schema: z.core.$ZodType): string[] {
  return fieldsOf(schema).flatMap(([name, inner]) => {
    const within = bare(inner).def.type === 'object' ? paths(inner).map((path) => `${name}.${path}`) : [];
    return [name, ...within];
  });
}

/** The paths of the fields without nested ones. */
function leaves(schema: z.core.$ZodType, shown: readonly string[]): string[] {
  return fieldsOf(schema).flatMap(([name, inner]) => {
    const { type } = bare(inner).def;
    if (type === 'object') return leaves(inner, shown).map((path) => `${name}.${path}`);
    return type === 'array' ? (shown.find((column) => column.startsWith(`${name}.`)) ?? name) : name;
  });
}

function fieldsOf(schema: z.core.$ZodType): [name: string, inner: z.core.$ZodType][] {
  const definition = bare(schema).def;
  if (definition.type === 'array') return fieldsOf(definition.element);
  return definition.type === 'object' ? Object.entries(definition.shape) : [];
}
