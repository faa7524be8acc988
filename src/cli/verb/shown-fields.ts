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
  return record ? leaves(record, verb.shown?.columns ?? [], () => true) : shownFields(verb);
}

/**
 * The columns for CSV and TSV: those that the verb shows by default, and after them all other fields of the answer.
 * @returns the columns, and those that are there only where an answer has them
 */
export function dataColumns(verb: Verb): { readonly columns: readonly string[]; readonly further: readonly string[] } {
  const shown = verb.shown?.columns ?? [];
  const record = shownRecord(verb);
  if (!record) return { columns: shown, further: [] };
  // An object that is a column of its own has no columns for its fields, and the other way round.
  const isShown = (path: string) => shown.some((column) => column === path || path.startsWith(`${column}.`));
  const columns = [...shown, ...leaves(record, shown, isAlwaysThere).filter((path) => !isShown(path))];
  const further = leaves(record, shown, () => true).filter((path) => !isShown(path) && !columns.includes(path));
  return { columns, further };
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

/** Whether every answer has a field. Others are there only on request, such as the health of webhooks. */
function isAlwaysThere(schema: z.core.$ZodType): boolean {
  return (schema as z.core.$ZodTypes)._zod.def.type !== 'optional';
}

/** The paths of the fields without nested ones. @param isWanted whether a field is wanted */
function leaves(schema: z.core.$ZodType, shown: readonly string[], isWanted: (inner: z.core.$ZodType) => boolean): string[] {
  return fieldsOf(schema).flatMap(([name, inner]) => {
    if (!isWanted(inner)) return [];
    const { type } = bare(inner).def;
    if (type === 'object') return leaves(inner, shown, isWanted).map((path) => `${name}.${path}`);
    return type === 'array' ? (shown.find((column) => column.startsWith(`${name}.`)) ?? name) : name;
  });
}

function fieldsOf(schema: z.core.$ZodType): [name: string, inner: z.core.$ZodType][] {
  const definition = bare(schema).def;
  if (definition.type === 'array') return fieldsOf(definition.element);
  return definition.type === 'object' ? Object.entries(definition.shape) : [];
}
