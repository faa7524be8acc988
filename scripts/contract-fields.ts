import type * as z from 'zod';
import { jsonSchema } from '../src/contract/json-schema.ts';
import { limits } from '../src/contract/limits.ts';
import { fieldDescriptions } from '../src/contract/openapi-glossary.ts';

/** A field of a request or an answer, in words. */
export interface Field {
  /** With `[]` when it is an array. */
  readonly name: string;
  readonly type: string;
  /** The default, or that it is required. */
  readonly usual: string;
  readonly meaning: string;
  /** The fields of the object, or of each object in the array. */
  readonly fields: readonly Field[];
}

/** The part of a JSON Schema that is put into words. */
interface Schema {
  /** A list for a value that can be null. */
  readonly type?: string | readonly [string, 'null'];
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** The fields of an object, in requests (`input`) or answers (`output`). */
export function fieldsOf(schema: z.ZodObject, io: 'input' | 'output'): Field[] {
  return propertiesOf(jsonSchema(schema, io), io);
}

function propertiesOf({ properties = {}, required = [] }: Schema, io: 'input' | 'output'): Field[] {
  return Object.entries(properties).map(([name, schema]) => {
    const value = orNull(schema) ?? schema;
    const described = schema.description ?? value.description ?? fieldDescriptions[name] ?? '';
    const [, meaning = described, usual = ''] = /^(.*) \(default: (.*)\)$/s.exec(described) ?? [];
    const isRequired = io === 'input' && required.includes(name);
    return {
      name: value.type === 'array' ? `${name}[]` : name,
      type: typeOf(schema),
      usual: isRequired ? 'required' : usual,
      meaning,
      fields: fieldsWithin(value.items ?? value, io),
    };
  });
}

/** What is described once: the windows of a week, and the plan of an account. */
const describedOnce = ['monday', 'api_access'];

/** The fields of an object in another one. */
function fieldsWithin(schema: Schema, io: 'input' | 'output'): Field[] {
  const fields = propertiesOf(orNull(schema) ?? schema, io);
  return fields.some(({ name }) => describedOnce.includes(name)) ? [] : fields;
}

/** What a value is when it is not null, for one that can be null. */
function orNull(schema: Schema): Schema | undefined {
  const { type, anyOf = [] } = schema;
  if (typeof type === 'object') return { ...schema, type: type[0] };
  return anyOf.length === 2 && anyOf[1]?.type === 'null' ? anyOf[0] : undefined;
}

/** The values of enumerations up to this length are shown. The rules list longer ones, such as the channels. */
const shownValues = 8;

function typeOf(schema: Schema): string {
  const value = orNull(schema);
  if (value) return `${typeOf(value)} or null`;
  if (schema.const !== undefined) return code(typeof schema.const === 'string' ? schema.const : JSON.stringify(schema.const));
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  switch (schema.type) {
    case 'array':
      return listType(schema);
    case 'integer':
    case 'number':
      return numberType(schema);
    case 'string':
      return textType(schema);
    default:
      return typeof schema.type === 'string' ? schema.type : 'any value';
  }
}

function listType({ items = {}, maxItems }: Schema): string {
  const type = items.type === 'string' && !items.enum ? 'string' : typeOf(items);
  const list = /^\w+$/.test(type) ? `${type}[]` : `array of ${type}`;
  return maxItems === undefined ? list : `${list}, at most ${figure(maxItems)}`;
}

function numberType({ type, minimum = 0, exclusiveMinimum, maximum }: Schema): string {
  const most = maximum === undefined ? undefined : figure(maximum);
  if (exclusiveMinimum !== undefined) return `${String(type)} above ${figure(exclusiveMinimum)}${most ? ` and at most ${most}` : ''}`;
  if (most !== undefined) return `${String(type)} from ${figure(minimum)} to ${most}`;
  return minimum === 0 ? String(type) : `${String(type)}, at least ${figure(minimum)}`;
}

function textType({ enum: values = [], format, maxLength = limits.textLength }: Schema): string {
  if (values.length > 0 && values.length <= shownValues)
    return values
      .map(code)
      .join(', ')
      .replace(/, (?=[^,]*$)/, ' or ');
  if (format === 'date-time') return 'date';
  return maxLength === limits.textLength || values.length > 0 ? 'string' : `string, at most ${figure(maxLength)} characters`;
}

/** A name or a value in the form that Markdown has for code. */
export const code = (text: string) => `\`${text}\``;

const figure = (value: number) => value.toLocaleString('en-US');
