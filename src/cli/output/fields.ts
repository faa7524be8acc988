import { knownWords } from '../did-you-mean.ts';
import { usageError } from '../errors.ts';
import { readColumn, setPath } from './paths.ts';
import { columnsOf, mapRows, type Page, type Result, type ResultRow } from './result.ts';

/**
 * Validates `--fields`.
 * @param known the fields that the verb can show
 * @throws CliError 2 with the known fields if one is unknown
 */
export function checkFields(fields: readonly string[], known: readonly string[]): void {
  const unknown = fields.filter((field) => !known.includes(field));
  if (unknown.length > 0) throw usageError(`Unknown field: ${unknown.join(', ')}`, knownWords('Known fields', unknown[0] ?? '', known));
}

/** Selects these fields of a result, in this order. */
export function selectFields(result: Result, fields: readonly string[]): Result {
  const pick = (row: ResultRow) => pickFields(row, fields);
  switch (result.kind) {
    case 'list':
      return { ...result, columns: fields, pages: mapRows(result.pages, pick) };
    case 'record': {
      const record = pick(result.record);
      const holder = Object.entries(result.answer).find(([, value]) => value === result.record)?.[0];
      return { ...result, columns: fields, text: undefined, record, answer: holder === undefined ? record : { [holder]: record } };
    }
    default:
      return result;
  }
}

/**
 * Shows all fields of a result in formats with columns; other formats always do.
 * @param shown the verb's default columns. The result can have additional columns, such as the account.
 * @param further the fields that not every answer has: they are shown if the record, or a row of the first page with rows, has them
 */
export function showAllFields(result: Result, shown: readonly string[], all: readonly string[], further: readonly string[] = []): Result {
  if (result.kind !== 'list' && result.kind !== 'record') return result;
  const withAll = (rows: readonly ResultRow[], columns: readonly string[] = []) => [
    ...columns.filter((column) => !shown.includes(column) && !all.includes(column)),
    ...all,
    ...further.filter((field) => rows.some((row) => Object.hasOwn(row, field.split('.', 1)[0] ?? ''))),
  ];
  if (result.kind === 'record') return { ...result, columns: withAll([result.record], result.columns) };
  let first: readonly ResultRow[] = [];
  const pages = fromFirstRows(result.pages, (rows) => (first = rows));
  return { ...result, pages, columns: () => withAll(first, columnsOf(result)) };
}

/** The pages from the first one with rows, which tell the columns: the first of several accounts may have none. */
async function* fromFirstRows(pages: AsyncIterable<Page>, note: (rows: readonly ResultRow[]) => void): AsyncGenerator<Page> {
  let empty: Page | undefined;
  let isNoted = false;
  for await (const page of pages) {
    if (!isNoted) note(page.rows);
    isNoted ||= page.rows.length > 0;
    if (isNoted) yield page;
    else empty = page;
  }
  if (!isNoted && empty) yield empty;
}

function pickFields(row: ResultRow, fields: readonly string[]): ResultRow {
  const picked: Record<string, unknown> = {};
  for (const field of fields) setPath(picked, field, readColumn(row, field) ?? null);
  return picked;
}
