import type * as z from 'zod';
import type { Reason } from './errors.ts';

/** Why a value does not match its schema, as the rest of a sentence that begins with the field: `must be a string`. */
export function problemOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (isMissing(issue)) return 'is required';
      return hasTextOfZod(issue) ? `must be ${article(issue.expected)}` : issue.message;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'unrecognized_keys':
      return hasTextOfZod(issue) ? `has unknown fields: ${issue.keys.join(', ')}` : issue.message;
    case 'invalid_union':
      return alternatives([...new Set(issue.errors.map(([first]) => (first ? problemOf(first) : 'has another format')))]);
    case 'too_small':
      return hasTextOfZod(issue)
        ? `must be ${issue.inclusive === false ? 'above' : 'at least'} ${issue.minimum}${unit(issue.origin)}`
        : issue.message;
    case 'too_big':
      return hasTextOfZod(issue) ? `must be at most ${issue.maximum}${unit(issue.origin)}` : issue.message;
    default:
      return issue.message;
  }
}

/** The reason of an issue, if programs tell it apart. */
export function reasonOf(issue: z.core.$ZodIssue): Reason | undefined {
  if (isMissing(issue)) return 'missing_field';
  return issue.code === 'custom' ? (issue.params?.reason as Reason | undefined) : undefined;
}

/** Makes the error of a check of several fields. @param error has their names in quotes */
export function choiceOfFields(error: string) {
  return { error, params: { reason: 'choice_of_fields' satisfies Reason } };
}

/** The arguments of `refine` for a check that exactly one of two fields is given. */
export function oneOf<const One extends string, const Other extends string>(one: One, other: Other) {
  const isGiven = (fields: { readonly [Name in One | Other]?: unknown }, name: One | Other) => fields[name] !== undefined;
  const check = (fields: { readonly [Name in One | Other]?: unknown }) => isGiven(fields, one) !== isGiven(fields, other);
  return [check, choiceOfFields(`give either '${one}' or '${other}'`)] as const;
}

/**
 * The most useful issue of a value that matches none of several forms: the issue of the form that matched furthest, or the whole
 * issue when no form matched even in part.
 */
export function flawOf(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const [deepest] = issue.errors.flat().sort((one, other) => other.path.length - one.path.length);
  return deepest && deepest.path.length > 0 ? { ...deepest, path: [...issue.path, ...deepest.path] } : issue;
}

/** Whether a schema has no text of its own for an issue. */
export function hasTextOfZod(issue: z.core.$ZodIssue): boolean {
  // oxlint-disable-next-line project/restricted-syntax -- an issue does not say where its text is from
  return /^(?:Invalid input|Unrecognized key|Too small|Too big)/.test(issue.message);
}

/** Whether there is no value. */
function isMissing(issue: z.core.$ZodIssue): boolean {
  // oxlint-disable-next-line project/restricted-syntax -- an issue does not have the value
  return issue.code === 'invalid_type' && issue.message.includes('received undefined');
}

/** Joins the reasons why a value has none of several forms: `must be an object or a list`. */
function alternatives(reasons: readonly string[]): string {
  const lead = 'must be ';
  if (!reasons.every((reason) => reason.startsWith(lead))) return reasons.join(', or ');
  return lead + reasons.map((reason) => reason.slice(lead.length)).join(' or ');
}

const types: Record<string, string> = {
  int: 'a whole number',
  array: 'a list',
  object: 'an object',
  string: 'a string',
  boolean: 'true or false',
};

/** A type of values in words: `a list`. */
export function article(type: string): string {
  return types[type] ?? `a ${type}`;
}

function unit(origin: string): string {
  if (origin === 'string') return ' characters long';
  if (origin === 'array') return ' items long';
  return '';
}
