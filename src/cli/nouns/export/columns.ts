import { answerSchema, type Endpoint } from '../../../contract/endpoint.ts';
import { jsonSchema } from '../../../contract/json-schema.ts';
import { fieldDescriptions } from '../../../contract/openapi-glossary.ts';
import { isRow, type ResultRow } from '../../output/result.ts';

/**
 * The types of columns. A `timestamp` is ISO 8601 in UTC, a `date` is YYYY-MM-DD, `decimal` is money and credits, to 6 places, and `json`
 * is a list or an object as JSON.
 */
export type ColumnType = 'text' | 'integer' | 'number' | 'decimal' | 'boolean' | 'timestamp' | 'date' | 'json';

/** A column of a dataset. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly unit: string | null;
  readonly nullable: boolean;
  /** The column of another dataset that has the same value, such as `contacts.id`. */
  readonly references: string | null;
  readonly description: string;
}

/** A column, and where its value is in what the interface answers. */
export interface ReadColumn extends Column {
  readonly path: readonly string[];
}

/** A field in the JSON Schema of an answer. */
interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly anyOf?: readonly FieldSchema[];
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly items?: FieldSchema;
}

/** What the ids in other datasets refer to. */
const referred: Readonly<Record<string, string>> = {
  account_id: 'accounts.account_id',
  webhook_account_id: 'accounts.account_id',
  transfer_account_id: 'accounts.account_id',
  agent_id: 'agents.id',
  broadcast_id: 'broadcasts.id',
  contact_id: 'contacts.id',
  message_id: 'messages.id',
  session_id: 'sessions.id',
  template_id: 'templates.id',
};

/** A column that is described by hand. */
export function column(name: string, type: ColumnType, description: string, isNullable = false): ReadColumn {
  const unit = unitOf(name);
  return {
    name,
    type: unit !== null && type === 'number' ? typeOfUnit(unit) : type,
    unit,
    nullable: isNullable,
    references: referred[name] ?? null,
    description,
    path: [name],
  };
}

/** The columns of every dataset. */
export const accountColumns: readonly ReadColumn[] = [
  column('account_id', 'text', 'the id of the account'),
  column('account', 'text', 'the name of the account; null when it is unknown', true),
];

/**
 * The columns of the records in an answer, as the contract describes them. An object of plain values has a column for each of them.
 * @param field the list of records in the answer
 * @param omitted the fields that are left out, by their path
 */
export function recordColumns(endpoint: Endpoint, field: string, omitted: readonly string[] = []): ReadColumn[] {
  const answer = jsonSchema(answerSchema(endpoint), 'output') as FieldSchema;
  const record = answer.properties?.[field]?.items;
  if (!record) throw new Error(`${endpoint.name} has no list ${field}`);
  return columnsIn(record, [], false).filter(({ path }) => !omitted.includes(path.join('.')));
}

function columnsIn({ properties = {}, required = [] }: FieldSchema, above: readonly string[], isNullable: boolean): ReadColumn[] {
  return Object.entries(properties).flatMap(([name, given]) => {
    const { schema, isNull } = withoutNull(given);
    const path = [...above, name];
    const canLack = isNullable || isNull || !required.includes(name);
    const description = given.description ?? schema.description ?? fieldDescriptions[name] ?? '';
    if (schema.properties && above.length === 0 && Object.values(schema.properties).every(isPlain)) return columnsIn(schema, path, canLack);
    const flat = path.join('_');
    return { ...column(flat, typeOf(name, schema), description, canLack), path };
  });
}

/** A field without the alternative null, and whether it has that. */
function withoutNull(field: FieldSchema): { schema: FieldSchema; isNull: boolean } {
  const others = field.anyOf?.filter(({ type }) => type !== 'null');
  if (others && others.length < (field.anyOf?.length ?? 0)) return { schema: others[0] ?? {}, isNull: true };
  const types = [field.type ?? []].flat();
  return types.includes('null')
    ? { schema: { ...field, type: types.find((type) => type !== 'null') ?? 'null' }, isNull: true }
    : { schema: field, isNull: false };
}

function isPlain(field: FieldSchema): boolean {
  return ['string', 'integer', 'number', 'boolean'].includes(String(withoutNull(field).schema.type));
}

function typeOf(name: string, { type, format }: FieldSchema): ColumnType {
  switch (type) {
    case 'string':
      return format === 'date-time' ? 'timestamp' : 'text';
    case 'integer':
      // Agents have their times in epoch milliseconds.
      return name.endsWith('_at') ? 'timestamp' : 'integer';
    case 'number':
    case 'boolean':
      return type;
    default:
      return 'json';
  }
}

/** The unit of a column by its name; null for what has none. */
function unitOf(name: string): string | null {
  if (name.endsWith('_usd')) return 'USD';
  if (name.endsWith('_ms')) return 'milliseconds';
  if (name === 'balance' || /(^|_)credits($|_(?!recharged))/.test(name)) return 'credits';
  return name === 'value' ? 'currency' : null;
}

/** Money and credits are decimals. */
function typeOfUnit(unit: string): ColumnType {
  return unit === 'milliseconds' ? 'number' : 'decimal';
}

/** What a column has of a record of the interface; null if the record has nothing there. */
export function valueOf(record: ResultRow, { path, type }: ReadColumn): unknown {
  const [first = '', ...inner] = path;
  let value = record[first];
  for (const name of inner) value = isRow(value) ? value[name] : null;
  return type === 'timestamp' && typeof value === 'number' ? new Date(value).toISOString() : (value ?? null);
}
