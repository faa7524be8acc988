import type * as z from 'zod';
import { type Endpoint, isUpdate, schemaOf } from '../../contract/endpoint.ts';
import { readColumn, setPath } from '../output/paths.ts';
import type { Notes } from '../output/notes.ts';
import { isRow, type ResultRow } from '../output/result.ts';
import type { Completes, FieldDetails, FieldSpec, Options, OptionSpec, Parse, Session, Verb } from './noun.ts';
import { orUsageError } from '../invalid-value.ts';
import { camelCase, orEmpty, parseCount, parseInteger, parseJsonValue, parseList, parseListOf, parseNumber, whenForms } from './values.ts';

/** The definition of a request field in the contract. */
interface FieldType {
  readonly place: 'body' | 'query';
  readonly kind: 'text' | 'number' | 'integer' | 'count' | 'boolean' | 'true' | 'list' | 'json';
  readonly description: string;
  readonly format: string | undefined;
  /** The default for a new record, as text for the help. */
  readonly defaultText: string | undefined;
  /** The values of an enumeration, or of list items that are enumerations. */
  readonly values: readonly string[] | undefined;
  readonly isRequired: boolean;
  readonly isNullable: boolean;
  /** Whether the field is a list that can be empty. */
  readonly canBeEmpty: boolean;
}

/** Enumerations with more values than this are completed by the shell, but neither listed in the help nor validated. */
const listedChoices = 6;

/** The options for the fields of a verb. */
export function fieldOptions({ endpoint, fields = [] }: Verb): OptionSpec[] {
  if (!endpoint) return [];
  return fields.map(detailsOf).flatMap((details) => optionsFor(details, fieldType(endpoint, details.field), endpoint));
}

/**
 * Reads the fields that have an option or a default. Resolves names to ids, `-` to stdin, and times to ISO 8601.
 * @param options the parsed options of the verb
 * @throws CliError 2 if a value is invalid or a name matches several records, 5 if it matches none
 */
export async function readFields(
  endpoint: Endpoint,
  fields: readonly FieldSpec[],
  options: Options,
  session: Session,
): Promise<{ body: ResultRow; query: ResultRow }> {
  const request: Record<'body' | 'query', Record<string, unknown>> = { body: {}, query: {} };
  for (const details of fields.map(detailsOf)) {
    const option = options[camelCase(flagOf(details))];
    const type = fieldType(endpoint, details.field);
    const value = option === undefined ? defaultOf(details, session.input) : await valueOf(option, details, type, session);
    if (value !== undefined) setPath(request[type.place], details.field, value);
    if (option !== undefined && isRow(value)) noteIgnored(unknownFields(endpoint, type.place, details.field, value), session.notes);
  }
  return request;
}

/** Says that the service will ignore fields. */
export function noteIgnored(fields: readonly string[], notes: Notes): void {
  if (fields.length > 0) notes.say(`The API ignores fields that it does not know: ${fields.join(', ')}.`);
}

/** The paths of the fields in an object that its schema does not have; none if the schema takes or refuses any others. */
function unknownFields(endpoint: Endpoint, place: FieldType['place'], path: string, value: ResultRow): string[] {
  const request = endpoint[place];
  const schema = request && findField(schemaOf(request), path.split('.'));
  const def = schema && bare(schema).def;
  if (def?.type !== 'object' || def.catchall !== undefined) return [];
  return Object.keys(value).flatMap((name) => (Object.hasOwn(def.shape, name) ? [] : `${path}.${name}`));
}

/**
 * Looks up a field in the contract.
 * @throws Error if the endpoint has no such field; for verbs created with `callVerb`, this is already a type error
 */
export function fieldType(endpoint: Endpoint, path: string): FieldType {
  for (const place of ['body', 'query'] as const) {
    const schema = endpoint[place] && findField(schemaOf(endpoint[place]), path.split('.'));
    if (!schema) continue;
    const type = readSchema(schema);
    // A filter can be true, false or not set, so its option takes a value.
    return type.kind === 'boolean' && place === 'query' ? { ...type, place, kind: 'text', values: ['true', 'false'] } : { ...type, place };
  }
  throw new Error(`${endpoint.name} has no field ${path}`);
}

/** The details of a field spec; a spec can be just the field's name. */
export function detailsOf(spec: FieldSpec): FieldDetails<string> {
  return typeof spec === 'string' ? { field: spec } : spec;
}

/** The name of a field in kebab case, as used in options and arguments. */
export function kebabCase(field: string): string {
  return (field.split('.').at(-1) ?? '').replaceAll('_', '-');
}

/** The name of the option for a field, without dashes. */
export function flagOf({ field, flag }: FieldDetails<string>): string {
  return flag ?? kebabCase(field);
}

function defaultOf({ field, default: value }: FieldDetails<string>, input: ResultRow): unknown {
  return readColumn(input, field) === undefined ? value : undefined;
}

function findField(schema: z.core.$ZodType, [name = '', ...rest]: readonly string[]): z.core.$ZodType | undefined {
  const { def } = bare(schema);
  const inner = def.type === 'object' ? def.shape[name] : undefined;
  return inner && rest.length > 0 ? findField(inner, rest) : inner;
}

