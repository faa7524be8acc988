import type * as z from 'zod';
import { problemText } from '../../contract/errors.ts';
import { flawOf, problemOf, reasonOf } from '../../contract/issues.ts';
import { ApiError, invalidField } from '../errors.ts';

/**
 * Parses a body or a query with a schema.
 * @param place the name used for an error that is not in a field
 * @throws ApiError 400 with the first invalid field
 */
export function parseWith<Schema extends z.ZodType>(schema: Schema, value: unknown, place: string): z.output<Schema> {
  return parse(schema, value, [], place);
}

/**
 * Parses the value of a field with a schema.
 * @throws ApiError 400 with the path of the first invalid field, starting from this one
 */
export function parseField<Schema extends z.ZodType>(schema: Schema, value: unknown, field: string): z.output<Schema> {
  return parse(schema, value, [field], field);
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, start: readonly string[], place: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const flaw = flawOf(result.error.issues[0] as z.core.$ZodIssue);
  const field = [...start, ...flaw.path.map(String)].join('.');
  const reason = reasonOf(flaw);
  if (field === '') throw new ApiError(400, problemText(place, problemOf(flaw)), { reason });
  throw invalidField(field, problemOf(flaw), { reason });
}
