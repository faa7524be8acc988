import type * as z from 'zod';
import { flawOf, reasonOf } from '../../contract/issues.ts';
import { ApiError } from '../errors.ts';

/**
 * Parses a value by a schema.
 * @param place the name of the value itself, for an error that is not in one of its fields
 * @throws ApiError 400 that names the first invalid field
 */
export function parseWith<Schema extends z.ZodType>(schema: Schema, value: unknown, place: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new ApiError(400, describe(flawOf(result.error.issues[0] as z.core.$ZodIssue), place));
}

function describe(issue: z.core.$ZodIssue, place: string): string {
  const path = issue.path.map(String).join('.');
  return `${path || place}: ${reasonOf(issue)}`;
}
