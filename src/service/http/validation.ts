import type * as z from 'zod';
import { ApiError } from '../errors.ts';

/**
 * Parses a value by a schema.
 * @param place the name of the value itself, for an error that is not in one of its fields
 * @throws ApiError 400 that names the first invalid field
 */
export function parseWith<Schema extends z.ZodType>(schema: Schema, value: unknown, place: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new ApiError(400, describe(result.error.issues[0] as z.core.$ZodIssue, place));
}

function describe(issue: z.core.$ZodIssue, place: string): string {
  const path = issue.path.map(String).join('.');
  return `${path || place}: ${reason(issue)}`;
}

function reason(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.message.includes('received undefined')) return 'is required';
      return `must be ${article(issue.expected)}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'unrecognized_keys':
      return issue.message.startsWith('Unrecognized key') ? `has unknown fields: ${issue.keys.join(', ')}` : issue.message;
    case 'invalid_union':
      return 'has none of the accepted formats';
    case 'too_small':
      return issue.message.startsWith('Too small') ? `must be at least ${issue.minimum}${unit(issue.origin)}` : issue.message;
    case 'too_big':
      return issue.message.startsWith('Too big') ? `must be at most ${issue.maximum}${unit(issue.origin)}` : issue.message;
    default:
      return issue.message;
  }
}

const types: Record<string, string> = {
  int: 'a whole number',
  array: 'a list',
  object: 'an object',
  string: 'a string',
  boolean: 'true or false',
};

function article(type: string): string {
  return types[type] ?? `a ${type}`;
}

function unit(origin: string): string {
  if (origin === 'string') return ' characters long';
  if (origin === 'array') return ' items long';
  return '';
}
