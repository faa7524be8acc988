import * as z from 'zod';

const secrets = new WeakSet<z.core.$ZodType>();

/** Marks a field as secret: it is masked wherever values are shown. */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  const marked = schema.meta({ format: 'password', 'x-secret': true });
  secrets.add(marked);
  return marked;
}

/** The text that replaces a secret in output. */
export const mask = '********';

/**
 * Masks keys, tokens and secrets of the service that a user wrote into a text, such as a path or an error about a command line. Words
 * that only contain such a prefix, such as `help_desk_…`, are not masked.
 */
export function maskSecrets(text: string): string {
  // Tokens first: what looks like a key can stand in one.
  return text.replace(idToken, mask).replace(key, mask);
}

const key = /(?:(?<![a-z0-9])|(?<=%[0-9a-f]{2}))(?:mk|sk|sandbox|whsec|wvt)(?:_|%5f)[\w%-]{16,}/gi;

/** An ID token: three parts in Base64, the first of which begins a JSON object. */
const idToken = /eyJ[\w-]{8,}(?:\.|%2e)[\w-]{8,}(?:(?:\.|%2e)[\w-]*)?/gi;

/** Whether a field of a schema is marked as secret. */
export function hasSecret(schema: z.core.$ZodType): boolean {
  if (secrets.has(schema)) return true;
  const definition = (schema as z.core.$ZodTypes)._zod.def;
  switch (definition.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return hasSecret(definition.innerType);
    case 'array':
      return hasSecret(definition.element);
    case 'record':
      return hasSecret(definition.valueType);
    case 'union':
      return definition.options.some(hasSecret);
    case 'object':
      return Object.values(definition.shape).some(hasSecret);
    default:
      return false;
  }
}

/**
 * Returns a copy of `value` with every field masked that `schema` marks as secret. Masking follows the schema and never searches
 * the text, so values outside of the schema are not masked.
 */
export function redact(schema: z.core.$ZodType, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (secrets.has(schema)) return mask;
  const definition = (schema as z.core.$ZodTypes)._zod.def;
  switch (definition.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return redact(definition.innerType, value);
    case 'array':
      return Array.isArray(value) ? value.map((item) => redact(definition.element, item)) : value;
    case 'record':
      if (typeof value !== 'object' || Array.isArray(value)) return value;
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, redact(definition.valueType, inner)]));
    case 'union':
      return definition.options.reduce<unknown>((redacted, option) => redact(option, redacted), value);
    case 'object': {
      if (typeof value !== 'object' || Array.isArray(value)) return value;
      const copy: Record<string, unknown> = { ...value };
      for (const [field, inner] of Object.entries(definition.shape)) if (field in copy) copy[field] = redact(inner, copy[field]);
      return copy;
    }
    default:
      return value;
  }
}