/** Unwraps a schema from `optional`, `nullable`, `preprocess` etc. */
export function bare(schema: z.core.$ZodType): z.core.$ZodTypes['_zod'] {
  const inner = innerOf(schema);
  return inner ? bare(inner) : (schema as z.core.$ZodTypes)._zod;
}

function innerOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  // Query parameters are first converted from text to a number or boolean.
  if (def.type === 'pipe' && (def.in as z.core.$ZodTypes)._zod.def.type === 'transform') return def.out;
  return def.type === 'optional' || def.type === 'nullable' || def.type === 'default' ? def.innerType : undefined;
}

function readSchema(schema: z.core.$ZodType): Omit<FieldType, 'place'> {
  const layers = [schema];
  for (let inner = innerOf(schema); inner; inner = innerOf(inner)) layers.push(inner);
  const metas = layers.map((layer) => (layer as z.ZodType).meta());
  const noted = (name: 'description' | 'format' | 'defaultText') => metas.find((meta) => meta?.[name])?.[name] as string | undefined;
  const types = layers.map((layer) => (layer as z.core.$ZodTypes)._zod.def.type);
  const base = layers.at(-1) as z.core.$ZodTypes;
  const item = base._zod.def.type === 'array' ? base._zod.def.element : base;
  const stringFormat = base._zod.def.type === 'string' ? (base._zod.def as { format?: string }).format : undefined;
  return {
    kind: kindOf(base),
    description: noted('description') ?? '',
    format: noted('format') ?? stringFormat,
    defaultText: noted('defaultText'),
    values: valuesOf(item),
    isRequired: !types.includes('optional') && !types.includes('default'),
    isNullable: types.includes('nullable'),
    canBeEmpty: base._zod.def.type === 'array' && (base as z.ZodArray).safeParse([]).success,
  };
}

function kindOf(schema: z.core.$ZodTypes): FieldType['kind'] {
  const { def } = schema._zod;
  switch (def.type) {
    case 'number': {
      const { isInt, minValue } = schema as unknown as z.ZodNumber;
      if (!isInt) return 'number';
      return (minValue ?? 0) >= 1 ? 'count' : 'integer';
    }
    case 'boolean':
      return 'boolean';
    case 'literal':
      return def.values[0] === true ? 'true' : 'text';
    case 'array':
      return bare(def.element).def.type === 'object' ? 'json' : 'list';
    case 'object':
    case 'record':
      return 'json';
    default:
      return 'text';
  }
}

function valuesOf(schema: z.core.$ZodType): readonly string[] | undefined {
  const { def } = bare(schema);
  if (def.type === 'enum') return Object.values(def.entries) as string[];
  return def.type === 'literal' && def.values[0] !== true ? (def.values as string[]) : undefined;
}

/** The option for a field that can also be given as an argument. Both are parsed in the same way. */
export function argumentOption(
  { name, summary, completes }: { name: string; summary: string; completes: Completes | undefined },
  field: string,
  type: FieldType,
): OptionSpec {
  return {
    flags: `--${name} <${placeholderOf(name, field, type)}>`,
    summary,
    ...(completes && { completes }),
    ...(isChoice(type) && { choices: type.values }),
  };
}

function optionsFor(details: FieldDetails<string>, type: FieldType, endpoint: Endpoint): OptionSpec[] {
  const flag = flagOf(details);
  const isRequired = type.isRequired && details.default === undefined && details.isOptional !== true;
  const summary = summaryOf(details, type, endpoint);
  const defaultText = defaultTextOf(details, type, endpoint);
  if (type.kind === 'boolean') {
    const { negative = `the opposite of --${flag}` } = details;
    const marked = (text: string, value: boolean) => (defaultText === `${value}` ? `${text} (the default)` : text);
    return [
      { flags: `--${flag}`, summary: marked(summary, true) },
      { flags: `--no-${flag}`, summary: marked(negative, false) },
    ];
  }
  if (type.kind === 'true') return [{ flags: `--${flag}`, summary }];
  const completes = details.completes ?? details.lookup ?? type.values;
  return [
    {
      flags: `--${flag} ${isFilter(type) ? '[true|false]' : `<${details.placeholder ?? placeholderOf(flag, details.field, type)}>`}`,
      summary: withDefault(summary, defaultText),
      isRequired,
      ...(isTyped(type.kind) && details.parse === undefined && { kind: type.kind }),
      isList: type.kind === 'list' || details.parse === parseList || details.isList === true,
      ...(completes && { completes }),
      ...(isChoice(type) && { choices: type.values }),
      ...parserOf(details, type, endpoint),
    },
  ];
}

/** Whether a field is a filter that can be true, false or not set. */
function isFilter({ place, values }: FieldType): boolean {
  return place === 'query' && values?.join() === 'true,false';
}

function isTyped(kind: FieldType['kind']): kind is NonNullable<OptionSpec['kind']> {
  return kind === 'number' || kind === 'integer' || kind === 'count' || kind === 'json';
}

