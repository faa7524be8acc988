import { Validator } from '@cfworker/json-schema';
import { type Flaw, isObject, type Schema } from './parameters.ts';

/** The most values of a schema, times those of arguments, that are compared: it bounds the time of a check. */
const comparisonsMax = 200_000;

/**
 * Checks the arguments of a call against a schema that has only supported keywords.
 * @returns what is wrong, or undefined
 */
export function argumentsFlaw(schema: Schema | boolean, given: unknown): Flaw | undefined {
  if (!isObject(given)) return { path: '', text: 'must be an object' };
  if (countValues(schema) * countValues(given) > comparisonsMax) return { path: '', text: 'are too many values for their schema' };
  const { errors } = new Validator(schema, '2020-12', true).validate(given);
  // The last error is the innermost one.
  const error = errors.at(-1);
  if (!error) return undefined;
  const path = error.instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.');
  // What `additionalProperties: false` says.
  if (error.keyword === 'false') return { path, text: 'is not in the schema' };
  return { path, text: `must match the schema: ${error.error}` };
}

/** The number of values in a value, itself included. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + countValues(each), 1);
}
