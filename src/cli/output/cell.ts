import type { Row } from './result.ts';

/** Reads a column of a row: `scopes.read_only`, or `tags.name` for that field of each item of a list. */
export function readColumn(row: Row, column: string): unknown {
  if (Object.hasOwn(row, column)) return row[column];
  return column.split('.').reduce<unknown>(readField, row);
}

function readField(value: unknown, field: string): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => readField(item, field));
  return (value as Row | null | undefined)?.[field];
}

/** A value as plain text for tables and CSV: empty for null, lists joined by commas, objects as JSON. */
export function plainText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Text of the service, escaped for a terminal: one line without control characters. */
export function terminalText(value: unknown): string {
  return plainText(value).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ');
}

/** A document, escaped for a terminal: without raw control characters. */
export function terminalSafe(document: string): string {
  return document.replace(
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