/** The values to offer in a prompt; undefined if there are too many. */
export function choicesOf(type: FieldType): readonly string[] | undefined {
  return isChoice(type) ? type.values : undefined;
}

/** Whether the values of a field are listed in the help and validated. */
function isChoice(type: FieldType): type is FieldType & { readonly values: readonly string[] } {
  return type.kind === 'text' && type.values !== undefined && type.values.length <= listedChoices;
}

function summaryOf(details: FieldDetails<string>, type: FieldType, endpoint: Endpoint): string {
  const forms = type.format === 'date-time' ? `: ${whenForms}` : '';
  const clearing = isUpdate(endpoint) && (isClearable(details, type) || isEmptiable(details, type)) ? "; '' clears it" : '';
  return `${details.summary ?? type.description + forms}${clearing}`;
}

/** Adds the default of the field to a summary. */
export function withDefault(summary: string, defaultText: string | undefined): string {
  const hasOwn = / \(default: [^()]*\)$/.test(summary);
  return defaultText === undefined || hasOwn ? summary : `${summary} (default: ${defaultText})`;
}

/** The default of a field. Updates have no defaults: omitted fields stay unchanged. */
function defaultTextOf({ default: value }: FieldDetails<string>, { defaultText }: FieldType, endpoint: Endpoint): string | undefined {
  if (typeof value === 'string') return value;
  return isUpdate(endpoint) ? undefined : defaultText;
}

function placeholderOf(flag: string, field: string, { kind, format, values }: FieldType): string {
  if (kind === 'json' || kind === 'number' || kind === 'count') return kind;
  if (kind === 'integer') return 'number';
  if (/_ids?$/.test(field)) return kind === 'list' ? 'ids' : 'id';
  if (kind === 'list') return 'names';
  if (format === 'date-time') return 'when';
  if (format === 'email') return 'address';
  if (format === 'uri') return 'url';
  return values ? (flag.split('-').at(-1) ?? flag) : 'text';
}

const parsers: Partial<Record<FieldType['kind'], Parse>> = {
  number: parseNumber,
  integer: parseInteger,
  count: parseCount,
  list: parseList,
  json: (text) => parseJsonValue(text),
};

/** Whether an empty text sets the field to null. */
function isClearable({ parse }: FieldDetails<string>, { isNullable, kind }: FieldType): boolean {
  return isNullable && kind !== 'boolean' && parse === undefined;
}

/** Whether an empty text sets the field to an empty list. */
function isEmptiable({ parse }: FieldDetails<string>, { kind, canBeEmpty }: FieldType): boolean {
  return kind === 'list' && canBeEmpty && parse === undefined;
}

/**
 * The parser for the option of a field. If an empty text clears the field, it is returned as it is, because commander would not
 * keep null.
 */
function parserOf(details: FieldDetails<string>, type: FieldType, endpoint: Endpoint): Pick<OptionSpec, 'parse'> {
  const words = type.kind === 'list' && !details.resolve && !details.lookup ? type.values : undefined;
  const parse = details.parse ?? (words ? parseListOf(words) : parsers[type.kind]);
  if (!parse) return {};
  if (isClearable(details, type)) return { parse: (text, previous) => (text === '' ? text : parse(text, previous)) };
  return { parse: isEmptiable(details, type) && isUpdate(endpoint) ? orEmpty(parse) : parse };
}

/** Converts an option's value to the field's value. */
async function valueOf(option: unknown, details: FieldDetails<string>, type: FieldType, session: Session): Promise<unknown> {
  if (option === '' && isClearable(details, type)) return null;
  // A filter without a value is true.
  if (option === true && isFilter(type)) return 'true';
  const { resolve } = details;
  if (resolve) return await orUsageError(`--${flagOf(details)}`, option, () => resolve(option, session));
  const { lookup } = details;
  if (lookup && Array.isArray(option)) return await session.names.ids(lookup, option as string[]);
  if (lookup) return await session.names.id(lookup, option as string);
  if (details.parse) return option;
  return typeof option === 'string' ? await readText(option, type, session, `--${flagOf(details)}`) : option;
}

/**
 * Converts an argument to a field's value.
 * @param what the name of the argument, for errors
 * @throws CliError 2 if the text is not valid for the field
 */
export async function readArgument(text: string, type: FieldType, session: Session, what: string): Promise<unknown> {
  const parse = parsers[type.kind];
  return await orUsageError(what, text, async () => (parse ? parse(text, undefined) : await readText(text, type, session, what)));
}

/** Reads a text, resolving `-` to stdin and times in human-readable form to ISO 8601. */
async function readText(text: string, { kind, format, values }: FieldType, session: Session, what: string): Promise<string> {
  if (kind !== 'text' || values) return text;
  if (format === 'date-time') {
    const { readWhen } = await import('./when.ts');
    // Requests have times to come.
    return await orUsageError(what, text, () => readWhen(text, 'ahead', session));
  }
  if (format === 'date') {
    const { readDate } = await import('./when.ts');
    return await orUsageError(what, text, () => readDate(text, session));
  }
  return text === '-' ? await session.readStdin() : text;
}
