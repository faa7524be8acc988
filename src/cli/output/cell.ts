import type { Row } from './result.ts';

/** Reads a column such as `scopes.read_only` out of a row; of a list, such as `tags.name`, that of each item. */
export function readColumn(row: Row, column: string): unknown {
  if (Object.hasOwn(row, column)) return row[column];
  return column.split('.').reduce<unknown>(readField, row);
}

function readField(value: unknown, field: string): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => readField(item, field));
  return (value as Row | null | undefined)?.[field];
}

/** A value as plain text, for csv and for tables: nothing for null, lists joined by commas, objects as JSON. */
export function plainText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Text that comes from the service, made harmless for a terminal: no control characters, one line. */
export function terminalText(value: unknown): string {
  return plainText(value).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ');
}

/** A document for a terminal: what would steer it is shown as what it is. */
export function terminalSafe(document: string): string {
  return document.replace(
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
