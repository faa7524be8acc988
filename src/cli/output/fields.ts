import type * as z from 'zod';
import { answerSchema } from '../../contract/endpoint.ts';
import { makesKey, type Verb } from '../command/command.ts';
import { usageError } from '../errors.ts';
import { readColumn } from './cell.ts';
import { mapRows, type Result, type Row } from './result.ts';

/** The fields that a verb's rows or record can show, nested ones as `scopes.read_only`. */
export function fieldsOf(verb: Verb): string[] {
  const { endpoint, shown, showsAnswer } = verb;
  if (!shown) return [];
  if (!showsAnswer) return [...shown.columns, ...(makesKey(verb) ? ['key_file'] : [])];
  const answer = endpoint && answerSchema(endpoint);
  const field = shown.rows ?? shown.field;
  const record = (field === undefined ? answer : answer?.shape[field]) as z.core.$ZodType | undefined;
  return [...new Set([...shown.columns, ...(record ? paths(record) : [])])];
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

/**
 * Checks the fields that were asked for.
 * @param known what the verb can show
 * @throws CliError 2 that lists the known ones
 */
export function checkFields(fields: readonly string[], known: readonly string[]): void {
  const unknown = fields.filter((field) => !known.includes(field));
  if (unknown.length > 0) throw usageError(`There is no field ${unknown.join(', ')} here`, `Known fields: ${known.join(', ')}`);
}

/** Leaves the rows or the record of a result with these fields alone, in this order. */
export function selectFields(result: Result, fields: readonly string[]): Result {
  const pick = (row: Row) => pickFields(row, fields);
  switch (result.kind) {
    case 'list':
      return { ...result, columns: fields, pages: mapRows(result.pages, pick) };
    case 'record': {
      const record = pick(result.record);
      const holder = Object.entries(result.answer).find(([, value]) => value === result.record)?.[0];
      return { ...result, columns: fields, record, answer: holder === undefined ? record : { [holder]: record } };
    }
    default:
      return result;
  }
}

function pickFields(row: Row, fields: readonly string[]): Row {
  const picked: Record<string, unknown> = {};
  for (const field of fields) {
    const names = field.split('.');
    const last = names.pop() ?? '';
    const place = names.reduce<Record<string, unknown>>((at, name) => (at[name] ??= {}) as Record<string, unknown>, picked);
    place[last] = readColumn(row, field) ?? null;
  }
  return picked;
}
