import type * as z from 'zod';
import { flawOf, reasonOf } from '../../contract/issues.ts';
import { suggestion } from '../../contract/similarity.ts';
import type { Place, Problem } from './problems.ts';

/** The place of a value, or with `ofKey` of the key of a field. */
export type PlaceOf = (path: readonly PropertyKey[], ofKey?: boolean) => Place;

/**
 * Checks a value by a schema.
 * @returns the value in the form of the schema; undefined when something is wrong, which is added to the problems
 */
export function check(schema: z.ZodObject, value: unknown, placeOf: PlaceOf, problems: Problem[]): unknown {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  for (const issue of checked.error.issues) problems.push(...problemsOf(schema, issue, placeOf));
  return undefined;
}

function problemsOf(schema: z.ZodObject, issue: z.core.$ZodIssue, placeOf: PlaceOf): Problem[] {
  const path = issue.path.map(String).join('.');
  if (issue.code !== 'unrecognized_keys' || !issue.message.startsWith('Unrecognized key')) {
    const detail = flawOf(issue);
    return [{ ...placeOf(detail.path), problem: `${path === '' ? '' : `${path}: `}${reasonOf(detail)}` }];
  }
  const known = issue.path.length === 0 ? Object.keys(schema.shape) : [];
  return issue.keys.map((key) => ({ ...placeOf([...issue.path, key], true), problem: unknownField(key, known) }));
}

/** The sentence about a name that is not known, with the one that is nearest. */
export function unknownField(name: string, known: readonly string[], what = 'field'): string {
  const meant = suggestion(name, known);
  const hint = meant !== undefined ? `; did you mean '${meant}'?` : known.length > 0 ? `; expected ${known.join(', ')}` : '';
  return `unknown ${what} '${name}'${hint}`;
}
