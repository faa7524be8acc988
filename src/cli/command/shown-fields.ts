import type * as z from 'zod';
import { answerSchema } from '../../contract/endpoint.ts';
import type { Verb } from './noun.ts';

/** The fields that the rows or the record of a verb can show, nested ones as `scopes.read_only`. */
export function shownFields(verb: Verb): string[] {
  const { endpoint, shown, showsAnswer } = verb;
  if (!shown) return [];
  const columns = [...new Set([...shown.columns, ...(shown.table ?? [])])];
  if (!showsAnswer) return [...columns, ...(verb.makesKey ? ['key_file'] : [])];
  const answer = endpoint && answerSchema(endpoint);
  const field = shown.rows ?? shown.field;
  const record = (field === undefined ? answer : answer?.shape[field]) as z.core.$ZodType | undefined;
  return [...new Set([...columns, ...(record ? paths(record) : [])])];
}

function paths(schema: z.core.$ZodType): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'array':
      return paths(def.element);
    case 'optional':
    case 'nullable':
      return paths(def.innerType);
    case 'object':
      return Object.entries(def.shape).flatMap(([name, inner]) => {
        const within = isObject(inner) ? paths(inner).map((path) => `${name}.${path}`) : [];
        return [name, ...within];
      });
    default:
      return [];
  }
}

function isObject(schema: z.core.$ZodType): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return def.type === 'object' || ((def.type === 'nullable' || def.type === 'optional') && isObject(def.innerType));
}
