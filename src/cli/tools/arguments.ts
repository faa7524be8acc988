import { argumentsFlaw } from '../../contract/areas/functions/arguments.ts';
import { isObject, type Schema } from '../../contract/areas/functions/parameters.ts';
import { problemText } from '../../contract/errors.ts';
import { usageError } from '../errors.ts';
import { InvalidValue, orUsageError } from '../invalid-value.ts';
import type { Options, Session } from '../verb/noun.ts';
import { parseJsonValue, parseNumber } from '../verb/values.ts';

/**
 * The arguments of a call: those of `--input`, then those of `--arguments`, then those given as `KEY=VALUE`.
 * @throws CliError 2 if one of them cannot be read
 */
export async function readCallArguments(
  schema: Schema,
  words: readonly string[],
  { input }: Session,
  options: Options,
): Promise<Record<string, unknown>> {
  const parts = [input.arguments, options.arguments].map((part) => part ?? {});
  for (const part of parts) if (!isObject(part)) throw usageError('The arguments must be a JSON object');
  return Object.assign({}, ...parts, await readArguments(schema, words)) as Record<string, unknown>;
}

/**
 * Reads arguments, given as `KEY=VALUE`: a text, unless the schema of the argument has another type.
 * @throws CliError 2 if a word is not `KEY=VALUE`, an argument is given twice, or its value does not fit its type
 */
async function readArguments(schema: Schema, words: readonly string[]): Promise<Record<string, unknown>> {
  const given = new Map<string, unknown>();
  for (const word of words) {
    const at = word.indexOf('=');
    const name = word.slice(0, Math.max(0, at));
    if (name === '') throw usageError(`'${word}' is not an argument as KEY=VALUE`, signature(schema));
    if (given.has(name)) throw usageError(`The argument ${name} is given twice`);
    const text = word.slice(at + 1);
    given.set(name, await orUsageError(name, text, () => readValue(propertyOf(schema, name), text)));
  }
  return Object.fromEntries(given);
}

/** @throws CliError 2 if arguments do not match their schema */
export function checkArguments(schema: Schema | boolean, given: unknown): void {
  const flaw = argumentsFlaw(schema, given);
  if (!flaw) return;
  const place = ['arguments', flaw.path].filter((part) => part !== '').join('.');
  throw usageError(`Nothing was sent: ${problemText(place, flaw.text)}`, isObject(schema) ? signature(schema) : undefined);
}

function propertyOf({ properties }: Schema, name: string): unknown {
  return isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Converts a text to the type of its schema. Without one, JSON is read as JSON, and all else is a text. */
function readValue(schema: unknown, text: string): unknown {
  const type = isObject(schema) ? schema.type : undefined;
  switch (type) {
    case 'string':
      return text;
    case 'integer':
    case 'number':
      return parseNumber(text);
    case 'boolean':
      if (text !== 'true' && text !== 'false') throw new InvalidValue('must be true or false');
      return text === 'true';
    case 'array':
    case 'object':
    case 'null':
      return parseJsonValue(text);
    default:
      return jsonOrText(text);
  }
}

function jsonOrText(text: string): unknown {
  try {
    return parseJsonValue(text);
  } catch {
    return text;
  }
}

/** What arguments a schema wants, for the hint of an error. */
function signature({ properties, required }: Schema): string {
  const names = isObject(properties) ? Object.entries(properties) : [];
  if (names.length === 0) return 'It takes no arguments.';
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
  const texts = names.map(([name, schema]) => {
    const type = isObject(schema) && schema.type !== undefined ? ([schema.type].flat() as string[]).join(' or ') : 'any value';
    return `${name} (${type}${isRequired(name) ? ', required' : ''})`;
  });
  return `Its arguments are ${texts.join(', ')}.`;
}
