import { stringify } from 'csv-stringify/sync';
import type { DelimitedStyle } from '../global-options.ts';
import { plainText, terminalText } from './cell.ts';
import { guard, quotedCell } from './formula-guard.ts';
import { listText } from './list-text.ts';
import { readColumn } from './paths.ts';
import type { Row } from './result.ts';

/** Formats the pages of a list as CSV (RFC 4180) or TSV. The first page starts with the heading. */
export class DelimitedFormatter {
  readonly #format: 'csv' | 'tsv';
  readonly #columns: readonly string[];
  readonly #style: DelimitedStyle;
  #isFirst = true;

  constructor(format: 'csv' | 'tsv', columns: readonly string[], style: DelimitedStyle) {
    this.#format = format;
    this.#columns = columns;
    this.#style = style;
  }

  page(rows: readonly Row[]): string {
    const { bom, header } = this.#style;
    const records = rows.map((row) => this.#columns.map((column) => cellText(readColumn(row, column))));
    const lines = this.#isFirst && header ? [this.#columns, ...records] : records;
    const mark = this.#isFirst && bom ? '\ufeff' : '';
    this.#isFirst = false;
    return mark + this.#write(lines);
  }

  #write(lines: readonly (readonly string[])[]): string {
    return stringify(this.#style.raw ? [...lines] : lines.map((line) => line.map(guard)), {
      delimiter: this.#format === 'csv' ? ',' : '\t',
      quoted_match: this.#format === 'csv' ? quotedCell : /[\r\n]/,
      record_delimiter: this.#format === 'csv' ? '\r\n' : '\n',
    });
  }
}

/** A value as cell text. Lists are encoded so that they can be read back, whatever their items contain. */
function cellText(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return listText(value.map(plainText));
  return plainText(value);
}

/** Values without columns, one per line. */
export function bareLines(format: 'table' | 'csv' | 'tsv', values: readonly unknown[], style: DelimitedStyle): string {
  if (format === 'table') return values.map((value) => `${terminalText(value)}\n`).join('');
  return new DelimitedFormatter(format, ['value'], { ...style, header: false }).page(values.map((value) => ({ value })));
}
