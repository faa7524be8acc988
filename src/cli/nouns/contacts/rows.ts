import { once } from 'node:events';
import { basename } from 'node:path';
import type { Readable, Transform } from 'node:stream';
import { NestedTooDeeply, parseJson } from '../../../contract/json.ts';
import { limits } from '../../../contract/limits.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { isRow, type Row } from '../../output/result.ts';

export const importFormats = ['csv', 'json', 'ndjson'] as const;

export type ImportFormat = (typeof importFormats)[number];

/** A row of a file. */
export interface SourceRow {
  /** The line where it begins, starting at 1. */
  readonly line: number;
  /** The offset of its end in the file, in bytes. */
  readonly end: number;
  /** Its fields by the names of the file; null when it is not an object. */
  readonly value: Row | null;
  /** Its original form: the cells of CSV, the value of JSON. */
  readonly original: unknown;
  /** Why it cannot be sent. */
  readonly flaw?: string;
}

/** A file that is read row by row, in constant memory. */
export interface Source {
  readonly format: ImportFormat;
  /** The separator of CSV cells. */
  readonly separator: string;
  /** The names of the columns; for JSON, those of the first row. */
  readonly headers: readonly string[];
  readonly rows: AsyncIterable<SourceRow>;
}

/** How many characters are read at most to detect the format. */
const sniffed = 65_536;

/** The size limit of a row, in bytes. */
const rowBytes = 1_000_000;

/** The levels of a row: in a request, it is in a list in the body. */
const rowLevels = limits.bodyLevels - 2;

const columnLimit = 2_000;

/**
 * Opens a file of rows.
 * @param stream the bytes of the file, in UTF-8
 * @param format the format; by default, it is detected from the file's name or its first characters
 * @throws CliError 1 when the file is malformed or exceeds a limit, also while its rows are read
 */
export async function openRows(stream: Readable, file: string, format: ImportFormat | undefined): Promise<Source> {
  const { head, text } = await readHead(stream);
  const kind = format ?? formatOf(file) ?? guess(head);
  const separator = separatorOf(head);
  if (kind === 'csv') return { format: kind, separator, ...(await csvTable(text, separator)) };
  const rows = kind === 'json' ? jsonRows(text) : ndjsonRows(text);
  const first = await rows.next();
  return { format: kind, separator, headers: Object.keys((first.done ? null : first.value.value) ?? {}), rows: after(first, rows) };
}

/** The format that the ending of a file name stands for; undefined when it is unknown. */
export function formatOf(file: string): ImportFormat | undefined {
  return endings[/\.(\w+)$/.exec(basename(file))?.[1]?.toLowerCase() ?? ''];
}

const endings: Record<string, ImportFormat> = { csv: 'csv', tsv: 'csv', txt: 'csv', json: 'json', ndjson: 'ndjson', jsonl: 'ndjson' };

/** Reads the first line. Returns it with the text of the whole file. */
async function readHead(stream: Readable): Promise<{ head: string; text: AsyncIterable<string> }> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const decode = (chunk: Buffer | null) => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch {
      throw malformedError('The file is not UTF-8: save it as UTF-8, or convert it with iconv');
    }
  };
  let head = '';
  let isDone = false;
  while (!isDone && head.length < sniffed && !/[\r\n]/.test(head.trimStart())) {
    const next = await chunks.next();
    isDone = next.done === true;
    head += decode(isDone ? null : (next.value as Buffer));
  }
  async function* text() {
    yield head;
    for (let next = isDone ? null : await chunks.next(); next && !next.done; next = await chunks.next()) yield decode(next.value);
    if (!isDone) yield decode(null);
  }
  return { head, text: text() };
}

function guess(head: string): ImportFormat {
  const [first] = head.trimStart();
  return first === '[' ? 'json' : first === '{' ? 'ndjson' : 'csv';
}

/** The separator of cells: the candidate that is most frequent in the first line. */
function separatorOf(head: string): string {
  const [line = ''] = head.trimStart().split(/[\r\n]/, 1);
  const unquoted = line.replace(/"[^"]*"/g, '');
  const count = (separator: string) => unquoted.split(separator).length;
  return [',', ';', '\t', '|'].reduce((best, each) => (count(each) > count(best) ? each : best));
}

async function* after<Each>(first: IteratorResult<Each, unknown>, rest: AsyncGenerator<Each>): AsyncGenerator<Each> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

function malformedError(reason: string): CliError {
  return new CliError(exitCodes.failed, 'file', reason);
}

function tooLongError(line: number): CliError {
  return malformedError(`The row on line ${line} is longer than ${rowBytes.toLocaleString('en-US')} bytes`);
}

function tooDeepError(line: number): CliError {
  return malformedError(`The row on line ${line} cannot be sent. ${new NestedTooDeeply(rowLevels).message}`);
}

/** A record of CSV. */
interface CsvRecord {
  readonly cells: readonly string[];
  readonly line: number;
  readonly end: number;
}

async function csvTable(text: AsyncIterable<string>, separator: string): Promise<Pick<Source, 'headers' | 'rows'>> {
  const records = csvRecords(text, separator);
  const heading = await records.next();
  const headers = heading.done ? [] : heading.value.cells.map((name) => name.trim());
  if (headers.length > columnLimit)
    throw malformedError(
      `The file has ${headers.length.toLocaleString('en-US')} columns: at most ${columnLimit.toLocaleString('en-US')} can be read`,
    );
  async function* rows(): AsyncGenerator<SourceRow> {
    for await (const { cells, line, end } of records) {
      const value = Object.fromEntries(headers.map((name, index) => [name, cells[index] ?? '']));
      const flaw = cells.length > headers.length ? `has ${cells.length} cells, but the header has ${headers.length}` : undefined;
      yield { line, end, value, original: cells, ...(flaw !== undefined && { flaw }) };
    }
  }
  return { headers, rows: rows() };
}

