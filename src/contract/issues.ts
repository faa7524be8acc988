import type * as z from 'zod';

/** Why a value does not match its schema, as the rest of a sentence that begins with the field: `must be a string`. */
export function reasonOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.message.includes('received undefined')) return 'is required';
      return issue.message.startsWith('Invalid input') ? `must be ${article(issue.expected)}` : issue.message;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'unrecognized_keys':
      return issue.message.startsWith('Unrecognized key') ? `has unknown fields: ${issue.keys.join(', ')}` : issue.message;
    case 'invalid_union':
      return alternatives([...new Set(issue.errors.map(([first]) => (first ? reasonOf(first) : 'has another format')))]);
    case 'too_small':
      return issue.message.startsWith('Too small')
        ? `must be ${issue.inclusive === false ? 'above' : 'at least'} ${issue.minimum}${unit(issue.origin)}`
        : issue.message;
    case 'too_big':
      return issue.message.startsWith('Too big') ? `must be at most ${issue.maximum}${unit(issue.origin)}` : issue.message;
    default:
      return issue.message;
  }
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
