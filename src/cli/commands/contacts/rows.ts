import { once } from 'node:events';
import { basename } from 'node:path';
import type { Readable, Transform } from 'node:stream';
import { CliError, exitCodes } from '../../errors.ts';
import { isRow, type Row } from '../../output/result.ts';

export const importFormats = ['csv', 'json', 'ndjson'] as const;

export type ImportFormat = (typeof importFormats)[number];

/** A row of a file. */
export interface SourceRow {
  /** Where it begins, counted from 1. */
  readonly line: number;
  /** By the file's own names; null for what is no object. */
  readonly value: Row | null;
}

/** A file that is read row by row, in constant memory. */
export interface Source {
  readonly format: ImportFormat;
  /** The names of the columns; of JSON those of its first row. */
  readonly headers: readonly string[];
  readonly rows: AsyncIterable<SourceRow>;
}

/** How much of a file tells what it is. */
const sniffed = 65_536;

/**
 * Opens a file of rows.
 * @param stream its bytes, as UTF-8
 * @param format as it is told; else by the file's name, else by how it begins
 * @throws CliError 1 when it holds no rows; while it is read, when it is not well-formed
 */
export async function openRows(stream: Readable, file: string, format: ImportFormat | undefined): Promise<Source> {
  const { head, text } = await readHead(stream);
  const kind = format ?? formatOf(file) ?? guess(head);
  const rows = kind === 'csv' ? csvRows(text, separatorOf(head)) : kind === 'json' ? jsonRows(text) : ndjsonRows(text);
  return await withHeaders(kind, rows);
}

/** Reads the beginning, and hands the whole on as text. */
async function readHead(stream: Readable): Promise<{ head: string; text: AsyncIterable<string> }> {
  const decoder = new TextDecoder('utf-8');
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let head = '';
  let isDone = false;
  while (!isDone && head.length < sniffed && !/\S.*[\r\n]/.test(head)) {
    const next = await chunks.next();
    isDone = next.done === true;
    head += isDone ? decoder.decode() : decoder.decode(next.value as Buffer, { stream: true });
  }
  async function* text() {
    yield head;
    for (let next = isDone ? null : await chunks.next(); next && !next.done; next = await chunks.next())
      yield decoder.decode(next.value, { stream: true });
    if (!isDone) yield decoder.decode();
  }
  return { head, text: text() };
}

const endings: Record<string, ImportFormat> = { csv: 'csv', tsv: 'csv', txt: 'csv', json: 'json', ndjson: 'ndjson', jsonl: 'ndjson' };

function formatOf(file: string): ImportFormat | undefined {
  return endings[/\.(\w+)$/.exec(basename(file))?.[1]?.toLowerCase() ?? ''];
}

function guess(head: string): ImportFormat {
  const [first] = head.trimStart();
  return first === '[' ? 'json' : first === '{' ? 'ndjson' : 'csv';
}

/** What separates the cells: what stands most often in the first line. */
function separatorOf(head: string): string {
  const [line = ''] = head.trimStart().split(/[\r\n]/, 1);
  const unquoted = line.replace(/"[^"]*"/g, '');
  const count = (separator: string) => unquoted.split(separator).length;
  return [',', ';', '\t'].reduce((best, each) => (count(each) > count(best) ? each : best));
}

async function withHeaders(format: ImportFormat, rows: AsyncGenerator<SourceRow>): Promise<Source> {
  const first = await rows.next();
  if (first.done) throw new CliError(exitCodes.failed, 'file', 'The file holds no rows');
  async function* all() {
    yield first.value as SourceRow;
    yield* rows;
  }
  return { format, headers: Object.keys(first.value.value ?? {}), rows: all() };
}

function malformed(reason: string): CliError {
  return new CliError(exitCodes.failed, 'file', reason);
}

async function* csvRows(text: AsyncIterable<string>, separator: string): AsyncGenerator<SourceRow> {
  const { parse } = await import('csv-parse');
  const parser = parse({
    delimiter: separator,
    bom: true,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: 1_000_000,
  });
  const lines = new LineCounter();
  void feed(parser, text, lines);
  let headers: string[] | null = null;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { bytes: number } }>) {
      if (!headers) {
        headers = record.map((name) => name.trim());
        continue;
      }
      // The library tells where a record ends; within quotes it may be several lines long.
      const line = lines.at(info.bytes - 1) - record.join('').split('\n').length + 1;
      yield { line, value: Object.fromEntries(headers.map((name, index) => [name, record[index] ?? ''])) };
    }
  } catch (error) {
    throw malformed(`The file is no CSV: ${(error as Error).message}`);
  }
}

/** Hands text to a parser as fast as it takes it; what fails, fails the reading. */
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
  for await (const content of linesOf(text)) {
    line++;
    if (content.trim() === '') continue;
    let value: unknown;
    try {
      value = JSON.parse(content.replace(/^\ufeff/, ''));
    } catch {
      throw malformed(`Line ${line} is no JSON`);
    }
    yield { line, value: isRow(value) ? value : null };
  }
}

async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
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
  let ready: SourceRow[] = [];
  tokenizer.onToken = (parsed) => {
    const { token, offset } = parsed;
    if (depth === 0 && token !== TokenType.LEFT_BRACKET)
      throw new Error('it is no list of objects; one object a line is ndjson (--format ndjson)');
    if (depth === 1 && token !== TokenType.COMMA) begin = lines.at(offset);
    if (openings.has(token)) depth++;
    else if (closings.has(token)) depth--;
    parser.write(parsed);
  };
  parser.onValue = ({ value }) => ready.push({ line: begin, value: isRow(value) ? value : null });
  for await (const chunk of text) {
    const bytes = Buffer.from(chunk.replace(/^\ufeff/, ''));
    lines.add(bytes);
    try {
      tokenizer.write(bytes);
    } catch (error) {
      throw malformed(`The file is no JSON to import: ${(error as Error).message}`);
    }
    yield* ready;
    ready = [];
  }
  if (!parser.isEnded) throw malformed('The file ends in the middle of its JSON');
}

/** Tells on which line an offset lies; asked in their order. */
class LineCounter {
  #line = 1;
  #offset = 0;
  #breaks: number[] = [];

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
