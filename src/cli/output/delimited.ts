import { stringify } from 'csv-stringify/sync';
import type { DelimitedStyle } from '../global-options.ts';
import { plainText } from './cell.ts';
import { guard, quotedCell } from '../../contract/text/formula-guard.ts';
import { listText } from './list-text.ts';
import { readColumn } from './paths.ts';
import type { ResultRow } from './result.ts';
import { isQuoted, tsvLine } from './tsv.ts';

/**
 * Formats the pages of a list as CSV (RFC 4180) or TSV. The first page starts with the heading. CSV is for spreadsheets, so formulas
 * are guarded. TSV is for programs: each cell is verbatim, without quotes.
 */
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

  page(rows: readonly ResultRow[]): string {
    const { bom, header } = this.#style;
    const records = rows.map((row) => this.#columns.map((column) => this.#cell(readColumn(row, column))));
    const lines = this.#isFirst && header ? [this.#columns, ...records] : records;
    const mark = this.#isFirst && bom ? '\ufeff' : '';
    this.#isFirst = false;
    return mark + this.#write(lines);
  }

  #write(lines: readonly (readonly string[])[]): string {
    if (this.#format === 'tsv') return lines.map(tsvLine).join('');
    return stringify(this.#style.raw ? [...lines] : lines.map((line) => line.map(guard)), {
      quoted_match: quotedCell,
      record_delimiter: '\r\n',
    });
  }

  /** A value as cell text. Lists are encoded so that they can be read back, whatever their items contain. */
  #cell(value: unknown): string {
    if (!Array.isArray(value) || value.some((item) => typeof item === 'object')) return plainText(value);
    const text = listText(value.map(plainText));
    // A comma keeps readers of TSV from taking the quotes of the only item for those of the cell.
    return this.#format === 'tsv' && isQuoted(text) ? `${text},` : text;
  }
}
