import type * as z from 'zod';
import { flawOf, hasTextOfZod, problemOf } from '../../contract/issues.ts';
import { suggestion } from '../../contract/text/similarity.ts';
import type { FilePlace, Problem } from '../planner/problems.ts';

/** Returns the position of a value or, with `ofKey`, of a field's key. */
export type PlaceOf = (path: readonly PropertyKey[], ofKey?: boolean) => FilePlace;

/**
 * Validates a value against a schema.
 * @returns the parsed value; undefined if it is invalid, after adding the errors to `problems`
 */
export function check(schema: z.ZodObject, value: unknown, placeOf: PlaceOf, problems: Problem[]): unknown {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  for (const issue of checked.error.issues) problems.push(...problemsOf(schema, value, issue, placeOf));
  return undefined;
}

function problemsOf(schema: z.ZodObject, value: unknown, issue: z.core.$ZodIssue, placeOf: PlaceOf): Problem[] {
  if (issue.code !== 'unrecognized_keys' || !hasTextOfZod(issue)) {
    const detail = flawOf(issue);
    const path = detail.path.map(String).join('.');
    return [{ ...placeOf(detail.path), problem: `${path === '' ? '' : `${path}: `}${reasonFor(detail, valueAt(value, detail.path))}` }];
  }
  const known = issue.path.length === 0 ? Object.keys(schema.shape) : [];
  return issue.keys.map((key) => ({ ...placeOf([...issue.path, key], true), problem: unknownField(key, known) }));
}

/** Why a value is invalid, and what to do about it. */
function reasonFor(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return 'is required';
  const reason = problemOf(issue);
  if (issue.code === 'invalid_type' && issue.expected === 'string' && ['number', 'boolean'].includes(typeof value))
    return `${reason}: write it in quotes`;
  const meant = issue.code === 'invalid_value' && typeof value === 'string' ? suggestion(value, issue.values.map(String)) : undefined;
  return meant === undefined ? reason : `${reason}; did you mean '${meant}'?`;
}

/** The value at a path; undefined if there is none. */
function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, step) => (inner as Readonly<Record<PropertyKey, unknown>> | null | undefined)?.[step], value);
}

/** The error message for an unknown name, with a suggestion of the most similar known one. */
export function unknownField(name: string, known: readonly string[], what = 'field'): string {
  const meant = suggestion(name, known);
  const hint = meant !== undefined ? `; did you mean '${meant}'?` : known.length > 0 ? `; expected ${known.join(', ')}` : '';
  return `unknown ${what} '${name}'${hint}`;
}
