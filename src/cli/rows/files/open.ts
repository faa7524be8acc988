import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { usageError } from '../../errors.ts';
import { unguard } from '../../../contract/text/formula-guard.ts';
import { readTsvCell } from '../../output/tsv.ts';
import { csvRecords, separationOf } from './csv.ts';
import { jsonRows } from './json.ts';
import { ndjsonRows } from './ndjson.ts';
import { type ImportFormat, malformedError, type RecordKind, type Source, type SourceRow } from './source.ts';
import { type IsHeading, tableRows, titleRows } from './table.ts';
import { FileText } from './text.ts';

/** Maximum number of characters to read to detect the format. */
const sniffed = 65_536;

/** Minimum number of bytes to read to detect the encoding and workbooks. */
const peeked = 4_096;

/** What is known about a file. The rest is detected. */
interface Reading {
  readonly kind: RecordKind;
  readonly format?: ImportFormat | undefined;
  readonly encoding?: string | undefined;
  /** The sheet of a workbook that the user chose. */
  readonly sheet?: string | undefined;
  readonly isHeading?: IsHeading | undefined;
  /** The size of the file in bytes; undefined when it is unknown. */
  readonly size?: number | undefined;
}

/**
 * Opens a file of rows.
 * @param stream the bytes of the file
 * @param file its name, whose extension determines the format
 * @throws CliError 1 if the file is invalid or exceeds a limit, also while its rows are read; 2 if the encoding or
 * the sheet is unknown
 */
export async function openRows(stream: Readable, file: string, reading: Reading): Promise<Source> {
  const { kind, format, encoding, sheet, isHeading = () => true, size = 0 } = reading;
  const chunks = await peek(stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>, (read) => Buffer.concat(read).length >= peeked);
  const bytes = Buffer.concat(chunks.first);
  const named = format ?? formatOf(file, kind);
  if (named === 'xlsx' || (format === undefined && isZip(bytes)))
    return await (await import('./workbook.ts')).workbookRows(chunks.all, isHeading, sheet);
  if (isOldWorkbook(bytes))
    throw malformedError('The file is an old Excel workbook, or protected by a password', 'Save it as .xlsx without a password.');
  if (sheet !== undefined) throw usageError(`--sheet '${sheet}': the file is not a workbook`, 'Only .xlsx files have sheets.');
  const text = await FileText.open(bytes, chunks.all, encoding);
  const pieces = await peek(text.read(), (read) => hasLines(read.join('')));
  const head = pieces.first.join('');
  const found = named ?? guess(head, kind);
  const common = {
    format: found,
    separator: ',',
    otherSheets: [],
    remarks: () =>
      encoding !== undefined || text.encoding === 'UTF-8'
        ? []
        : [`The file is read as ${text.encoding}; --encoding names another encoding.`],
    size: text.encoding.startsWith('UTF-16') ? size / 2 : size,
  };
  if (found === 'csv') {
    const separation = separationOf(head, /\.tsv$/i.test(file) ? '\t' : ',', isHeading);
    const { separator } = separation;
    const readCell = separator === '\t' ? readTsvCell : unguard;
    const { headers, rows, remarks } = await tableRows(csvRecords(pieces.all, separation), isHeading, readCell);
    return { ...common, separator, headers, rows, remarks: () => [...remarks, ...common.remarks()] };
  }
  const rows = await rowsOf(found, head, pieces.all, kind);
  const first = await rows.next();
  return { ...common, headers: Object.keys((first.done ? null : first.value.value) ?? {}), rows: after(first, rows) };
}

async function rowsOf(
  format: ImportFormat,
  head: string,
  text: AsyncIterable<string>,
  { list, ownFormats = {} }: RecordKind,
): Promise<AsyncGenerator<SourceRow>> {
  const ownRows = format === 'md' || format === 'vcf' ? ownFormats[format] : undefined;
  if (ownRows) return ownRows(text);
  if (format === 'ndjson') return ndjsonRows(text);
  // JSON is also valid YAML, but has a streaming parser.
  return format === 'json' || /^\s*[[{]/.test(head) ? jsonRows(text, list) : (await import('./yaml.ts')).yamlRows(text, list);
}

/** The format for a file name extension; undefined if it is unknown. */
export function formatOf(file: string, { ownFormats = {} }: RecordKind): ImportFormat | undefined {
  const format = endings[/\.(\w+)$/.exec(basename(file))?.[1]?.toLowerCase() ?? ''];
  return (format === 'md' || format === 'vcf') && !ownFormats[format] ? undefined : format;
}

const endings: Record<string, ImportFormat> = {
  csv: 'csv',
  tsv: 'csv',
  txt: 'csv',
  xlsx: 'xlsx',
  xlsm: 'xlsx',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  yaml: 'yaml',
  yml: 'yaml',
  md: 'md',
  markdown: 'md',
  vcf: 'vcf',
  vcard: 'vcf',
};

/** Whether bytes are the beginning of a ZIP archive, such as a workbook. Text never begins like this. */
function isZip(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, 4) === 'PK\u0003\u0004';
}

/** Whether bytes are the beginning of an .xls file or an encrypted workbook. */
function isOldWorkbook(bytes: Buffer): boolean {
  return bytes.toString('hex', 0, 8) === 'd0cf11e0a1b11ae1';
}

/** Whether the text has the lines of a title and the heading below it, or is too long for them. */
function hasLines(text: string): boolean {
  return text.length >= sniffed || (text.trimStart().match(/\r\n?|\n/g)?.length ?? 0) > titleRows;
}

function guess(head: string, { list, ownFormats = {} }: RecordKind): ImportFormat {
  const [line = ''] = head.trimStart().split(/[\r\n]/, 1);
  if (line.startsWith('[')) return 'json';
  // JSON if the object spans several lines or contains the list. A line of NDJSON is complete and has the fields of a record.
  if (new RegExp(`^\\{\\s*($|"${list}"\\s*:)`).test(line)) return 'json';
  if (line.startsWith('{')) return 'ndjson';
  if (ownFormats.md && /^##? /.test(line)) return 'md';
  if (ownFormats.vcf && /^BEGIN:VCARD\s*$/i.test(line)) return 'vcf';
  return new RegExp(`^(---\\s*$|- |${list}:)`).test(line) ? 'yaml' : 'csv';
}

/** Reads the first chunks until there are enough. Returns them, and an iterable of all chunks. */
async function peek<Piece>(pieces: AsyncIterator<Piece>, isEnough: (read: Piece[]) => boolean) {
  const first: Piece[] = [];
  let isDone = false;
  while (!isDone && !isEnough(first)) {
    const next = await pieces.next();
    isDone = next.done === true;
    if (!next.done) first.push(next.value);
  }
  async function* all() {
    yield* first;
    for (let next = isDone ? null : await pieces.next(); next && !next.done; next = await pieces.next()) yield next.value;
  }
  return { first, all: all() };
}

async function* after<Each>(first: IteratorResult<Each, unknown>, rest: AsyncGenerator<Each>): AsyncGenerator<Each> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