async function* csvRecords(text: AsyncIterable<string>, separator: string): AsyncGenerator<CsvRecord> {
  const { parse } = await import('csv-parse');
  const options = { delimiter: separator, bom: true, info: true, relax_column_count: true, skip_empty_lines: true };
  const parser = parse({ ...options, max_record_size: rowBytes });
  const lines = new LineCounter();
  void feed(parser, text, lines);
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { bytes: number } }>) {
      // The library reports the end of a record, and quoted cells can span several lines.
      const line = lines.at(info.bytes - 1) - record.join('').split('\n').length + 1;
      yield { cells: record, line, end: info.bytes };
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { code, lines: line = 0, message } = error as Error & { code?: string; lines?: number };
    throw code === 'CSV_MAX_RECORD_SIZE' ? tooLongError(line) : malformedError(`The file is not valid CSV: ${message}`);
  }
}

/** Feeds text to a parser at the parser's speed. A failure destroys the parser, and so fails its reader. */
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

async function* ndjsonRows(text: AsyncIterable<string>): AsyncGenerator<SourceRow> {
  let line = 0;
  let end = 0;
  for await (const content of linesOf(text)) {
    line++;
    const size = Buffer.byteLength(content);
    if (size > rowBytes) throw tooLongError(line);
    end += size + 1;
    if (content.trim() === '') continue;
    const value = parseLine(content, line);
    yield { line, end, value: isRow(value) ? value : null, original: value };
  }
}

function parseLine(content: string, line: number): unknown {
  try {
    return parseJson(content, rowLevels);
  } catch (error) {
    throw error instanceof NestedTooDeeply ? tooDeepError(line) : malformedError(`Line ${line} is not JSON`);
  }
}

/** The lines of a text. It is read no further than a line that is too long for a row. */
async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of text) {
    // Only the new text is searched: joining texts does not copy them.
    const [first = '', ...others] = chunk.split('\n');
    const lines = [rest + first, ...others];
    rest = lines.pop() ?? '';
    yield* lines;
    if (rest.length > rowBytes) break;
  }
  if (rest !== '') yield rest;
}

/** The elements of a JSON list, each with the line on which it begins. */
async function* jsonRows(text: AsyncIterable<string>): AsyncGenerator<SourceRow> {
  const { Tokenizer, TokenParser, TokenType } = await import('@streamparser/json');
  const tokenizer = new Tokenizer();
  const parser = new TokenParser({ paths: ['$.*'], keepStack: false });
  const lines = new LineCounter();
  const openings: ReadonlySet<unknown> = new Set([TokenType.LEFT_BRACE, TokenType.LEFT_BRACKET]);
  const closings: ReadonlySet<unknown> = new Set([TokenType.RIGHT_BRACE, TokenType.RIGHT_BRACKET]);
  let depth = 0;
  let begin = 1;
  let end = 0;
  /** Where the row before this one ended, in bytes. */
  let previousEnd = 0;
  let ready: SourceRow[] = [];
  tokenizer.onToken = (parsed) => {
    const { token, offset } = parsed;
    if (depth === 0 && token !== TokenType.LEFT_BRACKET)
      throw new Error('it is not a list of objects; for one object per line, use --format ndjson');
    if (depth === 1 && token !== TokenType.COMMA) begin = lines.at(offset);
    if (offset - previousEnd > rowBytes) throw tooLongError(begin);
    if (openings.has(token)) depth++;
    else if (closings.has(token)) depth--;
    // The list of the file is a level too.
    if (depth - 1 > rowLevels) throw tooDeepError(begin);
    end = offset;
    if (depth <= 1) previousEnd = end;
    parser.write(parsed);
  };
  parser.onValue = ({ value }) => ready.push({ line: begin, end, value: isRow(value) ? value : null, original: value });
  for await (const chunk of text) {
    const bytes = Buffer.from(chunk);
    lines.add(bytes);
    let flaw: Error | null = null;
    try {
      tokenizer.write(bytes);
      if (!parser.isEnded && lines.read - previousEnd > rowBytes) throw tooLongError(begin);
    } catch (error) {
      flaw = error as Error;
    }
    // The rows before an error are valid.
    yield* ready;
    ready = [];
    if (flaw instanceof CliError) throw flaw;
    if (flaw) throw malformedError(`The file is not valid JSON from line ${begin} on: ${flaw.message}`);
  }
  if (!parser.isEnded) throw malformedError('The file ends in the middle of its JSON');
}

/** Maps offsets to line numbers. Offsets must be asked for in ascending order. */
class LineCounter {
  #line = 1;
  #offset = 0;
  #breaks: number[] = [];

  /** How many bytes were added. */
  get read(): number {
    return this.#offset;
  }

  add(bytes: Buffer): void {
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) this.#breaks.push(this.#offset + at);
    this.#offset += bytes.length;
  }

  at(offset: number): number {
    const passed = this.#breaks.findIndex((each) => each >= offset);
    const count = passed < 0 ? this.#breaks.length : passed;
    this.#line += count;
    this.#breaks.splice(0, count);
    return this.#line;
  }
}
