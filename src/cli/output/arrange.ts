import { usageError } from '../errors.ts';
import { knownWords } from '../did-you-mean.ts';
import { digits } from '../../contract/text/counted.ts';
import { compareValues, isNone } from './compare.ts';
import { parseCondition, type RowTest, type Vocabulary } from './conditions.ts';
import { readColumn } from './paths.ts';
import type { Page, Result, ResultRow } from './result.ts';
import type { Selection } from './selection.ts';

/** Maximum number of rows to sort. They are held in memory. */
const maxSortedRows = 100_000;

/** Which rows of a list to show, and in which order. */
interface Arrangement {
  /** Conditions, which must all hold. */
  readonly where: readonly string[];
  /** Fields to sort by; those with a minus in descending order. */
  readonly sort: readonly string[];
  /** The number of rows to show of those that are left. */
  readonly limit: number | undefined;
  /** The options that make the list itself shorter, for the error about a list that is too long to sort. */
  readonly filters: readonly string[];
}

/** A field to sort by. */
interface SortKey {
  readonly field: string;
  readonly isDescending: boolean;
}

/**
 * Makes the function that filters, sorts and limits the rows of a list. Filters stream; sorting reads the whole list.
 * @throws CliError 2 if a condition or a field is unknown
 */
export function arrangement({ where, sort, limit, filters }: Arrangement, vocabulary: Vocabulary): Selection {
  const tests = where.map((text) => parseCondition(text, vocabulary));
  const keys = sort.map((text) => sortKey(text, vocabulary.fields));
  return (result) => {
    if (result.kind !== 'list') throw usageError('--where and --sort apply only to lists', 'This command shows one record: omit them.');
    const kept = tests.length > 0 ? filtered(result.pages, tests) : result.pages;
    const sorted = keys.length > 0 ? sortedPages(kept, keys, filters) : kept;
    const pages = limit === undefined ? sorted : limited(sorted, limit);
    // A cursor of the service cannot continue a list that was sorted, or cut within a page.
    return { ...result, pages, paged: result.paged && keys.length === 0 && limit === undefined } satisfies Result;
  };
}

function sortKey(text: string, fields: readonly string[]): SortKey {
  const isDescending = text.startsWith('-');
  const field = isDescending ? text.slice(1) : text;
  if (!fields.includes(field)) throw usageError(`--sort: unknown field: ${field}`, knownWords('Known fields', field, fields));
  return { field, isDescending };
}

async function* filtered(pages: AsyncIterable<Page>, tests: readonly RowTest[]): AsyncGenerator<Page> {
  for await (const page of pages) {
    const rows: ResultRow[] = [];
    for (const row of page.rows) if (await passesAll(row, tests)) rows.push(row);
    yield { ...page, rows };
  }
}

async function passesAll(row: ResultRow, tests: readonly RowTest[]): Promise<boolean> {
  for (const test of tests) if (!(await test(row))) return false;
  return true;
}

async function* sortedPages(pages: AsyncIterable<Page>, keys: readonly SortKey[], filters: readonly string[]): AsyncGenerator<Page> {
  const all: ResultRow[] = [];
  for await (const { rows } of pages) {
    all.push(...rows);
    if (all.length > maxSortedRows) throw tooManyError(filters);
  }
  yield { rows: all.sort((one, other) => compareRows(one, other, keys)), next_cursor: null };
}

function tooManyError(filters: readonly string[]) {
  const options = ['--where', ...filters].join(', ');
  return usageError(`--sort takes at most ${digits(maxSortedRows)} rows`, `Make the list shorter with ${options}.`);
}

function compareRows(one: ResultRow, other: ResultRow, keys: readonly SortKey[]): number {
  for (const { field, isDescending } of keys) {
    const [value, otherValue] = [readColumn(one, field), readColumn(other, field)];
    // Rows without a value come last in either direction.
    const order = Number(isNone(value)) - Number(isNone(otherValue)) || compareValues(value, otherValue) * (isDescending ? -1 : 1);
    if (order !== 0) return order;
  }
  return 0;
}

async function* limited(pages: AsyncIterable<Page>, limit: number): AsyncGenerator<Page> {
  let left = limit;
  for await (const { rows, next_cursor } of pages) {
    const isCut = rows.length > left;
    // The cursor only says that there are more rows.
    yield { rows: rows.slice(0, left), next_cursor: isCut ? (next_cursor ?? '') : next_cursor };
    left -= rows.length;
    if (left <= 0) return;
  }
}
