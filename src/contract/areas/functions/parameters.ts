/** A JSON Schema, or a part of one. */
export type Schema = Readonly<Record<string, unknown>>;

/** The most bytes that a schema has as JSON. */
const schemaBytes = 16 * 1024;

const types: readonly unknown[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

const isText = (value: unknown) => (typeof value === 'string' ? undefined : 'must be a string');
const isNumber = (value: unknown) => (typeof value === 'number' ? undefined : 'must be a number');
const isCount = (value: unknown) => (Number.isSafeInteger(value) && (value as number) >= 0 ? undefined : 'must be a whole number from 0');
const isAnything = () => undefined;

/** What the value of each keyword must be, for those that hold no schemas. */
const plainKeywords: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  type: (value) =>
    (Array.isArray(value) ? value.length > 0 && value.every((each) => types.includes(each)) : types.includes(value))
      ? undefined
      : `must be one of ${types.join(', ')}`,
  required: (value) => (Array.isArray(value) && value.every((each) => typeof each === 'string') ? undefined : 'must be a list of names'),
  enum: (value) => (Array.isArray(value) && value.length > 0 ? undefined : 'must be a list of values'),
  const: isAnything,
  minimum: isNumber,
  maximum: isNumber,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  title: isText,
  description: isText,
  default: isAnything,
};

/** The schemas that a keyword holds, by their paths below it; a sentence when its value is something else. */
const nestedKeywords: Readonly<Record<string, (value: unknown) => Readonly<Record<string, unknown>> | string>> = {
  properties: (value) => (isObject(value) ? value : 'must be an object'),
  additionalProperties: (value) => ({ '': value }),
  items: (value) => ({ '': value }),
  anyOf: (value) => (Array.isArray(value) && value.length > 0 ? { ...value } : 'must be a list of schemas'),
};

/** The parameters of a function that names none: it takes no arguments. */
export const noParameters = { type: 'object', properties: {}, additionalProperties: false } as const;

/** What is wrong with a schema, or with arguments. */
export interface Flaw {
  /** Where, as keys joined with dots; empty for the whole. */
  readonly path: string;
  /** The end of a sentence, such as `must be a string`. */
  readonly text: string;
}

/** Checks the parameters of a function (rule functions.4). @returns what is wrong first; undefined when nothing is */
export function parametersFlaw(parameters: Schema): Flaw | undefined {
  if (Buffer.byteLength(JSON.stringify(parameters)) > schemaBytes)
    return { path: '', text: `must have at most ${schemaBytes} bytes as JSON` };
  if (parameters.type !== 'object') return { path: 'type', text: 'must be object' };
  return schemaFlaw(parameters, '');
}

function schemaFlaw(schema: unknown, path: string): Flaw | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isObject(schema)) return { path, text: 'must be a JSON Schema' };
  for (const [keyword, value] of Object.entries(schema)) {
    const at = joined(path, keyword);
    const nested = Object.hasOwn(nestedKeywords, keyword) ? nestedKeywords[keyword]?.(value) : undefined;
    if (typeof nested === 'object') {
      for (const [key, inner] of Object.entries(nested)) {
        const flaw = schemaFlaw(inner, joined(at, key));
        if (flaw) return flaw;
      }
      continue;
    }
    if (!nested && !Object.hasOwn(plainKeywords, keyword))
      return { path: at, text: `is not supported; use ${[...Object.keys(plainKeywords), ...Object.keys(nestedKeywords)].join(', ')}` };
    const flaw = nested ?? plainKeywords[keyword]?.(value);
    if (flaw) return { path: at, text: flaw };
  }
  return undefined;
}

/** The part of a schema of a tool that is checked: keywords that functions may not use are left out (rule functions.4). */
export function supportedPart(schema: unknown): Schema | boolean {
  if (typeof schema === 'boolean') return schema;
  if (!isObject(schema)) return true;
  const supported: [string, unknown][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (Object.hasOwn(nestedKeywords, keyword)) {
      if (keyword === 'properties' && isObject(value)) supported.push([keyword, mapValues(value, supportedPart)]);
      else if (keyword === 'anyOf' && Array.isArray(value) && value.length > 0) supported.push([keyword, value.map(supportedPart)]);
      else if (keyword === 'items' || keyword === 'additionalProperties') supported.push([keyword, supportedPart(value)]);
    } else if (plainKeywords[keyword]?.(value) === undefined && Object.hasOwn(plainKeywords, keyword)) supported.push([keyword, value]);
  }
  return Object.fromEntries(supported);
}

function mapValues(values: Schema, change: (value: unknown) => unknown): Schema {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
}

export function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function joined(path: string, key: string): string {
  return [path, key].filter((part) => part !== '').join('.');
}
