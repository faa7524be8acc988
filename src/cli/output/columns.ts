import { parseInstant } from '../../contract/time/instants.ts';

/** The kind of values in a column, which determines whether they are wrapped, rounded or right-aligned. */
export type ColumnKind = 'text' | 'whole' | 'number' | 'change' | 'share' | 'percent' | 'instant' | 'state';

/** Headings that cannot be derived from the field name. */
const headings: Readonly<Record<string, string>> = {
  'error.text': 'WHY',
  phone_number: 'PHONE',
  contact_count: 'CONTACTS',
  faq_count: 'FAQS',
  faq_refs_count: 'FAQS',
  section_count: 'SECTIONS',
  kb_source_refs_count: 'SOURCES',
  sub_account_id: 'SUB-ACCOUNT ID',
  sub_account: 'ACCOUNT',
  balance_change: 'CHANGE',
  transfer_account_name: 'OTHER ACCOUNT',
  consecutive_failures: 'FAILURES',
  subscribed_to: 'EVENTS',
  signing_enabled: 'SIGNED',
  retries_enabled: 'RETRIES',
  key_preview: 'KEY',
  max_bookings_per_slot: 'PLACES',
  slot_minutes: 'MINUTES',
  duration_ms: 'MS',
  attempt_count: 'ATTEMPTS',
  'scopes.tags': 'SECTIONS',
  'scopes.read_only': 'READ ONLY',
  'scopes.sub_account_ids': 'ACCOUNTS',
  'scopes.rate_limit_per_min': 'PER MINUTE',
};

/** The meaning of an empty list for fields in which it does not mean "none". */
const emptyLists: Readonly<Record<string, string>> = { 'scopes.tags': 'all', 'scopes.sub_account_ids': 'own' };

/** The text for an empty list in a table. */
export function emptyListText(column: string): string {
  return emptyLists[column] ?? '';
}

/** The heading of a column: the last segment of its field's path, without redundant parts. */
export function headingOf(column: string): string {
  return (
    headings[column] ??
    nameOf(withoutName(column))
      .replace(/_at(_iso)?$/, '')
      .toUpperCase()
      .replaceAll('_', ' ')
  );
}

/** The label of a record's field on a terminal: its name, unless that is a path that has a heading of its own. */
export function labelOf(column: string): string {
  return column.includes('.') && headings[column] !== undefined ? headings[column].toLowerCase() : withoutName(column);
}

/** The names of records are shown as the records: `tags.name` as tags. */
function withoutName(column: string): string {
  return column.replace(/\.name$/, '');
}

/** The last segment of a column's path in snake case; some API fields use camel case. */
function nameOf(column: string): string {
  return (column.split('.').at(-1) ?? column).replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
}

/** Determines the kind of a column from its name and the values in its first rows. */
export function kindOf(column: string, values: readonly unknown[]): ColumnKind {
  const name = nameOf(column);
  if (name === 'status' || name === 'state') return 'state';
  const given = values.filter((value) => value !== null && value !== undefined);
  if (given.length > 0 && given.every((value) => typeof value === 'number')) return kindOfNumbers(name);
  if (given.length > 0 && given.every((value) => readInstant(value) !== undefined)) return 'instant';
  // Values that users copy must not be wrapped.
  return isSecret(column) || /(^|_)(id|number|identity|slug|preview|key|when)$/.test(name) ? 'whole' : 'text';
}

/** Whether a column holds secrets, which may be shown only once: they are never hidden or wrapped. */
export function isSecret(column: string): boolean {
  return /(^|_)(secret|token|api_key)$/.test(nameOf(column));
}

/** Rates are shares of 1, as the API has them, except those that a command computes in percent. */
function kindOfNumbers(name: string): ColumnKind {
  if (name === 'balance_change') return 'change';
  if (name === 'success_rate' || name.endsWith('_percent')) return 'percent';
  return name.endsWith('_rate') ? 'share' : 'number';
}

/** The time of an ISO 8601 value in epoch milliseconds; undefined for other values. */
export function readInstant(value: unknown): number | undefined {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? parseInstant(value) : undefined;
}
