import { describeWriteError } from '../../contract/file-errors.ts';
import { shellWord } from './shell-word.ts';
import { noRowsError } from './format-errors.ts';
import { CliError, exitCodes } from '../errors.ts';
import type { OutputFormat } from '../global-options.ts';
import type { Output } from '../world.ts';
import { terminalSafe } from './cell.ts';
import { counted } from '../../contract/text/counted.ts';
import { type ListFormat, listFormat, type ListOptions } from './list-format.ts';
import type { Notes } from './notes.ts';
import { columnsOf, fieldsBeside, isRow, type Result, type ResultRow } from './result.ts';
import { screenOf } from './screen.ts';
import { isLostReader } from './lost-reader.ts';

/** Options for printing. */
interface Printing extends ListOptions {
  /** The verb's columns, for results that do not define their own; undefined for verbs that print documents. */
  readonly columns: readonly string[] | undefined;
  /** The note for an empty list. */
  readonly emptyNote?: () => string | undefined;
  readonly notes: Notes;
  /** The pager command for output that is longer than the window; undefined for none. */
  readonly pager: string | undefined;
  /** Whether it is an error if the reader closes the pipe early, because the output cannot be requested again. */
  readonly mustArrive: boolean;
}

type ListResult = Extract<Result, { kind: 'list' }>;

/**
 * Prints a result in the chosen format. Lists are printed page by page, in constant memory.
 * @throws CliError 1 if the output cannot be written
 */
export async function print(result: Result, printing: Printing): Promise<void> {
  const { world, mustArrive, pager } = printing;
  const write = (text: string) => writeAll(world.stdout, text, mustArrive);
  if (pager === undefined) return await printTo(write, result, printing);
  const { isLess, printPaged } = await import('./pager.ts');
  await printPaged(pager, world, write, (paged) => printTo(paged, result, { ...printing, scrollsSideways: isLess(pager) }));
}

async function printTo(output: (text: string) => Promise<void>, result: Result, printing: Printing): Promise<void> {
  const { format, world } = printing;
  // Tables are escaped cell by cell. Other formats and documents are only escaped on a terminal, and otherwise unchanged.
  const isText = result.kind === 'document' || (result.kind === 'value' && result.text !== undefined);
  const escape = world.stdout.isTTY && (isText || format !== 'table') ? terminalSafe : (text: string) => text;
  const write = (text: string) => output(escape(text));
  switch (result.kind) {
    case 'nothing':
      return;
    case 'document':
      return await write(await documentText(result, format));
    case 'record':
      return await write(await recordText(result, printing));
    case 'list':
      return await printList(result, printing, write);
    case 'value':
      return await write(result.text ?? (await valueText(result.value, printing)));
  }
}

async function writeAll(stream: Output, text: string, mustArrive: boolean): Promise<void> {
  if (text === '' || (stream.destroyed && !mustArrive)) return;
  const failure = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) => stream.write(text, resolve));
  // It is usually not an error if the reader closes the pipe early. Commands that must clean up are interrupted then.
  if (failure && (mustArrive || !isLostReader(failure)))
    throw new CliError(exitCodes.failed, 'output', `Cannot write the output: ${describeWriteError(failure)}`);
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

async function documentText({ document, text }: { document: unknown; text?: string }, format: OutputFormat): Promise<string> {
  switch (format) {
    case 'yaml':
      return (await import('./yaml.ts')).yamlText(document);
    case 'ndjson':
      return `${JSON.stringify(document)}\n`;
    case 'table':
      return text ?? jsonText(document);
    case 'csv':
    case 'tsv':
      throw noRowsError(format);
    case 'json':
      return jsonText(document);
  }
}

async function recordText(result: Extract<Result, { kind: 'record' }>, printing: Printing): Promise<string> {
  const { format, columns: ofVerb, world, wide, now } = printing;
  if (result.text !== undefined && format === 'table') return result.text;
  const columns = result.columns ?? ofVerb ?? Object.keys(result.record);
  // A response without fields has nothing to show in a table.
  if (columns.length === 0 && format !== 'json' && format !== 'yaml' && format !== 'ndjson') return '';
  switch (format) {
    case 'table': {
      const { TableFormatter } = await import('./table.ts');
      return await new TableFormatter(columns, screenOf(world.stdout, world, wide, now), { idsLast: !printing.isChosen }).record(
        result.record,
        printing.isChosen,
      );
    }
    case 'csv':
    case 'tsv':
      return (await delimitedFormatter(format, columns, printing)).page([result.record]);
    case 'ndjson':
      return `${JSON.stringify(result.record)}\n`;
    default:
      return await documentText({ document: result.answer }, format);
  }
}

