import { once } from 'node:events';
import type { Transform } from 'node:stream';
import type { Separation } from '../../../contract/separators.ts';
import { CliError } from '../../errors.ts';
import { LineCounter } from './line-counter.ts';
import { malformedError, rowBytes, tooLongError } from './source.ts';
import type { TableRecord } from './table.ts';

/** The records of a CSV or TSV file. The first one is the heading. Cells of TSV keep their quotes: see `readTsvCell`. */
export async function* csvRecords(text: AsyncIterable<string>, { separator, isNamed }: Separation): AsyncGenerator<TableRecord> {
  const { parse } = await import('csv-parse');
  const quote = separator === '\t' ? null : '"';
  const options = { delimiter: separator, quote, bom: true, info: true, relax_column_count: true, skip_empty_lines: true };
  const parser = parse({ ...options, max_record_size: rowBytes });
  const lines = new LineCounter(isNamed ? 2 : 1);
  void feed(parser, isNamed ? afterFirstLine(text) : text, lines);
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { bytes: number } }>) {
      // The library reports the end of a record, and quoted cells can span several lines.
      const line = lines.at(info.bytes - 1) - record.join('').split('\n').length + 1;
      yield { cells: record, line, end: info.bytes };
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw readableError(error as ParserError, lines);
  }
}

/** An error of the parser: the offset of the end of the cell before, and the number of the cell from 0. */
type ParserError = Error & { readonly code?: string; readonly bytes?: number; readonly column?: number };

function readableError({ code, bytes = 0, column = 0, message }: ParserError, lines: LineCounter): CliError {
  const line = lines.at(bytes + 1);
  const misquoted = (problem: string) =>
    malformedError(
      `The file is not valid CSV: on line ${line}, cell ${column + 1} ${problem}`,
      'Put the whole cell in quotation marks, and double each one inside it: "say ""hello""".',
    );
  switch (code) {
    case 'CSV_MAX_RECORD_SIZE':
      return tooLongError(line);
    case 'INVALID_OPENING_QUOTE':
      return misquoted('has a quotation mark in its middle');
    case 'CSV_INVALID_CLOSING_QUOTE':
      return misquoted('goes on after its closing quotation mark');
    case 'CSV_QUOTE_NOT_CLOSED':
      return misquoted('has no closing quotation mark');
    default:
      return malformedError(`The file is not valid CSV: ${message}`);
  }
}

async function* afterFirstLine(text: AsyncIterable<string>): AsyncGenerator<string> {
  let line: string | null = '';
  for await (const piece of text) {
    if (line === null) {
      yield piece;
      continue;
    }
    line += piece;
    const ending = /\r?\n|\r(?=[^\n])/.exec(line);
    if (!ending) continue;
    yield line.slice(ending.index + ending[0].length);
    line = null;
  }
}

/** Feeds text to a parser, respecting backpressure. A failure destroys the parser, so that its reader fails too. */
async function feed(parser: Transform, text: AsyncIterable<string>, lines: LineCounter): Promise<void> {
  try {
    for await (const chunk of text) {
      const bytes = Buffer.from(chunk);
      lines.add(bytes);
      if (!parser.write(bytes)) await once(parser, 'drain');
    }
    parser.end();
  } catch (error) {
    parser.destroy(error as Error);
  }
}
