import { stringify } from 'csv-stringify/sync';
import { plainText, terminalText } from './cell.ts';
import { readColumn } from './paths.ts';
import type { Row } from './result.ts';

/** A cell that a spreadsheet would read as a formula, unless it is a number or a phone number. */
const formula = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
const number = /^[+-]?\d+(\.\d+)?$/;

/** Escapes text for spreadsheets: a formula gets a leading apostrophe. */
function inert(text: string): string {
  return formula.test(text) && !number.test(text) ? `'${text}` : text;
}

/** Rows as CSV (RFC 4180) or TSV. */
export function delimited(format: 'csv' | 'tsv', columns: readonly string[], rows: readonly Row[], heading: boolean): string {
  const cells = rows.map((row) => columns.map((column) => inert(plainText(readColumn(row, column)))));
  return stringify(heading ? [columns.map(inert), ...cells] : cells, {
    delimiter: format === 'csv' ? ',' : '\t',
    // By default, the library quotes only whole line endings; RFC 4180 requires it for each of their characters.
    quoted_match: /[\r\n]/,
    record_delimiter: format === 'csv' ? '\r\n' : '\n',
  });
}

/** Values without columns, one per line. */
export function bareLines(format: 'table' | 'csv' | 'tsv', values: readonly unknown[]): string {
  if (format === 'table') return values.map((value) => `${terminalText(value)}\n`).join('');
  return delimited(
    format,
    ['value'],
    values.map((value) => ({ value })),
    false,
  );
}