/** A value selected by `--query`: rows as a table, an object as a record, other values as lines for programs. */
async function valueText(value: unknown, printing: Printing): Promise<string> {
  const { format, world } = printing;
  if (format === 'json' || format === 'yaml') return await documentText({ document: value }, format);
  const items = Array.isArray(value) ? (value as unknown[]) : [value];
  if (format === 'ndjson') return items.map((item) => `${JSON.stringify(item)}\n`).join('');
  if (!items.every(isRow) || items.length === 0) {
    const lines = await linesText(value === null ? [] : items, printing);
    return world.stdout.isTTY ? terminalSafe(lines) : lines;
  }
  const columns = [...new Set(items.flatMap((item) => Object.keys(item)))];
  if (!Array.isArray(value)) return await recordText({ kind: 'record', answer: {}, record: value as ResultRow, columns }, printing);
  const writer = await listFormat({ field: '', paged: false }, columns, { ...printing, isChosen: true });
  return (await writer.page(items, true)) + (await writer.end(null));
}

/** Values without names, each on a line. The items of lists are columns, unless there are other values too. */
async function linesText(values: readonly unknown[], printing: Printing): Promise<string> {
  const lists = values.every((value) => Array.isArray(value)) ? values : values.map((value) => [value]);
  const width = Math.max(0, ...lists.map((list) => list.length));
  const columns = Array.from({ length: width }, (_, index) => String(index));
  const style = { ...printing.style, header: false };
  const formatter = await delimitedFormatter(printing.format === 'csv' ? 'csv' : 'tsv', columns, { ...printing, style });
  return formatter.page(lists as unknown as ResultRow[]);
}

async function printList(result: ListResult, printing: Printing, write: (text: string) => Promise<void>): Promise<void> {
  const { format } = printing;
  let writer: ListFormat | undefined;
  const open = async () => (writer ??= await listFormat(result, columnsOf(result) ?? printing.columns, printing));
  // Fails before reading anything if the format needs columns and there are none.
  if (typeof result.columns !== 'function') await open();
  let isFirst = true;
  let isEmpty = true;
  let cursor: string | null = null;
  try {
    for await (const { rows, next_cursor } of result.pages) {
      isEmpty &&= rows.length === 0;
      // On a terminal, a note is printed instead of an empty table.
      if (isEmpty && isForPeople(printing)) continue;
      await write(await (await open()).page(rows, isFirst));
      isFirst = false;
      cursor = next_cursor;
    }
  } catch (error) {
    // Ends the document so that it is valid. Its next_cursor shows where to continue.
    if (!isFirst) await write(await (await open()).end(cursor, fieldsBeside(result)));
    sayClosing(result, printing);
    if (cursor !== null && result.paged) printing.notes.say(`The list is incomplete: --cursor ${shellWord(cursor)} continues from there.`);
    throw error;
  }
  // If a result has totals, as imports do, an empty table is not printed.
  const isSilent = isFirst && format === 'table' && (result.totals !== undefined || isForPeople(printing));
  if (isFirst && !isSilent) await write(await (await open()).page([], true));
  if (!isSilent) await write(await (await open()).end(cursor, fieldsBeside(result)));
  if (writer?.hidden) printing.notes.say(`${counted(writer.hidden, 'column')} hidden: --wide shows all.`);
  if (isEmpty && result.totals === undefined && isForPeople(printing)) {
    const note = printing.emptyNote ? printing.emptyNote() : 'There is nothing to show.';
    if (note !== undefined) printing.notes.say(note);
  }
  sayClosing(result, printing);
  if (cursor !== null) printing.notes.more(result.paged ? cursor : null);
}

function sayClosing({ closing }: ListResult, { notes }: Printing): void {
  const note = closing?.();
  if (note !== undefined) notes.say(note);
}

/** Whether a list is shown as a table on a terminal. */
function isForPeople({ format, world }: Printing): boolean {
  return format === 'table' && world.stdout.isTTY === true;
}

async function delimitedFormatter(format: 'csv' | 'tsv', columns: readonly string[], { style }: Printing) {
  const { DelimitedFormatter } = await import('./delimited.ts');
  return new DelimitedFormatter(format, columns, style);
}
