import { isRow, type ResultRow } from './result.ts';

/** A value as plain text for tables and CSV: empty for null, comma-separated for lists, JSON for objects. */
export function plainText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null)) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What could begin a line, control a terminal, or show text in another order than it has. */
const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Escapes a line of a message: names and values in it stay on this line, and show what is in them. */
export function messageLine(text: string): string {
  return text.replace(controls, escaped);
}

function escaped(character: string): string {
  return { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character] ?? unicodeEscape(character);
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Escapes text from the service for the cell of a table: a single line without control characters. A flat object is shown as a
 * list of its fields. Messages show what is in a text: see `messageLine`.
 */
export function terminalText(value: unknown): string {
  const text = isFlat(value)
    ? Object.entries(value)
        .map(([name, item]) => `${name}: ${plainText(item)}`)
        .join(', ')
    : plainText(value);
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ');
}

function isFlat(value: unknown): value is ResultRow {
  const isPlain = (item: unknown) => typeof item !== 'object' || item === null;
  return isRow(value) && Object.values(value).every((item) => (Array.isArray(item) ? item.every(isPlain) : isPlain(item)));
}

/** Escapes the control characters of a document for a terminal. A carriage return is kept at the end of a line only. */
export function terminalSafe(document: string): string {
  return document.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]|\r(?!\n)/g, unicodeEscape);
}
