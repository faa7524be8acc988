import { stringify } from 'csv-stringify/sync';
import { plainText, readColumn, terminalText } from './cell.ts';
import type { Row } from './result.ts';

/** A cell that a spreadsheet would take for a formula; a number is none, a phone number neither. */
const formula = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
const number = /^[+-]?\d+(\.\d+)?$/;

/** Text as a spreadsheet may open it: what looks like a formula gets an apostrophe in front. */
function inert(text: string): string {
  return formula.test(text) && !number.test(text) ? `'${text}` : text;
}

/** Rows as CSV (RFC 4180) or TSV, with the columns in their fixed order. */
export function delimited(format: 'csv' | 'tsv', columns: readonly string[], rows: readonly Row[], heading: boolean): string {
  const cells = rows.map((row) => columns.map((column) => inert(plainText(readColumn(row, column)))));
  return stringify(heading ? [[...columns], ...cells] : cells, {
    delimiter: format === 'csv' ? ',' : '\t',
    // The library quotes the whole line ending only, but RFC 4180 asks for either of its characters.
    quoted_match: /[\r\n]/,
    record_delimiter: format === 'csv' ? '\r\n' : '\n',
  });
}

/** Values that have no columns, one a line. */
export function bareLines(format: 'table' | 'csv' | 'tsv', values: readonly unknown[]): string {
  if (format === 'table') return values.map((value) => `${terminalText(value)}\n`).join('');
  return delimited(
    format,
    ['value'],
    values.map((value) => ({ value })),
    false,
  );
}
